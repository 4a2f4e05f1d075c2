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
const TEMPLATE_TYPE =
  /^(?:text|application)\/(?:x-)?(?:template|handlebars(?:-template)?|mustache|underscore|ng-template|html|jquery-tmpl|jsrender|babel|jsx|vue|elm)$/;
const DATA_TYPE = /json|^application\/(?:graphql|x-deferred-state)/;
/** Types of scripts that contain data for search engines or for the browser. */
const OTHERS_DATA = /ld\+json|speculation|importmap/;

/**
 * Inline code that makes visible content interactive, or shows content that the document has: Astro's islands and their
 * loaders, Qwik's loader of modules, React's streamed parts.
 */
const HYDRATES =
  /customElements\.get\(["']astro-island["']\)|self\.Astro\s?\|\|\s?\(self\.Astro|^let b=fetch\(["'][^"']{1,200}bundle-graph\.json["']\);import\(|^\s{0,9}(?:\$R[BCTV]\s?=|\$RC\()|^requestAnimationFrame\(function\(\)\{\$RT=/;

/** Inline code of WordPress's caches that runs the page's other scripts when a person first moves or clicks. */
const DELAYS = /\bRocketLazyLoadScripts\b|\bnowprocket=1|\blitespeed_ui_events\b/;

/** The scripts of a page. */
export class PageCode {
  readonly #inlineCode: string[] = [];
  #read: readonly InlineScript[] | undefined;
  /** Addresses of scripts that are not known to be harmless. */
  readonly unknown: string[] = [];
  /** Characters of embedded data for scripts. */
  data = 0;
  /** That data, and the addresses that its elements name as its source. */
  readonly dataText: string[] = [];
  /** Number of script elements that contain templates. */
  templates = 0;
  /** Whether the page contains any code that runs, harmless or not. */
  runs = false;
  #length = 0;

  /** Inline scripts that run. Complete only after the walk over the whole page. */
  get inline(): readonly InlineScript[] {
    if (this.#read !== undefined) return this.#read;
    // The inline code of most pages declares no functions.
    const declares = this.#inlineCode.some((code) => code.includes("function "));
    const users = declares ? usersOfNames([...this.#inlineCode, ...this.unknown]) : NO_USERS;
    this.#read = this.#inlineCode.map((whole, at) => ({
      whole,
      ...automaticCode(whole, (name) => users.get(hashOf(name, 0, name.length)) !== at),
    }));
    return this.#read;
  }

  script(attribs: Readonly<Record<string, string>>, code: string): void {
    const type = (attribs["type"] ?? attribs["language"] ?? "").trim().toLowerCase();
    if (TEMPLATE_TYPE.test(type)) {
      // WordPress includes its own templates in each page.
      if (attribs["id"]?.startsWith("tmpl-") !== true) this.templates += 1;
    } else if (DATA_TYPE.test(type)) {
      if (OTHERS_DATA.test(type)) return;
      this.data += code.length;
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
    if (HYDRATES.test(code) || DELAYS.test(code)) return;
    this.#length += code.length;
    if (this.#length > MAX_CODE_LENGTH) this.unknown.push("inline");
    else this.#inlineCode.push(code);
  }
}

const NO_USERS: ReadonlyMap<number, number> = new Map();

/** The name occurs in more than one piece of code. */
const SEVERAL = -1;

/** Maximum number of characters of a name. A longer sequence of letters counts as two names. */
const MAX_NAME_LENGTH = 81;

/**
 * Maps hashes of names to the piece of code that contains the name. If two names share a hash, both count as used by
 * several pieces. Strings as keys would take six times as long (`npm run bench -- pages`).
 */
function usersOfNames(codes: readonly string[]): ReadonlyMap<number, number> {
  const users = new Map<number, number>();
  codes.forEach((code, user) => {
    for (let at = 0; at < code.length; ) {
      if (!beginsName(code.charCodeAt(at))) {
        at += 1;
        continue;
      }
      const end = endOfName(code, at);
      const hash = hashOf(code, at, end);
      const known = users.get(hash);
      if (known === undefined) users.set(hash, user);
      else if (known !== user && known !== SEVERAL) users.set(hash, SEVERAL);
      at = end;
    }
  });
  return users;
}

function beginsName(code: number): boolean {
  const small = code | 0x20;
  return (small >= 0x61 && small <= 0x7a) || code === 0x5f || code === 0x24;
}

function endOfName(code: string, start: number): number {
  const last = Math.min(code.length, start + MAX_NAME_LENGTH);
  let at = start + 1;
  while (at < last && isOfName(code.charCodeAt(at))) at += 1;
  return at;
}

function isOfName(code: number): boolean {
  return beginsName(code) || (code >= 0x30 && code <= 0x39);
}

/** FNV-1a as a signed integer: maps look up such keys fastest. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
