import { type Features } from "./features.ts";

const HEADER_BYTES = 12;
/** Number of rows that pass through all trees together: their 26 kB of features stay in the CPU's first-level cache. */
const ROWS_AT_ONCE = 32;

/**
 * Log-odds below which the first of several forests decides alone: a score under 0.05. High scores decide the threshold
 * of a page, so that all forests score them.
 */
const LOW = -3;

/**
 * Boosted trees.
 * The file is little-endian. It begins with the numbers of features, of trees and of steps in a tree (32 bits each).
 * Arrays follow, with `2 ** steps` values for each tree: thresholds (float), values of leaves (float), features (byte).
 *
 * All trees are complete: all leaves have the same depth, and a leaf that was higher is repeated. The root of a tree has
 * place 1, and the children of place `n` have places `2n` and `2n + 1`. Rows then need no jumps that depend on their
 * values, and pass through a tree together. One row at a time, the scores of a median page take four times as
 * long (`npm run bench -- reader --data DIR --cost`).
 */
export class Forest {
  readonly #width: number;
  readonly #trees: number;
  readonly #depth: number;
  readonly #thresholds: Float32Array;
  readonly #leaves: Float32Array;
  readonly #features: Uint8Array;

  /** Reads the forest that begins at `start`. Throws if it has another number of features. */
  constructor(bytes: Uint8Array<ArrayBuffer>, start: number, width: number) {
    const [found = 0, trees = 0, depth = 0] = new Uint32Array(bytes.buffer.slice(start, start + HEADER_BYTES));
    if (found !== width) {
      throw new Error(`Cannot load the reader's model: it is for ${found} features, and the program has ${width}`);
    }
    this.#width = width;
    this.#trees = trees;
    this.#depth = depth;
    const nodes = trees << depth;
    const leaves = start + HEADER_BYTES + nodes * 4;
    const features = leaves + nodes * 4;
    this.#thresholds = new Float32Array(bytes.buffer.slice(start + HEADER_BYTES, leaves));
    this.#leaves = new Float32Array(bytes.buffer.slice(leaves, features));
    this.#features = new Uint8Array(bytes.buffer.slice(features, features + nodes));
  }

  /**
   * For each row, the logistic function of the sum over all trees. The trees are `parts` forests for the same target,
   * each scaled to its share. If the first forest gives a row a low score, the others do not score it. All forests for
   * all rows cost some milliseconds more on a median page (`npm run bench -- reader --data DIR --cost`).
   */
  score({ rows, values }: Features, parts = 1): Float32Array {
    const sums = new Float32Array(rows);
    const first = Math.ceil(this.#trees / parts);
    const some = new Uint32Array(ROWS_AT_ONCE);
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const end = Math.min(rows, from + ROWS_AT_ONCE);
      for (let row = from; row < end; row += 1) some[row - from] = row;
      this.#add(values, sums, some.subarray(0, end - from), [0, first]);
      let others = 0;
      for (let row = from; row < end; row += 1) {
        const sum = (sums[row] ?? 0) * parts;
        if (sum > LOW) {
          some[others] = row;
          others += 1;
        } else sums[row] = sum;
      }
      this.#add(values, sums, some.subarray(0, others), [first, this.#trees]);
    }
    for (let row = 0; row < rows; row += 1) sums[row] = 1 / (1 + Math.exp(-(sums[row] ?? 0)));
    return sums;
  }

  /** Adds the values of some trees to the sums of some rows. */
  #add(values: Float32Array, sums: Float32Array, rows: Uint32Array, [from, to]: readonly [number, number]): void {
    const width = this.#width;
    const depth = this.#depth;
    const thresholds = this.#thresholds;
    const features = this.#features;
    const leaves = this.#leaves;
    const places = new Uint16Array(rows.length);
    for (let tree = from; tree < to; tree += 1) {
      const start = tree << depth;
      const leaf = start - (1 << depth);
      places.fill(1);
      for (let step = 0; step < depth; step += 1) {
        for (let at = 0; at < rows.length; at += 1) {
          const place = places[at] ?? 0;
          const isLeft =
            (values[(rows[at] ?? 0) * width + (features[start + place] ?? 0)] ?? 0) < (thresholds[start + place] ?? 0);
          places[at] = place * 2 + 1 - Number(isLeft);
        }
      }
      for (let at = 0; at < rows.length; at += 1) {
        const row = rows[at] ?? 0;
        sums[row] = (sums[row] ?? 0) + (leaves[leaf + (places[at] ?? 0)] ?? 0);
      }
    }
  }
}
