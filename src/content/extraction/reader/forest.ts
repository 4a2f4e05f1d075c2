import { type Features } from "./features.ts";

const HEADER_BYTES = 12;
/** Number of rows that pass through all trees together: their 26 kB of features stay in the CPU's first-level cache. */
const ROWS_AT_ONCE = 32;
/** Maximum number of steps in a tree. Each further step doubles the memory of all trees. */
const MOST_STEPS = 8;

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
 *
 * In memory all trees are complete: all leaves have the same depth, and a leaf that was higher is repeated. The root of
 * a tree has place 1, and the children of place `n` have places `2n` and `2n + 1`. Rows then need no jumps that depend
 * on their values, and pass through a tree together. One row at a time, the scores of a median page take four times as
 * long (`npm run bench -- reader --data DIR --cost`).
 */
export class Forest {
  readonly #width: number;
  readonly #trees: number;
  readonly #depth: number;
  /**
   * The feature and the threshold of each inner node, and the value of each leaf: `2 ** depth` of them for each tree.
   */
  readonly #features: Uint8Array;
  readonly #thresholds: Float32Array;
  readonly #leaves: Float32Array;

  private constructor(nodes: Nodes, width: number) {
    this.#width = width;
    this.#trees = nodes.roots.length;
    this.#depth = Math.max(...Array.from(nodes.roots, (root) => stepsBelow(nodes, root, root)));
    const size = this.#trees << this.#depth;
    this.#features = new Uint8Array(size);
    this.#thresholds = new Float32Array(size);
    this.#leaves = new Float32Array(size);
    for (const [tree, root] of nodes.roots.entries()) this.#fill(nodes, { root, start: tree << this.#depth }, root, 1);
  }

  /** Reads the forest that begins at `start`. Throws if it has another number of features. */
  static read(bytes: Uint8Array<ArrayBuffer>, start: number, width: number): Forest {
    const header = new Uint32Array(bytes.buffer.slice(start, start + HEADER_BYTES));
    const [found = 0, trees = 0, nodes = 0] = header;
    if (found !== width) {
      throw new Error(`Cannot load the reader's model: it is for ${found} features, and the program has ${width}`);
    }
    let end = start + HEADER_BYTES;
    const next = (length: number): ArrayBuffer => {
      const from = end;
      end += length;
      return bytes.buffer.slice(from, end);
    };
    const values = new Float32Array(next(nodes * 4));
    const roots = new Uint32Array(next(trees * 4));
    const features = new Uint8Array(next(nodes));
    const lefts = new Uint8Array(next(nodes));
    return new Forest({ values, roots, features, lefts }, width);
  }

  #fill(nodes: Nodes, tree: { readonly root: number; readonly start: number }, node: number, place: number): void {
    const value = nodes.values[node] ?? 0;
    const leaves = 1 << this.#depth;
    if (place >= leaves) {
      this.#leaves[tree.start + place - leaves] = value;
      return;
    }
    const left = nodes.lefts[node] ?? 0;
    if (left !== 0) {
      this.#features[tree.start + place] = nodes.features[node] ?? 0;
      this.#thresholds[tree.start + place] = value;
    }
    this.#fill(nodes, tree, left === 0 ? node : tree.root + left, place * 2);
    this.#fill(nodes, tree, left === 0 ? node : tree.root + left + 1, place * 2 + 1);
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

interface Nodes {
  readonly values: Float32Array;
  readonly roots: Uint32Array;
  readonly features: Uint8Array;
  readonly lefts: Uint8Array;
}

/** Steps from a node to the deepest leaf below it. */
function stepsBelow(nodes: Nodes, root: number, node: number, above = 0): number {
  const left = nodes.lefts[node] ?? 0;
  if (left === 0) return 0;
  if (above === MOST_STEPS) throw new Error(`Cannot load the reader's model: a tree has more than ${MOST_STEPS} steps`);
  const [one, other] = [root + left, root + left + 1];
  return 1 + Math.max(stepsBelow(nodes, root, one, above + 1), stepsBelow(nodes, root, other, above + 1));
}
