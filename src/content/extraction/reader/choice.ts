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

/** On a page of news, the scores of other articles are too high together. The odds of all blocks are divided by this. */
const ODDS_OF_NEWS = 3;

/**
 * Chooses the blocks that maximise the expected F1 over words: all blocks above a threshold, which depends on the page.
 * With scores p and words w, F1 is 2 Σ w p of the chosen blocks, divided by the chosen words plus all words that are
 * expected to be content.
 */
export function choose(blocks: readonly Block[], scores: Float32Array, isNews: boolean): Choice {
  const order = Uint32Array.from(blocks.keys()).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const values = expectedF1(blocks, order, scores);
  let [best, end] = [0, 0];
  for (const [place, value] of (isNews ? expectedF1(blocks, order, scores.map(lowered)) : values).entries()) {
    if (value >= best) [best, end] = [value, place + 1];
  }
  const chosen = new Uint8Array(blocks.length);
  for (const at of order.subarray(0, end)) chosen[at] = 1;
  return { chosen, threshold: end === 0 ? 1 : (scores[order[end - 1] ?? 0] ?? 1), expected: values[end - 1] ?? 0 };
}

function lowered(score: number): number {
  return score / (score + (1 - score) * ODDS_OF_NEWS);
}

/** The expected F1 of the first block of an order, of the first two blocks, and so on. */
function expectedF1(blocks: readonly Block[], order: Uint32Array, scores: Float32Array): Float64Array {
  let [content, gain, taken] = [0, 0, 0];
  for (const [at, { count }] of blocks.entries()) content += count.words * (scores[at] ?? 0);
  return Float64Array.from(order, (at) => {
    const words = blocks[at]?.count.words ?? 0;
    gain += words * (scores[at] ?? 0);
    taken += words;
    return taken === 0 ? 0 : (2 * gain) / (taken + content);
  });
}
