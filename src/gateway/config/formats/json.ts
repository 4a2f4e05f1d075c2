/** Levels of nested objects and lists in JSON; a text with more is refused. @operator */
export const MAX_DEPTH = 64;

/** A position in a text. Both numbers count from 1; columns are UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A parsed text, or its first error with line and column. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** Called for each member and item of a text, with its path and the offset at which it begins. */
type Visit = (path: readonly (string | number)[], offset: number) => void;

class JsonError extends Error {}

/**
 * Parses JSON (RFC 8259) after an optional byte order mark. Refuses an object with the same key twice, because it is
 * unclear which value counts. Errors have line and column (from 1) and at most one character of the text.
 */
export function parseJson(text: string): ParsedJson {
  const body = withoutMark(text);
  try {
    new Scanner(body).document();
    const value: unknown = JSON.parse(body);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof JsonError) return { ok: false, error: error.message };
    throw error;
  }
}

/** Visits every member and item of a text that `parseJson` accepts. */
export function visitJson(text: string, visit: Visit): void {
  new Scanner(withoutMark(text), visit).document();
}

/** The line and column of an offset in a text. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = withoutMark(text).slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** Returns a function that finds positions in a text as `positionAt` does, without a search from its beginning each time. */
export function positionsIn(text: string): (offset: number) => TextPosition {
  const body = withoutMark(text);
  const starts = [0];
  for (let at = body.indexOf("\n"); at >= 0; at = body.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.min(offset, body.length) - (starts[low] ?? 0) + 1 };
  };
}

/** `line 3, column 5`. */
export function positionText({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`;
}

/** True if a value has more than `most` levels of nested objects and lists. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((member) => isDeeper(member, most - 1));
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Checks a text against the grammar. JSON.parse makes the value, but does not report the position of an error. */
class Scanner {
  readonly #text: string;
  readonly #visit: Visit;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, visit: Visit = () => {}) {
    this.#text = text;
    this.#visit = visit;
  }

  document(): void {
    this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("expected the end of the file");
  }

  #value(depth: number): void {
    if (depth > MAX_DEPTH) this.#reject(`expected at most ${MAX_DEPTH} levels`);
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#object(depth);
    else if (first === "[") this.#array(depth);
    else if (first === '"') this.#string();
    else this.#word();
  }

  #object(depth: number): void {
    const keys = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#take("}")) return;
    for (;;) {
      this.#space();
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#string();
      if (keys.has(key)) this.#reject(`the key ${JSON.stringify(key)} appears twice`, start);
      keys.add(key);
      this.#space();
      if (!this.#take(":")) this.#fail('expected ":"');
      this.#part(key, start, depth);
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) this.#fail('expected "," or "}"');
    }
  }

  #array(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (let i = 0; ; i++) {
      this.#space();
      this.#part(i, this.#at, depth);
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) this.#fail('expected "," or "]"');
    }
  }

  /** Reads a member's value, or an item. */
  #part(name: string | number, start: number, depth: number): void {
    this.#path.push(name);
    this.#visit(this.#path, start);
    this.#value(depth + 1);
    this.#path.pop();
  }

  #string(): string {
    const start = this.#at;
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text.charCodeAt(this.#at) < 0x20) this.#reject("a string holds a control character or line end");
      if (this.#at >= this.#text.length) this.#reject("a string is not closed", start);
      if (this.#text[this.#at] === "\\") this.#escape();
    }
    this.#at++;
    const value: unknown = JSON.parse(this.#text.slice(start, this.#at));
    return String(value);
  }

  #escape(): void {
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.#text.slice(this.#at, this.#at + 6))) {
      this.#reject("a string holds an unknown escape");
    }
    this.#at++;
  }

  #word(): void {
    const pattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) this.#fail("expected a value");
    else this.#at += match[0].length;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #fail(expected: string): never {
    const found = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#reject(`${expected}, found ${this.#at < this.#text.length ? JSON.stringify(found) : "the end of the file"}`);
  }

  #reject(message: string, at = this.#at): never {
    throw new JsonError(`${positionText(positionAt(this.#text, at))}: ${message}`);
  }
}
