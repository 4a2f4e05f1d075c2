/**
 * Finds the positions of the parts of a JSON text, so that some parts can be replaced and all others stay unchanged.
 */

/** A member of an object or an item of a list. `start` is the start of its key, if it has one. */
export interface JsonPart {
  readonly start: number;
  readonly end: number;
  /** Undefined for an item. */
  readonly key: string | undefined;
  readonly value: JsonNode;
}

/** A value in the text, from `start` up to `end`. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly kind: "object" | "array" | "scalar";
  readonly parts: readonly JsonPart[];
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[^\s,\]}]+/y;

/** The tree of a text that JSON.parse accepts. */
export function jsonTree(text: string): JsonNode {
  return new TreeBuilder(text).value();
}

class TreeBuilder {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsonNode {
    this.#take(SPACE);
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{" || first === "[") return this.#container(start, first === "{" ? "object" : "array");
    this.#take(first === '"' ? STRING : WORD);
    return { start, end: this.#at, kind: "scalar", parts: [] };
  }

  #container(start: number, kind: "object" | "array"): JsonNode {
    const parts: JsonPart[] = [];
    this.#at++;
    this.#take(SPACE);
    while (!"]}".includes(this.#text[this.#at] ?? "}")) {
      parts.push(this.#part(kind === "object"));
      this.#take(SPACE);
      if (this.#text[this.#at] === ",") this.#at++;
      this.#take(SPACE);
    }
    this.#at++;
    return { start, end: this.#at, kind, parts };
  }

  #part(hasKey: boolean): JsonPart {
    const start = this.#at;
    let key: string | undefined;
    if (hasKey) {
      key = String(JSON.parse(this.#take(STRING)));
      this.#take(SPACE);
      this.#at++;
    }
    const value = this.value();
    return { start, end: value.end, key, value };
  }

  /** Takes the text that matches the pattern at the current position. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }
}
