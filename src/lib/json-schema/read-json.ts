import { cut } from "../text/cut-text.ts";
import { type Json, type JsonObject } from "./json.ts";

/** Most arrays and objects within each other. Deeper values are refused before they are built. @internal */
export const MAX_JSON_DEPTH = 128;
/** Characters of a key that an error shows. */
const MAX_KEY = 100;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** A character that ends the plain part of a string: a quote, a backslash, a control character. */
const STRING_END = /["\\\u0000-\u001f]/g;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The reason why a text is not accepted as JSON. It has at most one character of the text, or a key. */
export class JsonError extends Error {
  readonly reason: string;
  /** The index of the character; -1 if it is the whole text. */
  readonly at: number;

  constructor(reason: string, at: number) {
    super(at < 0 ? reason : `${reason}, at character ${at}`);
    this.name = "JsonError";
    this.reason = reason;
    this.at = at;
  }
}

/** Called for each member and item of a text, with its path and the index at which it begins. */
export type JsonVisit = (path: readonly (string | number)[], at: number) => void;

/**
 * Parses JSON (RFC 8259) strictly: UTF-8 without a byte order mark, no repeated name in an object, no number that a
 * double cannot hold. Throws `JsonError`. Takes time linear in the text.
 */
export function readJson(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new JsonError("it is not UTF-8", -1);
  }
  if (text.charCodeAt(0) === 0xfeff) throw new JsonError("it begins with a byte order mark", -1);
  return readJsonText(text, MAX_JSON_DEPTH);
}

/** Parses a text as `readJson` does, with at most `maxDepth` arrays and objects within each other. */
export function readJsonText(text: string, maxDepth: number, visit?: JsonVisit): Json {
  return new Reader(text, maxDepth, visit).read();
}

class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #visit: JsonVisit | undefined;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string, maxDepth: number, visit: JsonVisit | undefined) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#visit = visit;
  }

  read(): Json {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#misses("the end of the text");
    return value;
  }

  #misses(expected: string): never {
    const found = this.#text.codePointAt(this.#at);
    const shown = found === undefined ? "the end of the text" : JSON.stringify(String.fromCodePoint(found));
    return this.#fail(`expected ${expected}, found ${shown}`);
  }

  #fail(reason: string, at = this.#at): never {
    throw new JsonError(reason, at);
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #value(): Json {
    switch (this.#text.charAt(this.#at)) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #nested(read: () => Json): Json {
    if (++this.#depth > this.#maxDepth) this.#fail(`expected at most ${this.#maxDepth} levels`);
    this.#at++;
    this.#skipSpace();
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    // In an object without a prototype, `__proto__` is an ordinary name.
    const object = Object.create(null) as JsonObject;
    if (this.#takes("}")) return object;
    for (;;) {
      const start = this.#at;
      if (this.#text[start] !== '"') this.#misses("a key in double quotes");
      const name = this.#string();
      if (name in object) this.#fail(`the key ${JSON.stringify(cut(name, MAX_KEY))} appears twice`, start);
      this.#skipSpace();
      if (!this.#takes(":")) this.#misses('":"');
      this.#skipSpace();
      object[name] = this.#part(name, start);
      this.#skipSpace();
      if (this.#takes("}")) return object;
      if (!this.#takes(",")) this.#misses('"," or "}"');
      this.#skipSpace();
    }
  }

  #array(): Json[] {
    const array: Json[] = [];
    if (this.#takes("]")) return array;
    for (;;) {
      array.push(this.#part(array.length, this.#at));
      this.#skipSpace();
      if (this.#takes("]")) return array;
      if (!this.#takes(",")) this.#misses('"," or "]"');
      this.#skipSpace();
    }
  }

  /** The value of a member or an item. */
  #part(name: string | number, start: number): Json {
    if (this.#visit === undefined) return this.#value();
    this.#path.push(name);
    this.#visit(this.#path, start);
    const value = this.#value();
    this.#path.pop();
    return value;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #word(): Json {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) return this.#misses("a value");
    const value = word >= "a" ? (WORDS.get(word) ?? null) : Number(word);
    if (value === Infinity || value === -Infinity) this.#fail("a number is beyond what a double holds");
    this.#at += word.length;
    return value;
  }

  #string(): string {
    const start = this.#at;
    STRING_END.lastIndex = start + 1;
    let isPlain = true;
    for (;;) {
      const end = STRING_END.exec(this.#text)?.index;
      if (end === undefined) return this.#fail("a string is not closed", start);
      this.#at = end;
      const code = this.#text.charCodeAt(end);
      if (code === 0x22) break;
      if (code !== 0x5c) this.#fail("a string holds a control character or line end");
      ESCAPE.lastIndex = end;
      if (!ESCAPE.test(this.#text)) this.#fail("a string holds an unknown escape");
      isPlain = false;
      STRING_END.lastIndex = ESCAPE.lastIndex;
    }
    this.#at++;
    if (isPlain) return this.#text.slice(start + 1, this.#at - 1);
    return JSON.parse(this.#text.slice(start, this.#at)) as string; // A JSON text that begins and ends with a quote is a string.
  }
}
