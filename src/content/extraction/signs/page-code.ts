import { type Element } from "domhandler";
import { isHarmless, MAX_ADDRESS_LENGTH } from "./known-scripts.ts";

export interface InlineScript {
  readonly code: string;
  readonly isModule: boolean;
  /** Undefined for the code of an attribute. */
  readonly element: Element | undefined;
}

/** An external script that is not known to be harmless. */
export interface ExternalScript {
  readonly address: string;
  readonly isModule: boolean;
}

/** Maximum number of characters of all inline scripts that are examined. @bound */
const MAX_CODE_LENGTH = 1_000_000;

/** Types of scripts that a browser runs (WHATWG HTML §4.12.1), and types that a site's proxy runs later. */
const CODE_TYPE =
  /^(?:|module|javascript[\d.]{0,9}|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/jscript|[\da-f]+-text\/javascript)$/;
const DATA_TYPE = /json|^application\/(?:graphql|x-deferred-state)/;
/** Types of scripts that contain data for search engines or for the browser. */
const OTHERS_DATA = /ld\+json|speculation/;

/**
 * Inline code that makes visible content interactive, or shows content that the document has: Astro's islands and their
 * loaders, React's streamed parts.
 */
const HYDRATES =
  /customElements\.get\(["']astro-island["']\)|self\.Astro\s?\|\|\s?\(self\.Astro|^\s{0,9}(?:\$R[BCTV]\s?=|\$RC\()/;

/** A long script that only assigns data. */
const DATA =
  /^\s{0,99}(?:(?:window|self|globalThis)[.[]|(?:var|let|const)\s)[^=]{1,80}=\s{0,9}(?:JSON\.parse\(|[[{"'])/;
const MIN_DATA_LENGTH = 10_000;

/** The scripts of a page. */
export class PageCode {
  readonly inline: InlineScript[] = [];
  readonly unknown: ExternalScript[] = [];
  readonly importMaps: string[] = [];
  /** Embedded data for scripts. */
  readonly dataText: string[] = [];
  /** Whether the page contains any code that runs, harmless or not. */
  runs = false;
  #length = 0;

  script(element: Element, code: string): void {
    const { attribs } = element;
    const type = (attribs["type"] ?? attribs["language"] ?? "").trim().toLowerCase();
    if (type === "importmap") this.importMaps.push(code);
    else if (DATA_TYPE.test(type)) {
      if (!OTHERS_DATA.test(type)) this.dataText.push(code);
    } else if (CODE_TYPE.test(type) && attribs["nomodule"] === undefined) {
      this.runs = true;
      const src = attribs["src"] ?? attribs["href"] ?? attribs["xlink:href"];
      const isModule = type === "module";
      if (src === undefined) this.#add({ code, isModule, element });
      else if (!isHarmless(src)) this.unknown.push({ address: src.slice(0, MAX_ADDRESS_LENGTH), isModule });
      // The script of the page that RequireJS loads.
      const main = attribs["data-main"]?.replace(/(?:\.js)?$/, ".js");
      if (main !== undefined) this.unknown.push({ address: main.slice(0, MAX_ADDRESS_LENGTH), isModule: false });
      this.handler(attribs["onload"] ?? "");
    }
  }

  /** Adds the code of an attribute that runs while the page loads. */
  handler(code: string): void {
    if (code.trim() === "") return;
    this.runs = true;
    this.#add({ code, isModule: false, element: undefined });
  }

  #add(script: InlineScript): void {
    const { code } = script;
    if (HYDRATES.test(code) || (code.length >= MIN_DATA_LENGTH && DATA.test(code))) return;
    this.#length += code.length;
    if (this.#length <= MAX_CODE_LENGTH) this.inline.push(script);
  }
}
