import { type Json, type JsonObject } from "./json.ts";

/** Most arrays and objects within each other. Deeper values are refused before they are built. @internal */
export const MAX_JSON_DEPTH = 128;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A character that ends the plain part of a string: a quote, a backslash, a control character. */
const STRING_END = /["\\\u0000-\u001f]/g;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The reason why a text is not accepted as JSON; `at` is the index of the character. */
export class JsonError extends Error {
  constructor(message: string, at: number) {
    super(at < 0 ? message : `${message}, at character ${at}`);
    this.name = "JsonError";
  }
}

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
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Json {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("expected the end");
    return value;
  }

  #fail(message: string): never {
    throw new JsonError(message, this.#at);
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
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #nested(read: () => Json): Json {
    if (++this.#depth > MAX_JSON_DEPTH) this.#fail(`more than ${MAX_JSON_DEPTH} arrays and objects are nested`);
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
      if (this.#text[this.#at] !== '"') this.#fail("expected a name in quotes");
      const start = this.#at;
      const name = this.#string();
      if (name in object) {
        this.#at = start;
        this.#fail("a name appears twice in one object");
      }
      this.#skipSpace();
      if (!this.#takes(":")) this.#fail('expected ":"');
      this.#skipSpace();
      object[name] = this.#value();
      this.#skipSpace();
      if (this.#takes("}")) return object;
      if (!this.#takes(",")) this.#fail('expected "," or "}"');
      this.#skipSpace();
    }
  }

  #array(): Json[] {
    const array: Json[] = [];
    if (this.#takes("]")) return array;
    for (;;) {
      array.push(this.#value());
      this.#skipSpace();
      if (this.#takes("]")) return array;
      if (!this.#takes(",")) this.#fail('expected "," or "]"');
      this.#skipSpace();
    }
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #word(word: string, value: Json): Json {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("expected a value");
    this.#at += word.length;
    return value;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) this.#fail("expected a value");
    const value = Number(digits);
    if (!Number.isFinite(value)) this.#fail("a number is beyond what a double holds");
    this.#at += digits.length;
    return value;
  }

  #string(): string {
    const start = this.#at;
    STRING_END.lastIndex = start + 1;
    let isPlain = true;
    for (;;) {
      const end = STRING_END.exec(this.#text)?.index ?? this.#text.length;
      this.#at = end;
      const code = this.#text.charCodeAt(end);
      if (code === 0x22) break;
      if (code !== 0x5c) this.#fail("a string is not closed, or holds a control character");
      isPlain = false;
      STRING_END.lastIndex = end + 2;
    }
    this.#at++;
    if (isPlain) return this.#text.slice(start + 1, this.#at - 1);
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string; // A JSON text that begins and ends with a quote is a string.
    } catch {
      this.#at = start;
      return this.#fail("a string has an escape that JSON does not know");
    }
  }
}
