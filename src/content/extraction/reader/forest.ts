import { type Features } from "./features.ts";

const HEADER_BYTES = 12;
/** Rows that pass through all trees together: their 26 kB of features stay in the CPU's first-level cache. */
const ROWS_AT_ONCE = 32;

/**
 * Log-odds below which the first of several forests decides alone: a score under 0.05. High scores decide the threshold
 * of a page, so that all forests score them.
 */
const LOW = -3;

/**
 * Boosted trees.
 * The file is little-endian. It begins with the numbers of features, of trees and of nodes (32 bits each). Arrays follow:
 * thresholds or leaf values of all nodes (float), each tree's first node (32 bits), and the nodes' features (byte). The
 * last array is the offset of each node's left child in its tree (byte; 0 for a leaf). A right child follows its left
 * sibling.
 */
export class Forest {
  readonly #width: number;
  readonly #values: Float32Array;
  readonly #roots: Uint32Array;
  readonly #features: Uint8Array;
  readonly #lefts: Uint8Array;

  private constructor(bytes: Uint8Array<ArrayBuffer>, start: number, width: number) {
    const header = new Uint32Array(bytes.buffer.slice(start, start + HEADER_BYTES));
    const [found = 0, trees = 0, nodes = 0] = header;
    if (found !== width) {
      throw new Error(`Cannot load the reader's model: it is for ${found} features, and the program has ${width}`);
    }
    let at = start + HEADER_BYTES;
    const next = (length: number): ArrayBuffer => {
      const from = at;
      at += length;
      return bytes.buffer.slice(from, at);
    };
    this.#width = width;
    this.#values = new Float32Array(next(nodes * 4));
    this.#roots = new Uint32Array(next(trees * 4));
    this.#features = new Uint8Array(next(nodes));
    this.#lefts = new Uint8Array(next(nodes));
  }

  /** Reads the forest that begins at `start`. Throws if it has another number of features. */
  static read(bytes: Uint8Array<ArrayBuffer>, start: number, width: number): { forest: Forest; end: number } {
    const forest = new Forest(bytes, start, width);
    return { forest, end: start + HEADER_BYTES + forest.#values.length * 6 + forest.#roots.length * 4 };
  }

  /**
   * For each row, the logistic function of the sum over all trees. The trees are `parts` forests for the same target,
   * each scaled to its share. If the first forest gives a row a low score, the others do not score it. All forests for
   * all rows cost some milliseconds more on a median page (`npm run bench -- reader --data DIR --cost`).
   */
  score({ rows, values }: Features, parts = 1): Float32Array {
    const sums = new Float32Array(rows);
    const first = Math.ceil(this.#roots.length / parts);
    for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
      const some = Array.from({ length: Math.min(ROWS_AT_ONCE, rows - from) }, (_none, at) => from + at);
      this.#add(values, sums, some, this.#roots.subarray(0, first));
      const others = some.filter((row) => (sums[row] ?? 0) * parts > LOW);
      for (const row of some) if ((sums[row] ?? 0) * parts <= LOW) sums[row] = (sums[row] ?? 0) * parts;
      if (others.length > 0) this.#add(values, sums, others, this.#roots.subarray(first));
    }
    for (let row = 0; row < rows; row += 1) sums[row] = 1 / (1 + Math.exp(-(sums[row] ?? 0)));
    return sums;
  }

  /** Adds the values of some trees to the sums of some rows. */
  #add(values: Float32Array, sums: Float32Array, rows: readonly number[], roots: Uint32Array): void {
    const width = this.#width;
    const nodeValues = this.#values;
    const lefts = this.#lefts;
    const features = this.#features;
    for (const root of roots) {
      for (const row of rows) {
        const start = row * width;
        let node = root;
        for (let left = lefts[node] ?? 0; left !== 0; left = lefts[node] ?? 0) {
          const value = values[start + (features[node] ?? 0)] ?? 0;
          node = root + left + (value < (nodeValues[node] ?? 0) ? 0 : 1);
        }
        sums[row] = (sums[row] ?? 0) + (nodeValues[node] ?? 0);
      }
    }
  }
}
