import { isObject } from "../../../lib/is-object.ts";
import { type Steps } from "../../../lib/slices.ts";
import { MAX_DEPTH, withoutMark } from "./json.ts";

/** Characters of a text that are read in one step. */
const STEP = 32_768;
/** Characters of a part of a text, such as a section or some routes. With a longer one, the text is not read in steps. */
const MAX_PART = 262_144;

/** A part of a list of the root, as positions in the text. `key` begins at the quote of the list's key. */
interface Part {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses a valid text of an object in steps: long lists of the root are parsed in parts. Undefined if the text must be
 * read otherwise: it is not valid, has a key twice, escaped surrogates or a number beyond a double, or is not cut into short parts.
 */
export function* parseParts(text: string, step = STEP): Steps<Record<string, unknown> | undefined> {
  const body = withoutMark(text);
  const scan = new PartScan(body, step);
  for (let end = step; scan.at < body.length; end += step) {
    scan.readTo(end);
    yield;
  }
  return scan.hasSurrogates ? undefined : yield* valueOf(body, scan);
}

/** Finds the parts of a text. It does not check the text: JSON.parse does. */
class PartScan {
  readonly parts: Part[] = [];
  /** The members of all objects, of which JSON.parse keeps the last one of a name. */
  members = 0;
  /** True if a string has an escape that begins with `\ud`, which may be half of a surrogate pair. */
  hasSurrogates = false;
  at = 0;
  readonly #text: string;
  readonly #step: number;
  #depth = 0;
  /** The beginning of the last string outside lists and objects of the root. */
  #key = 0;
  /** The beginning of a part of a list. */
  #from = -1;
  #inString = false;

  constructor(text: string, step: number) {
    this.#text = text;
    this.#step = step;
  }

  #escape(): void {
    this.at++;
    if (this.#text[this.at] === "u" && this.#text[this.at + 1]?.toLowerCase() === "d") this.hasSurrogates = true;
  }

  /** Reads at least up to `end`. */
  readTo(end: number): void {
    for (; this.at < this.#text.length && this.at < end; this.at++) {
      const code = this.#text.charCodeAt(this.at);
      if (this.#inString) {
        if (code === BACKSLASH) this.#escape();
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) {
        this.#inString = true;
        if (this.#depth === 1) this.#key = this.at;
      } else if (code === COLON) this.members++;
      else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        if (++this.#depth === 2 && code === OPEN_LIST) this.#from = this.at + 1;
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        if (--this.#depth === 1) this.#endList();
      } else if (code === COMMA && this.#depth === 2 && this.#from >= 0 && this.at - this.#from >= this.#step)
        this.#cut();
    }
  }

  #cut(): void {
    this.parts.push({ key: this.#key, from: this.#from, to: this.at });
    this.#from = this.at + 1;
  }

  /** Only a long list has parts. */
  #endList(): void {
    if (this.#from >= 0 && this.parts.at(-1)?.key === this.#key) this.#cut();
    this.#from = -1;
  }
}

function* valueOf(text: string, { parts, members }: PartScan): Steps<Record<string, unknown> | undefined> {
  if (parts.some(({ from, to }) => to - from > MAX_PART)) return undefined;
  const rest = restOf(text, parts);
  if (rest.length > MAX_PART) return undefined;
  try {
    const value: unknown = JSON.parse(rest);
    if (!isObject(value)) return undefined;
    const lists = new Map<number, unknown[]>();
    let found = membersOf(value, MAX_DEPTH);
    for (const { key, from, to } of parts) {
      const items = JSON.parse(`[${text.slice(from, to)}]`) as unknown[];
      if (items.length === 0) return undefined;
      found += membersOf(items, MAX_DEPTH - 1);
      const list = lists.getOrInsert(key, []);
      for (const item of items) list.push(item);
      yield;
    }
    const filled: Record<string, unknown> = { ...value };
    for (const [key, list] of lists) filled[keyAt(text, key)] = list;
    return found === members ? filled : undefined;
  } catch {
    // The thread reports the error with its position.
    return undefined;
  }
}

/** The text without the items of the lists that are parsed in parts. */
function restOf(text: string, parts: readonly Part[]): string {
  let rest = "";
  let at = 0;
  for (const { from, to } of parts) {
    // Between two parts of a list there is only a comma.
    if (from - 1 > at) rest += text.slice(at, from);
    at = to;
  }
  return rest + text.slice(at);
}

function keyAt(text: string, from: number): string {
  let to = from + 1;
  for (; text[to] !== '"'; to++) if (text[to] === "\\") to++;
  return String(JSON.parse(text.slice(from, to + 1)));
}

/** The number of members of all objects in a value; NaN if it has more than `most` levels, or a number beyond a double. */
function membersOf(value: unknown, most: number): number {
  if (typeof value === "number") return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== "object" || value === null) return 0;
  if (most === 0) return Number.NaN;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members)
    if (typeof member === "object" || typeof member === "number") count += membersOf(member, most - 1);
  return count;
}
