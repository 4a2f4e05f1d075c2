import { type Block } from "./outline.ts";

/** The blocks of a page that are chosen as its article. */
export interface Choice {
  /** 1 for each block that is chosen. */
  readonly chosen: Uint8Array;
  /** The lowest score of a chosen block. 1 if no block is chosen. */
  readonly threshold: number;
  /** The expected F1, from 0 to 1. */
  readonly expected: number;
}

/** The number of equally likely thresholds above which an article's blocks are content. */
const CASES = 32;

/**
 * Chooses the blocks that maximise the expected F1 over words: all blocks above a threshold, which depends on the page.
 * With scores p and words w, F1 is 2 Σ w p of the chosen blocks, divided by the chosen words plus all words that are
 * expected to be content. Another article below the page's own is content as a whole or not at all. There the content
 * is all blocks above a threshold that is not known, and F1 is the mean over its cases.
 */
export function choose(blocks: readonly Block[], scores: Float32Array, isArticle: boolean): Choice {
  const order = Uint32Array.from(blocks.keys()).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  let content = 0;
  for (const [at, { count }] of blocks.entries()) content += count.words * (scores[at] ?? 0);
  const cases = casesOf(blocks, scores);
  let [gain, taken, best, expected, end] = [0, 0, 0, 0, 0];
  for (const [place, at] of order.entries()) {
    const words = blocks[at]?.count.words ?? 0;
    gain += words * (scores[at] ?? 0);
    taken += words;
    const now = taken === 0 ? 0 : (2 * gain) / (taken + content);
    const value = isArticle ? meanOf(cases, taken) : now;
    if (value >= best) [best, expected, end] = [value, now, place + 1];
  }
  const chosen = new Uint8Array(blocks.length);
  for (const at of order.subarray(0, end)) chosen[at] = 1;
  return { chosen, threshold: end === 0 ? 1 : (scores[order[end - 1] ?? 0] ?? 1), expected };
}

/** The words of the blocks above each of the thresholds. */
function casesOf(blocks: readonly Block[], scores: Float32Array): Float64Array {
  const words = new Float64Array(CASES);
  for (const [at, { count }] of blocks.entries()) {
    const above = Math.round((scores[at] ?? 0) * CASES);
    if (above > 0) words[above - 1] = (words[above - 1] ?? 0) + count.words;
  }
  for (let at = CASES - 2; at >= 0; at -= 1) words[at] = (words[at] ?? 0) + (words[at + 1] ?? 0);
  return words;
}

/** The mean F1 of the chosen words over all cases: of two sets by one order, the smaller is a part of the other. */
function meanOf(cases: Float64Array, taken: number): number {
  let sum = 0;
  for (const words of cases) if (taken > 0) sum += (2 * Math.min(taken, words)) / (taken + words);
  return sum / CASES;
}
