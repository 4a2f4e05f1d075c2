import { type DeclaredTexts } from "./declared-texts.ts";
import { type Block } from "./outline.ts";
import { isProse } from "./page-parts.ts";
import { TextCount } from "./text-count.ts";

/** The page's declarations outside of its visible content. */
export interface Declared extends DeclaredTexts {
  /** The descriptions in `meta` elements. */
  readonly summaries: readonly string[];
  readonly title: string;
}

/** Maximum number of words of declared texts that are read, for each kind. */
const MAX_WORDS = 20_000;

/** Compares blocks with the texts that the page declares, and with the words of its prose. */
export class Evidence {
  readonly #content: ReadonlySet<number>;
  readonly #reviews: ReadonlySet<number>;
  readonly #summaries: ReadonlySet<number>;
  readonly #people: ReadonlySet<number>;
  readonly #names: ReadonlySet<number>;
  readonly #crumbs: ReadonlySet<number>;
  readonly #title: ReadonlySet<number>;
  /** For each word, the number of prose blocks that contain it, and the last one of them. */
  readonly #prose = new Map<number, { blocks: number; last: number }>();
  /**
   * Values that are the same for all blocks: the ratio of declared word pairs to the page's words, the number of
   * declared names, and the share of the page's words that are declared as content.
   */
  readonly page: readonly number[];

  constructor(blocks: readonly Block[], declared: Declared) {
    this.#content = pairsOf(declared.content);
    this.#reviews = pairsOf(declared.reviews);
    this.#summaries = pairsOf(declared.summaries);
    this.#people = pairsOf(declared.people);
    this.#names = new Set(declared.names.map((name) => countOf(name).hash));
    this.#crumbs = new Set(declared.crumbs.map((name) => countOf(name).hash));
    this.#title = new Set(countOf(declared.title).hashes);
    let [same, all] = [0, 0];
    for (const [at, block] of blocks.entries()) {
      const { count } = block;
      all += count.words;
      if (this.#content.size > 0) same += count.words * Math.max(shareOf(count.hashes, this.#content), 0);
      if (isProse(block)) this.#addProse(count.hashes, at);
    }
    this.page = [Math.min(this.#content.size / Math.max(all, 1), 2), this.#names.size, same / Math.max(all, 1)];
  }

  #addProse(hashes: readonly number[], at: number): void {
    for (const hash of hashes) {
      const known = this.#prose.get(hash);
      if (known === undefined) this.#prose.set(hash, { blocks: 1, last: at });
      else if (known.last !== at) {
        known.blocks += 1;
        known.last = at;
      }
    }
  }

  /** A block's features, in the order of their names. */
  of(block: Block): readonly number[] {
    const { hashes, hash } = block.count;
    return [
      shareOf(hashes, this.#content),
      shareOf(hashes, this.#reviews),
      shareOf(hashes, this.#summaries),
      shareOf(hashes, this.#people),
      this.#names.has(hash) ? 1 : 0,
      this.#crumbs.has(hash) ? 1 : 0,
      this.#titleShare(hashes),
      this.#topic(block),
    ];
  }

  #titleShare(hashes: readonly number[]): number {
    if (hashes.length === 0 || this.#title.size === 0) return -1;
    let same = 0;
    for (const hash of hashes) if (this.#title.has(hash)) same += 1;
    return same / hashes.length;
  }

  /** The share of the block's words that also occur in other blocks of prose. */
  #topic(block: Block): number {
    const { hashes } = block.count;
    if (hashes.length === 0) return -1;
    const own = isProse(block) ? 1 : 0;
    let same = 0;
    for (const hash of hashes) if ((this.#prose.get(hash)?.blocks ?? 0) > own) same += 1;
    return same / hashes.length;
  }
}

function countOf(text: string): TextCount {
  const count = new TextCount();
  count.add(text, false);
  count.end();
  return count;
}

/** Hashes of all pairs of consecutive words. */
function pairsOf(texts: readonly string[]): ReadonlySet<number> {
  const pairs = new Set<number>();
  for (const text of texts) {
    const count = new TextCount(MAX_WORDS);
    count.add(text.replace(/<[^<>]{0,200}>|&#?\w{1,8};/g, " "), false);
    count.end();
    addPairs(count.hashes, pairs);
    if (pairs.size > MAX_WORDS) break;
  }
  return pairs;
}

function addPairs(hashes: readonly number[], pairs: Set<number>): void {
  for (let at = 1; at < hashes.length; at += 1) pairs.add(pairOf(hashes[at - 1] ?? 0, hashes[at] ?? 0));
}

function pairOf(one: number, two: number): number {
  return Math.imul(one, 31) ^ two;
}

/** The share of a text's word pairs that are in a set. -1 if the text or the set has no pairs. */
function shareOf(hashes: readonly number[], pairs: ReadonlySet<number>): number {
  if (hashes.length < 2 || pairs.size === 0) return -1;
  let same = 0;
  for (let at = 1; at < hashes.length; at += 1) if (pairs.has(pairOf(hashes[at - 1] ?? 0, hashes[at] ?? 0))) same += 1;
  return same / (hashes.length - 1);
}
