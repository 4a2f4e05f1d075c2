import { type AttributeOperator, type Combinator, type Complex, type SelectorList, type Simple } from "./selector.ts";

/** Nested selector lists. */
const MAX_NESTING = 8;
/** Digits of a number in `:nth-child()`. */
const NUMBER = String.raw`\d{1,6}`;

const ESCAPE = String.raw`\\(?:[\da-f]{1,6}(?:\r\n|[ \t\n\r\f])?|[^\n\r\f\da-f])`;
const START = String.raw`(?:[a-z_\p{L}]|${ESCAPE})`;
const IDENTIFIER = new RegExp(String.raw`(?:--|-?${START})(?:[\w\p{L}-]|${ESCAPE})*`, "iuy");
const ESCAPES = /\\(?:([\da-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([^]))/giu;
const STRING = /"((?:[^"\\\n\r\f]|\\(?:\r\n|[^]))*)"|'((?:[^'\\\n\r\f]|\\(?:\r\n|[^]))*)'/uy;
const SPACE = /[ \t\n\r\f]*/y;
const OPERATOR = /[~|^$*]?=/y;
const FLAG = /[is](?=[ \t\n\r\f]*(?:\]|$))/iy;
const PSEUDO = /[a-z-]+/iy;
const NTH = new RegExp(
  String.raw`[ \t\n\r\f]*(?:(even|odd)|([+-]?(?:${NUMBER})?)n(?:[ \t\n\r\f]*([+-])[ \t\n\r\f]*(${NUMBER}))?|([+-]?${NUMBER}))[ \t\n\r\f]*\)`,
  "iy",
);
const COMBINATOR = /[>+~]/y;

/** `invalid` is certain. `unknown` is syntax that this parser does not support, and a browser may. */
type Verdict = "invalid" | "unknown";

class NotParsed extends Error {
  readonly verdict: Verdict;
  constructor(verdict: Verdict) {
    super(`Cannot parse the selector: it is ${verdict}`);
    this.verdict = verdict;
  }
}

const PSEUDOS: Readonly<Record<string, readonly Simple[]>> = {
  root: [{ kind: "root" }],
  empty: [{ kind: "empty" }],
  "first-child": [nthChild({})],
  "last-child": [nthChild({ fromEnd: true })],
  "only-child": [nthChild({}), nthChild({ fromEnd: true })],
  "first-of-type": [nthChild({ ofType: true })],
  "last-of-type": [nthChild({ ofType: true, fromEnd: true })],
  "only-of-type": [nthChild({ ofType: true }), nthChild({ ofType: true, fromEnd: true })],
};

/** jQuery's additions to CSS, which no browser supports. */
const NOT_CSS = new Set(
  "contains icontains eq gt lt even odd header input button parent visible hidden selected text file image submit".split(
    " ",
  ),
);

/**
 * Parses a list of selectors. It supports exactly the syntax that the matcher handles like Chromium. `unknown` means
 * other syntax that may be valid CSS: `:has()`, pseudo-elements, namespaces, states, and constructs that the end of the
 * text closes.
 */
export function parseSelector(text: string): SelectorList | Verdict {
  if (text.includes("\0") || text.includes("/*")) return "unknown";
  try {
    return new SelectorParser(text).parse();
  } catch (error) {
    if (error instanceof NotParsed) return error.verdict;
    throw error;
  }
}

