import { type Element } from "domhandler";
import { hashOf, type TextCount } from "./text-count.ts";

/** Words of a phrase that pages share. Longer texts are not looked up. */
export const MAX_PHRASE_WORDS = 8;
/** Characters of names that are read. The rest is ignored. */
const MAX_NAMES_LENGTH = 400;
/** Attribute values that are remembered, and single names in them. A site has some hundred. */
const MAX_REMEMBERED = 5000;
/** The bound of a sum over the names of an element. */
const MAX_SAID = 6;

/** Kinds of items with log-odds. An item's key is a hash of kind and text. */
export type Kind = "name" | "phrase" | "heading" | "first" | "last" | "word";

const SALT: Readonly<Record<Kind, number>> = {
  name: 0,
  phrase: 0x9e3779b9,
  heading: 0x7f4a7c15,
  first: 0x94d049bb,
  last: 0xbf58476d,
  word: 0x2545f491,
};

interface Known {
  readonly hash: number;
  readonly odds: number;
}

/** The key of an item in the table of log-odds. */
export function keyOf(kind: Kind, hash: number): number {
  return (hash ^ SALT[kind]) >>> 0;
}

/**
 * Learned log-odds of being content: for words in classes, ids, roles and properties, for whole short texts, for
 * headings above, and for first and last words. Unknown items have log-odds of 0.
 */
export class Lexicon {
  readonly #odds: OddsTable;
  readonly #remembered = new Map<string, number>();
  /**
   * The known data of each single name. Splitting names took a third of the time for all features (`npm run bench --
   * reader`).
   */
  readonly #known = new Map<string, readonly Known[]>();

  constructor(odds: ReadonlyMap<number, number>) {
    this.#odds = new OddsTable(odds);
  }

  /** The sum of the log-odds of an element's own names. */
  names(element: Element): number {
    const text = namesOf(element);
    if (text === "") return 0;
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    let sum = 0;
    const seen: number[] = [];
    for (const name of text.split(/\s+/)) {
      for (const { hash, odds } of this.#knownOf(name)) {
        if (seen.includes(hash)) continue;
        seen.push(hash);
        sum += odds;
      }
    }
    const said = Math.max(-MAX_SAID, Math.min(MAX_SAID, sum));
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, said);
    return said;
  }

  #knownOf(name: string): readonly Known[] {
    const remembered = this.#known.get(name);
    if (remembered !== undefined) return remembered;
    const known: Known[] = [];
    for (const hash of nameHashes(name)) {
      const odds = this.#of("name", hash);
      if (odds !== 0) known.push({ hash, odds });
    }
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(name, known);
    return known;
  }

  phrase(hash: number, words: number): number {
    return words > MAX_PHRASE_WORDS ? 0 : this.#of("phrase", hash >>> 0);
  }

  heading(hash: number, words: number): number {
    return words > MAX_PHRASE_WORDS ? 0 : this.#of("heading", hash >>> 0);
  }

  /** The log-odds of a text's words: the mean, and the mean of the lowest few. */
  words(hashes: readonly number[]): { readonly mean: number; readonly low: number } {
    let [sum, low, lower, lowest] = [0, 0, 0, 0];
    for (const hash of hashes) {
      const odds = this.#of("word", hash);
      sum += odds;
      if (odds < low) {
        low = odds;
        if (low < lower) [low, lower] = [lower, low];
        if (lower < lowest) [lower, lowest] = [lowest, lower];
      }
    }
    return { mean: sum / Math.max(hashes.length, 1), low: (low + lower + lowest) / 3 };
  }

  /** The log-odds of the first two words and of the last one. */
  ends(count: TextCount): { readonly first: number; readonly last: number } {
    return { first: this.#of("first", firstHash(count)), last: this.#of("last", count.last) };
  }

  #of(kind: Kind, hash: number): number {
    return this.#odds.of(keyOf(kind, hash));
  }
}

/** The golden ratio of 2^32: it spreads keys over a table whose size is a power of two. */
const SPREAD = 0x9e3779b1;

/** Log-odds by key. A `Map` takes three times as long, since most keys are not small integers. */
class OddsTable {
  readonly #keys: Uint32Array;
  /** NaN if there is no key. */
  readonly #values: Float64Array;
  readonly #mask: number;

  constructor(odds: ReadonlyMap<number, number>) {
    let size = 2;
    while (size < odds.size * 2) size *= 2;
    this.#mask = size - 1;
    this.#keys = new Uint32Array(size);
    this.#values = new Float64Array(size).fill(Number.NaN);
    for (const [key, value] of odds) {
      const at = this.#placeOf(key);
      this.#keys[at] = key;
      this.#values[at] = value;
    }
  }

  of(key: number): number {
    const value = this.#values[this.#placeOf(key)] ?? 0;
    return Number.isNaN(value) ? 0 : value;
  }

  /** The place of a key, or the free place for it. At least half of the places are empty. */
  #placeOf(key: number): number {
    let at = (Math.imul(key, SPREAD) >>> 12) & this.#mask;
    while (this.#keys[at] !== key && !Number.isNaN(this.#values[at])) at = (at + 1) & this.#mask;
    return at;
  }
}

/** An element's class, id, role and property, and the name of a custom element. */
export function namesOf({ name, attribs }: Element): string {
  const { class: names = "", id = "", role, itemprop } = attribs;
  let text = id === "" ? names : `${names} ${id}`;
  if (text.length > MAX_NAMES_LENGTH) text = text.slice(0, MAX_NAMES_LENGTH);
  if (role !== undefined) text += ` role=${role}`;
  if (itemprop !== undefined) text += ` itemprop=${itemprop}`;
  if (name.includes("-")) text += ` <${name}`;
  return text;
}

/** Hashes of the words in names, without duplicates: `siteNav` is `site`, `nav` and the whole. */
export function nameHashes(text: string): readonly number[] {
  const hashes: number[] = [];
  for (const name of text.split(/\s+/)) if (name !== "") addName(name, hashes);
  return hashes;
}

function addName(name: string, hashes: number[]): void {
  addOnce(hashOf(name.toLowerCase()), hashes);
  if (name.includes("=") || name.startsWith("<")) return;
  for (let at = 0; at < name.length; ) {
    const end = endOfWord(name, at);
    const length = end - at;
    if (length > 1 && length < name.length) addOnce(hashOf(`-${name.slice(at, end).toLowerCase()}`), hashes);
    at = Math.max(end, at + 1);
  }
}

function addOnce(hash: number, hashes: number[]): void {
  if (!hashes.includes(hash)) hashes.push(hash);
}

/** The end of a word such as `site`, `Nav` or `HTML` that begins at a place. The place itself if there is no letter. */
function endOfWord(name: string, start: number): number {
  let end = start;
  while (isCapital(name.charCodeAt(end))) end += 1;
  // The last of several capitals begins the next word: `HTMLParser`.
  if (end - start > 1) return isSmall(name.charCodeAt(end)) ? end - 1 : end;
  while (isSmall(name.charCodeAt(end))) end += 1;
  return end;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** A hash of the first two words of a text. */
export function firstHash({ hashes: [one = 0, two = 0] }: TextCount): number {
  return (Math.imul(one, 31) ^ two) >>> 0;
}
