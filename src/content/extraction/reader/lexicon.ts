import { type Element } from "domhandler";
import { hashOf, type TextCount } from "./text-count.ts";

/** Maximum number of words of a phrase that is looked up. */
export const MAX_PHRASE_WORDS = 8;
/** Maximum number of characters of names that are read. The rest is ignored. */
const MAX_NAMES_LENGTH = 400;
/** Maximum absolute value of the sum over an element's names. */
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

/** The key of an item in the table of log-odds. */
export function keyOf(kind: Kind, hash: number): number {
  return hash ^ SALT[kind];
}

/**
 * Learned log-odds of being content: for words in classes, ids, roles and properties, for whole short texts, for
 * headings above, and for first and last words. Unknown items have log-odds of 0.
 */
export class Lexicon {
  readonly #odds: ReadonlyMap<number, number>;

  constructor(odds: ReadonlyMap<number, number>) {
    this.#odds = odds;
  }

  /** The sum of the log-odds of an element's names (`namesOf`). */
  names(text: string, known: KnownNames): number {
    let sum = 0;
    for (const hash of nameHashes(text, known)) sum += this.#of("name", hash);
    return Math.max(-MAX_SAID, Math.min(MAX_SAID, sum));
  }

  phrase(kind: "phrase" | "heading", { hash, words }: TextCount): number {
    return words > MAX_PHRASE_WORDS ? 0 : this.#of(kind, hash);
  }

  /** The mean log-odds of a text's words, and the mean of the lowest few. */
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

  /** The log-odds of the first two words together, and of the last word. */
  ends(count: TextCount): { readonly first: number; readonly last: number } {
    return { first: this.#of("first", firstHash(count)), last: this.#of("last", count.last) };
  }

  #of(kind: Kind, hash: number): number {
    return this.#odds.get(keyOf(kind, hash)) ?? 0;
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

/** Class names with dashes between the words of camel case. */
export function dashed(names: string): string {
  return names.slice(0, MAX_NAMES_LENGTH).replace(/([a-z\d])([A-Z])/g, "$1-$2");
}

/** The words of a name: `siteNav` has `site` and `Nav`, `HTMLParser` has `HTML` and `Parser`. */
const WORD = /[A-Z]+(?=[A-Z][a-z])|[A-Z]{2,}|[A-Z]?[a-z]+/g;

/** The hashes of names that a page has used before. */
export type KnownNames = Map<string, readonly number[]>;

/** Hashes of the names in a text and of their words, in lower case. */
export function nameHashes(text: string, known: KnownNames = new Map()): readonly number[] {
  const hashes: number[] = [];
  for (const name of text.split(/\s+/)) {
    if (name === "") continue;
    for (const hash of known.getOrInsertComputed(name, hashesOf)) if (!hashes.includes(hash)) hashes.push(hash);
  }
  return hashes;
}

function hashesOf(name: string): number[] {
  const hashes = [hashOf(name.toLowerCase())];
  if (name.startsWith("<") || name.includes("=")) return hashes;
  for (const word of name.match(WORD) ?? []) {
    if (word.length > 1 && word.length < name.length) hashes.push(hashOf(`-${word.toLowerCase()}`));
  }
  return hashes;
}

/** A hash of the first two words of a text. */
export function firstHash({ hashes: [one = 0, two = 0] }: TextCount): number {
  return (Math.imul(one, 31) ^ two) >>> 0;
}
