import { Token } from "parse5";
import { isOfName, type KnownName, NameReader } from "./known-names.ts";

const TAB = 0x09;
const LINE_FEED = 0x0a;
const FORM_FEED = 0x0c;
const SPACE = 0x20;
const EXCLAMATION = 0x21;
const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const DASH = 0x2d;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER_THAN = 0x3e;

/** Maximum number of attributes of a tag that is read here. For more, the library's set of names is faster. */
const MAX_ATTRIBUTES = 32;

function isWhite(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === TAB || code === FORM_FEED;
}

function skipWhite(html: string, start: number): number {
  let at = start;
  while (isWhite(html.charCodeAt(at))) at += 1;
  return at;
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

/**
 * Reads plain tags and comments as WHATWG HTML §13.2.5 specifies. Each method returns undefined for rare input
 * (references in values, odd characters, the end of the file), which the library then reads.
 */
export class TagReader {
  /** The index of the last character that was read. */
  end = 0;
  readonly #names = new NameReader();

  tag(html: string, start: number): Token.TagToken | undefined {
    const first = html.charCodeAt(start + 1);
    if (isLetter(first)) return this.#startTag(html, start + 1);
    if (first === SLASH && isLetter(html.charCodeAt(start + 2))) return this.#endTag(html, start + 2);
    return undefined;
  }

  comment(html: string, start: number): Token.CommentToken | undefined {
    if (html.charCodeAt(start + 1) !== EXCLAMATION || !html.startsWith("--", start + 2)) return undefined;
    const from = start + 4;
    const first = html.charCodeAt(from);
    if (first === GREATER_THAN || (first === DASH && html.charCodeAt(from + 1) === GREATER_THAN)) return undefined;
    const end = html.indexOf("-->", from);
    if (end === -1) return undefined;
    const data = html.slice(from, end);
    if (/[\0\r]|--!>/.test(data)) return undefined;
    this.end = end + 2;
    return { type: Token.TokenType.COMMENT, data, location: null };
  }

  #endTag(html: string, start: number): Token.TagToken | undefined {
    const name = this.#names.read(html, start);
    const { end } = this.#names;
    if (html.charCodeAt(end) !== GREATER_THAN) return undefined;
    this.end = end;
    return tokenOf(Token.TokenType.END_TAG, name);
  }

  #startTag(html: string, start: number): Token.TagToken | undefined {
    const token = tokenOf(Token.TokenType.START_TAG, this.#names.read(html, start));
    let at = this.#names.end;
    const { attrs } = token;
    for (;;) {
      const before = at;
      at = skipWhite(html, at);
      const code = html.charCodeAt(at);
      if (code === GREATER_THAN) break;
      if (code === SLASH && html.charCodeAt(at + 1) === GREATER_THAN) {
        token.selfClosing = true;
        at += 1;
        break;
      }
      // The library reads attributes without a space between them.
      if (at === before || attrs.length === MAX_ATTRIBUTES) return undefined;
      const attribute = this.#attribute(html, at);
      if (attribute === undefined || has(attrs, attribute.name)) return undefined;
      attrs.push(attribute);
      at = this.end;
    }
    this.end = at;
    return token;
  }

  /** Reads an attribute and sets `end` to the index after it. */
  #attribute(html: string, start: number): Token.Attribute | undefined {
    const { text: name } = this.#names.read(html, start);
    const endOf = this.#names.end;
    if (endOf === start) return undefined;
    const next = html.charCodeAt(endOf);
    // If a name follows after the space, the attribute has no value.
    if (next === GREATER_THAN || (next === SPACE && isOfName(html.charCodeAt(endOf + 1)))) {
      this.end = endOf;
      return { name, value: "" };
    }
    if (next !== EQUALS) return undefined;
    const quote = html.charCodeAt(endOf + 1);
    const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE;
    const from = isQuoted ? endOf + 2 : endOf + 1;
    const end = isQuoted ? endOfQuoted(html, from, quote) : endOfBare(html, from);
    if (end === -1) return undefined;
    this.end = isQuoted ? end + 1 : end;
    return { name, value: html.slice(from, end) };
  }
}

/** The index of the quote that ends a value. -1 if the library must read the value. */
function endOfQuoted(html: string, start: number, quote: number): number {
  for (let at = start; ; at += 1) {
    const code = html.charCodeAt(at);
    if (code === quote) return at;
    // At the end of the file the code is NaN, for which all comparisons are false.
    if (code === AMPERSAND || !(code >= SPACE || code === TAB || code === LINE_FEED)) return -1;
  }
}

/** The end of a value without quotes. -1 if the library must read the value. */
function endOfBare(html: string, start: number): number {
  let at = start;
  for (;;) {
    const code = html.charCodeAt(at);
    if (isWhite(code) || code === GREATER_THAN) return at === start ? -1 : at;
    if (!isOfName(code) && code !== SLASH) return -1;
    at += 1;
  }
}

function has(attributes: readonly Token.Attribute[], name: string): boolean {
  for (const { name: known } of attributes) if (known === name) return true;
  return false;
}

function tokenOf(
  type: Token.TokenType.START_TAG | Token.TokenType.END_TAG,
  { text: tagName, tagID }: KnownName,
): Token.TagToken {
  return { type, tagName, tagID, selfClosing: false, ackSelfClosing: false, attrs: [], location: null };
}
