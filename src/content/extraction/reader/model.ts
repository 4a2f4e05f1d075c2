import { readFileSync } from "node:fs";
import { WIDTH } from "./feature-names.ts";
import { type Features } from "./features.ts";
import { Lexicon } from "./lexicon.ts";

/** "TRM" and the version of the file's layout. */
const MAGIC = 0x54524d01;
const HEADER_BYTES = 20;

/**
 * Boosted trees, and the log-odds of names and phrases. The file, little-endian: magic, number of features, of trees, of
 * nodes, of things (each 32 bits); then arrays: thresholds or leaf values of all nodes (float), keys of things (32 bits), each
 * tree's first node (32 bits), the things' log-odds in sixteenths (signed byte), the nodes' features (byte), and where a node's
 * left child is within its tree (byte; 0 for a leaf). A right child follows the left one.
 */
export class ReaderModel {
  readonly lexicon: Lexicon;
  readonly #values: Float32Array;
  readonly #roots: Uint32Array;
  readonly #features: Uint8Array;
  readonly #lefts: Uint8Array;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const [magic, width, trees = 0, nodes = 0, things = 0] = new Uint32Array(bytes.buffer.slice(0, HEADER_BYTES));
    if (magic !== MAGIC || width !== WIDTH) {
      throw new Error(`Cannot load the reader's model: it is for ${width} features, and the program has ${WIDTH}`);
    }
    let at = HEADER_BYTES;
    const next = (length: number): ArrayBuffer => {
      const start = at;
      at += length;
      return bytes.buffer.slice(start, at);
    };
    this.#values = new Float32Array(next(nodes * 4));
    const keys = new Uint32Array(next(things * 4));
    this.#roots = new Uint32Array(next(trees * 4));
    const odds = new Int8Array(next(things));
    this.#features = new Uint8Array(next(nodes));
    this.#lefts = new Uint8Array(next(nodes));
    const said = new Map<number, number>();
    for (const [place, key] of keys.entries()) said.set(key, (odds[place] ?? 0) / 16);
    this.lexicon = new Lexicon(said);
  }

  /** The share of each block's words that is content, as far as the model can tell. */
  score({ rows, values }: Features): Float32Array {
    const sums = new Float32Array(rows);
    const nodeValues = this.#values;
    const lefts = this.#lefts;
    const features = this.#features;
    for (const root of this.#roots) {
      for (let row = 0; row < rows; row += 1) {
        const start = row * WIDTH;
        let node = root;
        for (let left = lefts[node] ?? 0; left !== 0; left = lefts[node] ?? 0) {
          const value = values[start + (features[node] ?? 0)] ?? 0;
          node = root + left + (value < (nodeValues[node] ?? 0) ? 0 : 1);
        }
        sums[row] = (sums[row] ?? 0) + (nodeValues[node] ?? 0);
      }
    }
    for (let row = 0; row < rows; row += 1) sums[row] = 1 / (1 + Math.exp(-(sums[row] ?? 0)));
    return sums;
  }
}

let loaded: ReaderModel | undefined;

/** The model that comes with the program; read once. */
export function readerModel(): ReaderModel {
  loaded ??= new ReaderModel(new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url))));
  return loaded;
}