class SelectorParser {
  readonly #text: string;
  #at = 0;
  #nesting = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): SelectorList {
    const list = this.#list();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return list;
  }

  #list(): SelectorList {
    const list: Complex[] = [];
    do {
      this.#match(SPACE);
      list.push(this.#complex());
    } while (this.#take(","));
    return list;
  }

  #complex(): Complex {
    let complex: Complex = { compound: this.#compound(), combinator: undefined, left: undefined };
    for (;;) {
      const spaced = this.#match(SPACE)?.[0] !== "";
      const sign = this.#match(COMBINATOR)?.[0];
      if (sign === undefined && (this.#atEnd() || !spaced)) return complex;
      this.#match(SPACE);
      // The pattern matches only these three.
      const combinator = (sign ?? " ") as Combinator;
      complex = { compound: this.#compound(), combinator, left: complex };
    }
  }

  #compound(): readonly Simple[] {
    const simples: Simple[] = [];
    const tag = this.#match(IDENTIFIER)?.[0];
    if (tag !== undefined) simples.push({ kind: "tag", name: unescape(tag) });
    else if (this.#take("*")) simples.push({ kind: "any" });
    if (this.#text[this.#at] === "|") throw new NotParsed("unknown");
    for (;;) {
      if (this.#take("#")) simples.push({ kind: "id", name: this.#identifier() });
      else if (this.#take(".")) simples.push({ kind: "class", name: this.#identifier() });
      else if (this.#take("[")) simples.push(this.#attribute());
      else if (this.#take(":")) simples.push(...this.#pseudo());
      else break;
    }
    if (simples.length === 0) throw this.#unexpected();
    return simples;
  }

  #attribute(): Simple {
    this.#match(SPACE);
    if (this.#text[this.#at] === "|" || this.#text[this.#at] === "*") throw new NotParsed("unknown");
    const name = this.#identifier();
    // Only foreign elements have names with a prefix.
    if (name.includes(":")) throw new NotParsed("unknown");
    this.#match(SPACE);
    if (this.#take("]")) return { kind: "attribute", name, operator: "", value: "", caseless: false };
    if (this.#text[this.#at] === "|" && this.#text[this.#at + 1] !== "=") throw new NotParsed("unknown");
    // The pattern matches only these six.
    const operator = this.#match(OPERATOR)?.[0] as AttributeOperator | undefined;
    if (operator === undefined) throw this.#unexpected();
    this.#match(SPACE);
    const value = this.#value();
    this.#match(SPACE);
    const flag = this.#match(FLAG)?.[0].toLowerCase();
    // Selectors 4 defines the `s` flag, but not every browser supports it.
    if (flag === "s") throw new NotParsed("unknown");
    this.#match(SPACE);
    if (!this.#take("]")) throw this.#unexpected();
    return { kind: "attribute", name, operator, value, caseless: flag === "i" };
  }

  #value(): string {
    const quoted = this.#match(STRING);
    if (quoted !== null) return unescape(quoted[1] ?? quoted[2] ?? "");
    // The end of the text closes an open string. The end of a line makes the string invalid.
    if (/["']/.test(this.#text[this.#at] ?? "")) throw new NotParsed("unknown");
    return this.#identifier();
  }

  #pseudo(): readonly Simple[] {
    const name = this.#match(PSEUDO)?.[0].toLowerCase();
    const next = this.#text[this.#at] ?? "";
    if (name === undefined || /[\w\\\u0080-\uffff]/.test(next)) throw this.#unexpectedPseudo();
    if (NOT_CSS.has(name)) throw new NotParsed("invalid");
    if (next !== "(") {
      const simples = Object.hasOwn(PSEUDOS, name) ? PSEUDOS[name] : undefined;
      if (simples === undefined) throw new NotParsed("unknown");
      return simples;
    }
    this.#at += 1;
    const nth = /^nth-(last-)?(?:child|(of-type))$/.exec(name);
    if (nth !== null) return [this.#nth(nth[1] !== undefined, nth[2] !== undefined)];
    if (name === "not") return [{ kind: "not", list: this.#nested() }];
    if (name !== "is" && name !== "where") throw new NotParsed("unknown");
    try {
      return [{ kind: "is", list: this.#nested() }];
    } catch (error) {
      // Browsers skip invalid selectors in these lists.
      throw error instanceof NotParsed ? new NotParsed("unknown") : error;
    }
  }

  #nested(): SelectorList {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new NotParsed("unknown");
    const list = this.#list();
    if (!this.#take(")")) throw this.#unexpected();
    this.#nesting -= 1;
    return list;
  }

  #nth(fromEnd: boolean, ofType: boolean): Simple {
    const match = this.#match(NTH);
    if (match === null) throw new NotParsed("unknown");
    const [, word, step, sign, number = "0", alone] = match;
    if (word !== undefined) return nthChild({ fromEnd, ofType, step: 2, offset: word.toLowerCase() === "odd" ? 1 : 0 });
    if (step === undefined) return nthChild({ fromEnd, ofType, step: 0, offset: Number(alone) });
    const factor = /\d/.test(step) ? Number(step) : Number(`${step}1`);
    return nthChild({ fromEnd, ofType, step: factor, offset: sign === "-" ? -Number(number) : Number(number) });
  }

  #identifier(): string {
    const name = this.#match(IDENTIFIER)?.[0];
    if (name === undefined) throw this.#unexpected();
    return unescape(name);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #atEnd(): boolean {
    const next = this.#text[this.#at];
    return next === undefined || next === "," || next === ")";
  }

  /**
   * The end of the text closes brackets that may be open. Characters outside of ASCII may be part of names in ways that this parser does
   * not know.
   */
  #unexpected(): NotParsed {
    const next = this.#text[this.#at];
    if (next === undefined) return new NotParsed(/[[(]/.test(this.#text) ? "unknown" : "invalid");
    return new NotParsed(/[&|\\\u0080-\uffff]/.test(next) ? "unknown" : "invalid");
  }

  #unexpectedPseudo(): NotParsed {
    const next = this.#text[this.#at];
    return next === ":" || /[\w\\\u0080-\uffff]/.test(next ?? "") ? new NotParsed("unknown") : this.#unexpected();
  }
}

function nthChild(more: Partial<Omit<Extract<Simple, { kind: "nth" }>, "kind">>): Simple {
  return { kind: "nth", ofType: false, fromEnd: false, step: 0, offset: 1, ...more };
}

/** A text without its escapes (CSS Syntax §4.3.7). */
export function unescape(text: string): string {
  return text.replace(ESCAPES, (_escape, hex?: string, lineEnd?: string, character?: string) => {
    if (hex === undefined) return lineEnd === undefined ? (character ?? "") : "";
    const code = Number.parseInt(hex, 16);
    const isCharacter = code !== 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}
