import { isHarmless, MAX_ADDRESS_LENGTH } from "./known-scripts.ts";
import { automaticCode } from "./automatic-code.ts";

/** The code of an inline script, in the forms that the signs search. */
export interface InlineScript {
  readonly whole: string;
  /** The code without comments and event handlers. */
  readonly code: string;
  /** The same without the contents of strings. */
  readonly bare: string;
}

/** Maximum number of characters of all inline scripts that are examined. Further code counts as unknown. */
const MAX_CODE_LENGTH = 2_000_000;

/** Types of scripts that a browser runs (WHATWG HTML §4.12.1), and types that a site's proxy runs later. */
const CODE_TYPE =
  /^(?:|module|javascript[\d.]{0,9}|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/jscript|[\da-f]+-text\/javascript)$/;
const DATA_TYPE = /json|^application\/(?:graphql|x-deferred-state)/;
/** Types of scripts that contain data for search engines or for the browser. */
const OTHERS_DATA = /ld\+json|speculation|importmap/;

/**
 * Inline code that makes visible content interactive, or shows content that the document has: Astro's islands and their
 * loaders, Qwik's loader of modules, React's streamed parts.
 */
const HYDRATES =
  /customElements\.get\(["']astro-island["']\)|self\.Astro\s?\|\|\s?\(self\.Astro|^let b=fetch\(["'][^"']{1,200}bundle-graph\.json["']\);import\(|^\s{0,9}(?:\$R[BCTV]\s?=|\$RC\()|^requestAnimationFrame\(function\(\)\{\$RT=/;

/** The names of functions that a script calls or declares. */
const CALLED = /(?<![\w$])[A-Za-z_$][\w$]{0,80}(?=\()/g;

/** The scripts of a page. */
export class PageCode {
  readonly #inlineCode: string[] = [];
  #read: readonly InlineScript[] | undefined;
  /** Addresses of scripts that are not known to be harmless. */
  readonly unknown: string[] = [];
  /** Embedded data for scripts, and the addresses that its elements name as its source. */
  readonly dataText: string[] = [];
  /** Whether the page contains any code that runs, harmless or not. */
  runs = false;
  #length = 0;

  /** Inline scripts that run. Complete only after the walk over the whole page. */
  get inline(): readonly InlineScript[] {
    if (this.#read !== undefined) return this.#read;
    // A declaration counts as a call, so a function that another script calls is in two scripts.
    const scripts = new Map<string, number>();
    for (const code of this.#inlineCode) {
      for (const name of new Set(code.match(CALLED))) scripts.set(name, (scripts.get(name) ?? 0) + 1);
    }
    const isCalled = (name: string): boolean => (scripts.get(name) ?? 0) > 1;
    this.#read = this.#inlineCode.map((whole) => ({ whole, ...automaticCode(whole, isCalled) }));
    return this.#read;
  }

  script(attribs: Readonly<Record<string, string>>, code: string): void {
    const type = (attribs["type"] ?? attribs["language"] ?? "").trim().toLowerCase();
    if (DATA_TYPE.test(type)) {
      if (OTHERS_DATA.test(type)) return;
      this.dataText.push(attribs["data-url"] === undefined ? code : `"${attribs["data-url"]}" ${code}`);
    } else if (CODE_TYPE.test(type) && attribs["nomodule"] === undefined) {
      this.runs = true;
      const src = attribs["src"] ?? attribs["href"] ?? attribs["xlink:href"];
      if (src === undefined) this.#inline(code);
      else if (!isHarmless(src)) this.unknown.push(src.slice(0, MAX_ADDRESS_LENGTH));
      this.handler(attribs["onload"] ?? "");
    }
  }

  /** Adds the code of an attribute that runs while the page loads. */
  handler(code: string): void {
    if (code.trim() === "") return;
    this.runs = true;
    this.#inline(code);
  }

  #inline(code: string): void {
    if (HYDRATES.test(code)) return;
    this.#length += code.length;
    if (this.#length > MAX_CODE_LENGTH) this.unknown.push("inline");
    else this.#inlineCode.push(code);
  }
}
