import { type Element } from "domhandler";
import { hashOf, type TextCount } from "./text-count.ts";

/** What is longer is no phrase that pages share; in words. */
export const MAX_PHRASE_WORDS = 8;
/** Names beyond this are not looked at; in characters. */
const MAX_NAMES_LENGTH = 400;
/** Attribute values that are remembered; a site has some hundred. */
const MAX_REMEMBERED = 5000;
/** A sum over the names of an element is bounded by this. */
const MAX_SAID = 6;

/** Kinds of things that have log-odds; each thing's key is a hash of kind and text. */
export type Kind = "name" | "phrase" | "heading" | "first" | "last" | "word";

const SALT: Readonly<Record<Kind, number>> = {
  name: 0,
  phrase: 0x9e3779b9,
  heading: 0x7f4a7c15,
  first: 0x94d049bb,
  last: 0xbf58476d,
  word: 0x2545f491,
};

/** The key of a thing within the table of log-odds. */
export function keyOf(kind: Kind, hash: number): number {
  return (hash ^ SALT[kind]) >>> 0;
}

/**
 * Log-odds of being content, learned: of words in classes, ids, roles and properties, of whole short texts, of headings
 * above, and of first and last words. What it does not know says 0.
 */
export class Lexicon {
  readonly #odds: ReadonlyMap<number, number>;
  readonly #remembered = new Map<string, number>();

  constructor(odds: ReadonlyMap<number, number>) {
    this.#odds = odds;
  }

  /** What an element's own names say, summed up. */
  names(element: Element): number {
    const text = namesOf(element);
    if (text === "") return 0;
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    let sum = 0;
    for (const hash of nameHashes(text)) sum += this.#of("name", hash);
    const said = Math.max(-MAX_SAID, Math.min(MAX_SAID, sum));
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, said);
    return said;
  }

  phrase(hash: number, words: number): number {
    return words > MAX_PHRASE_WORDS ? 0 : this.#of("phrase", hash >>> 0);
  }

  heading(hash: number, words: number): number {
    return words > MAX_PHRASE_WORDS ? 0 : this.#of("heading", hash >>> 0);
  }

  /** What the words of a text say: the mean, and the mean of the lowest few. */
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

  /** What the first two words and the last one say. */
  ends(count: TextCount): { readonly first: number; readonly last: number } {
    return { first: this.#of("first", firstHash(count)), last: this.#of("last", count.last) };
  }

  #of(kind: Kind, hash: number): number {
    return this.#odds.get(keyOf(kind, hash)) ?? 0;
  }
}

/** An element's class, id, role, property and, of custom ones, name. */
export function namesOf({ name, attribs }: Element): string {
  const { class: names = "", id = "", role, itemprop } = attribs;
  let text = id === "" ? names : `${names} ${id}`;
  if (text.length > MAX_NAMES_LENGTH) text = text.slice(0, MAX_NAMES_LENGTH);
  if (role !== undefined) text += ` role=${role}`;
  if (itemprop !== undefined) text += ` itemprop=${itemprop}`;
  if (name.includes("-")) text += ` <${name}`;
  return text;
}

/** Hashes of the words in names, each once: `siteNav` is `site` and `nav`, and the whole. */
export function nameHashes(text: string): Set<number> {
  const hashes = new Set<number>();
  for (const name of text.split(/\s+/)) {
    if (name === "") continue;
    const small = name.toLowerCase();
    hashes.add(hashOf(small));
    if (name.includes("=") || name.startsWith("<")) continue;
    for (const part of name.split(/[^A-Za-z]+/)) {
      for (const piece of part.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []) {
        if (piece.length > 1 && piece.length < small.length) hashes.add(hashOf(`-${piece.toLowerCase()}`));
      }
    }
  }
  return hashes;
}

/** A hash of the first two words of a text. */
export function firstHash({ hashes: [one = 0, two = 0] }: TextCount): number {
  return (Math.imul(one, 31) ^ two) >>> 0;
}
