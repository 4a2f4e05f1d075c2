import { type Features } from "./features.ts";

/** Four numbers of 32 bits each. */
const HEADER_BYTES = 16;

/**
 * Absolute log-odds from which the first trees decide a score alone: the first fifth of the first forest, whose odds its
 * other trees raise by about the factor, or the whole first forest. tools/reader-model/train.py has the same numbers.
 */
const SURE = 3;
const DECISIONS = [
  { share: 0.2, factor: 1.7 },
  { share: 1, factor: 1 },
];

/**
 * Boosted trees.
 * The file is little-endian. It begins with the numbers of features, of trees, of steps in a tree and of thresholds (32 bits
 * each). The unit of leaves follows, then the thresholds (floats). The rest has `2 ** steps` numbers for each tree: of all
 * trees the places of their thresholds (16 bits), then the features (bytes), then the leaves in units (signed bytes).
 *
 * All trees are complete: all leaves have the same depth, and a leaf that was higher is repeated. The root of a tree has
 * place 1, and the children of place `n` have places `2n` and `2n + 1`. Rows then need no jumps that depend on their values.
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
    const header = bytes.buffer.slice(start, start + HEADER_BYTES);
    const [found = 0, trees = 0, depth = 0, known = 0] = new Uint32Array(header);
    if (found !== width) {
      throw new Error(`Cannot load the reader's model: it is for ${found} features, and the program has ${width}`);
    }
    let at = start + HEADER_BYTES;
    const next = (length: number): ArrayBuffer => bytes.buffer.slice(at, (at += length));
    const [unit = 0] = new Float32Array(next(4));
    const thresholds = new Float32Array(next(known * 4));
    const nodes = trees << depth;
    this.#width = width;
    this.#trees = trees;
    this.#depth = depth;
    this.#thresholds = Float32Array.from(new Uint16Array(next(nodes * 2)), (place) => thresholds[place] ?? 0);
    this.#features = new Uint8Array(next(nodes));
    this.#leaves = Float32Array.from(new Int8Array(next(nodes)), (leaf) => leaf * unit);
  }

  /**
   * For each row, the logistic function of the sum over all trees. The trees are `parts` forests for the same target,
   * each scaled to its share. Rows that the first trees decide do not pass through the others, which would take four times
   * as long (`npm run bench -- reader --data DIR --cost`).
   */
  score({ rows, values }: Features, parts = 1): Float32Array {
    const sums = new Float32Array(rows);
    let open = Uint32Array.from(sums.keys());
    let from = 0;
    for (const { share, factor } of DECISIONS) {
      const to = Math.round((this.#trees / parts) * share);
      this.#add(values, sums, open, [from, to]);
      from = to;
      open = open.filter((row) => {
        const sum = (sums[row] ?? 0) * parts;
        if (Math.abs(sum) <= SURE) return true;
        sums[row] = sum * factor;
        return false;
      });
    }
    this.#add(values, sums, open, [from, this.#trees]);
    return sums.map((sum) => 1 / (1 + Math.exp(-sum)));
  }

  /**
   * Adds the values of some trees to the sums of some rows. Four rows pass through a tree together, with their nodes in
   * variables. With more rows, or with nodes in an array, the scores of a median page take longer.
   */
  #add(values: Float32Array, sums: Float32Array, rows: Uint32Array, [from, to]: readonly [number, number]): void {
    const width = this.#width;
    const depth = this.#depth;
    const thresholds = this.#thresholds;
    const features = this.#features;
    const leaves = this.#leaves;
    const own = new Float32Array(4);
    for (let at = 0; at < rows.length; at += 4) {
      // In the last group, the last row fills the places that are left.
      const start = (place: number): number => (rows[Math.min(at + place, rows.length - 1)] ?? 0) * width;
      const [rowA, rowB, rowC, rowD] = [start(0), start(1), start(2), start(3)];
      own.fill(0);
      for (let index = from; index < to; index += 1) {
        const tree = index << depth;
        let a = tree + 1;
        let b = tree + 1;
        let c = tree + 1;
        let d = tree + 1;
        for (let step = 0; step < depth; step += 1) {
          a = a * 2 - tree + Number(!((values[rowA + (features[a] ?? 0)] ?? 0) < (thresholds[a] ?? 0)));
          b = b * 2 - tree + Number(!((values[rowB + (features[b] ?? 0)] ?? 0) < (thresholds[b] ?? 0)));
          c = c * 2 - tree + Number(!((values[rowC + (features[c] ?? 0)] ?? 0) < (thresholds[c] ?? 0)));
          d = d * 2 - tree + Number(!((values[rowD + (features[d] ?? 0)] ?? 0) < (thresholds[d] ?? 0)));
        }
        const leaf = 1 << depth;
        own[0] = (own[0] ?? 0) + (leaves[a - leaf] ?? 0);
        own[1] = (own[1] ?? 0) + (leaves[b - leaf] ?? 0);
        own[2] = (own[2] ?? 0) + (leaves[c - leaf] ?? 0);
        own[3] = (own[3] ?? 0) + (leaves[d - leaf] ?? 0);
      }
      for (const [place, row] of rows.subarray(at, at + 4).entries()) sums[row] = (sums[row] ?? 0) + (own[place] ?? 0);
    }
  }
}
