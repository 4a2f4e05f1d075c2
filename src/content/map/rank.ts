import { stemsOf } from "../search/index/words.ts";
import { type MapLink } from "./link-list.ts";
import { percentDecoded } from "../../lib/http/percent.ts";

/** Points of a word in the title, in the address, and at the beginning of a word of either. */
const IN_TITLE = 3;
const IN_ADDRESS = 2;
const BEGINS = 1;
/** Characters of the shortest word that may be the beginning of another. */
const MIN_PREFIX = 3;
/** Points of the best page of the index, for each word. */
const IN_TEXT = 3;

/** Scores addresses by the words of a search. */
export class LinkRanking {
  readonly #words: readonly string[];
  readonly #indexed: ReadonlyMap<string, number>;

  /** `indexed` has pages whose text has the words, the best first. */
  constructor(search: string, indexed: readonly string[]) {
    this.#words = [...new Set(wordsOf(search))];
    this.#indexed = new Map(indexed.map((url, at) => [url, 1 - at / indexed.length]));
  }

  /** The score of an address; 0 without any of the words. */
  score({ url, title = "" }: MapLink): number {
    const { hostname, pathname, search } = new URL(url);
    const address = wordsOf(`${hostname} ${percentDecoded(pathname + search)}`);
    const titled = new Set(wordsOf(title));
    const found = this.#words.reduce((sum, word) => sum + points(word, titled, new Set(address)), 0);
    const score = found + IN_TEXT * this.#words.length * (this.#indexed.get(url) ?? 0);
    // Of two pages with the same words, the one with the fewest others is closer.
    return score === 0 ? 0 : score + 1 / (1 + address.length);
  }
}

function points(word: string, title: ReadonlySet<string>, address: ReadonlySet<string>): number {
  const whole = (title.has(word) ? IN_TITLE : 0) + (address.has(word) ? IN_ADDRESS : 0);
  if (whole > 0 || word.length < MIN_PREFIX) return whole;
  return [...title, ...address].some((other) => other.startsWith(word)) ? BEGINS : 0;
}

function wordsOf(text: string): string[] {
  return stemsOf(text, "");
}
