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

/**
 * Chooses the blocks that maximise the expected F1 over words. With scores p and words w, it is 2 Σ w p of the chosen
 * blocks, divided by the chosen words plus all words that are expected to be content. The best choice is all blocks
 * above a threshold, which depends on the page.
 */
export function choose(blocks: readonly Block[], scores: Float32Array): Choice {
  const order = Uint32Array.from(blocks.keys()).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  let content = 0;
  for (const [at, { count }] of blocks.entries()) content += count.words * (scores[at] ?? 0);
  let [gain, taken, expected, end] = [0, 0, 0, 0];
  for (const [place, at] of order.entries()) {
    const words = blocks[at]?.count.words ?? 0;
    gain += words * (scores[at] ?? 0);
    taken += words;
    const now = taken === 0 ? 0 : (2 * gain) / (taken + content);
    if (now >= expected) [expected, end] = [now, place + 1];
  }
  const chosen = new Uint8Array(blocks.length);
  for (const at of order.subarray(0, end)) chosen[at] = 1;
  return { chosen, threshold: end === 0 ? 1 : (scores[order[end - 1] ?? 0] ?? 1), expected };
}
