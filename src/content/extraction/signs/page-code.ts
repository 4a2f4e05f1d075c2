import { isHarmless, MAX_ADDRESS_LENGTH } from "./known-scripts.ts";
import { unasked } from "./unasked-code.ts";

export interface InlineScript {
  readonly whole: string;
  /** Without comments and without handlers of what a person does. */
  readonly code: string;
  /** The same without the contents of strings. */
  readonly bare: string;
}

/** Inline code that is looked at, in characters of all scripts together; what is longer counts as unknown. */
const MAX_CODE_LENGTH = 2_000_000;

/** Types of scripts that a browser runs (WHATWG HTML §4.12.1), and those that a proxy of the site's runs later. */
const CODE_TYPE =
  /^(?:|module|javascript[\d.]{0,9}|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/jscript|[\da-f]+-text\/javascript)$/;
const TEMPLATE_TYPE =
  /^(?:text|application)\/(?:x-)?(?:template|handlebars(?:-template)?|mustache|underscore|ng-template|html|jquery-tmpl|jsrender|babel|jsx|vue|elm)$/;
const DATA_TYPE = /json|^application\/(?:graphql|x-deferred-state)/;
/** Data for search engines, and for the browser itself. */
const OTHERS_DATA = /ld\+json|speculation|importmap/;

/** Inline code of Astro that makes what is shown already answer to people: its islands and how they are loaded. */
const HYDRATES = /customElements\.get\(["']astro-island["']\)|self\.Astro\s?\|\|\s?\(self\.Astro/;

/** The scripts of a page, as its survey meets them. */
export class PageCode {
  readonly #inlineCode: string[] = [];
  #read: readonly InlineScript[] | undefined;
  /** Addresses of scripts that are none of the known harmless ones. */
  readonly unknown: string[] = [];
  /** Characters of data that is embedded for scripts. */
  data = 0;
  /** Script elements that hold templates. */
  templates = 0;
  /** Whether anything in the page runs, harmless or not. */
  runs = false;
  #length = 0;

  /** Inline scripts that run, once all of the page has been met. */
  get inline(): readonly InlineScript[] {
    if (this.#read !== undefined) return this.#read;
    // Most pages' inline code declares nothing.
    const declares = this.#inlineCode.some((code) => code.includes("function "));
    const users = declares ? usersOfNames([...this.#inlineCode, ...this.unknown]) : NO_USERS;
    this.#read = this.#inlineCode.map((whole, at) => ({
      whole,
      ...unasked(whole, (name) => users.get(name) !== at),
    }));
    return this.#read;
  }

  script(attribs: Readonly<Record<string, string>>, code: string): void {
    const type = (attribs["type"] ?? attribs["language"] ?? "").trim().toLowerCase();
    if (TEMPLATE_TYPE.test(type)) {
      // WordPress keeps those of its own parts in each of its pages.
      if (attribs["id"]?.startsWith("tmpl-") !== true) this.templates += 1;
    } else if (DATA_TYPE.test(type)) {
      if (!OTHERS_DATA.test(type)) this.data += code.length;
    } else if (CODE_TYPE.test(type) && attribs["nomodule"] === undefined) {
      this.runs = true;
      const src = attribs["src"] ?? attribs["href"] ?? attribs["xlink:href"];
      if (src === undefined) this.#inline(code);
      else if (!isHarmless(src)) this.unknown.push(src.slice(0, MAX_ADDRESS_LENGTH));
    }
  }

  /** The code of an attribute that runs as the page loads. */
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

const NO_USERS: ReadonlyMap<string, number> = new Map();

/** More than one piece of code. */
const SEVERAL = -1;

/** Which piece of code has a name in it, by the names. */
function usersOfNames(codes: readonly string[]): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  codes.forEach((code, at) => {
    for (const [name] of code.matchAll(/[A-Za-z_$][\w$]{0,80}/g)) {
      const user = users.get(name);
      if (user === undefined) users.set(name, at);
      else if (user !== at) users.set(name, SEVERAL);
    }
  });
  return users;
}
