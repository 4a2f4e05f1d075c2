import { readFileSync } from "node:fs";
import { SECOND_WIDTH, WIDTH } from "./feature-names.ts";
import { type Features } from "./features.ts";
import { Forest } from "./forest.ts";
import { Lexicon } from "./lexicon.ts";

/** "TRM" and the version of the file's layout. */
const MAGIC = 0x54524d02;
const HEADER_BYTES = 8;

/**
 * The log-odds of names and phrases, and two forests: one scores a block by its features, the other by the first scores of
 * what is around it. The file, little-endian: magic, number of things (each 32 bits), keys of things (32 bits), the things'
 * log-odds in sixteenths (signed byte); then the forests.
 * @internal
 */
export class ReaderModel {
  readonly lexicon: Lexicon;
  readonly #first: Forest;
  readonly #second: Forest;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const [magic, things = 0] = new Uint32Array(bytes.buffer.slice(0, HEADER_BYTES));
    if (magic !== MAGIC) throw new Error("Cannot load the reader's model: it is for another version of the program");
    const keys = new Uint32Array(bytes.buffer.slice(HEADER_BYTES, HEADER_BYTES + things * 4));
    const endOfOdds = HEADER_BYTES + things * 5;
    const odds = new Int8Array(bytes.buffer.slice(HEADER_BYTES + things * 4, endOfOdds));
    const said = new Map<number, number>();
    for (const [place, key] of keys.entries()) said.set(key, (odds[place] ?? 0) / 16);
    this.lexicon = new Lexicon(said);
    const first = Forest.read(bytes, endOfOdds, WIDTH);
    this.#first = first.forest;
    this.#second = Forest.read(bytes, first.end, SECOND_WIDTH).forest;
  }

  /** The share of each block's words that is content, by what the block is and where it stands. */
  score(features: Features): Float32Array {
    return this.#first.score(features);
  }

  /** The same, by the first scores of the block and of what is around it. */
  scoreAgain(features: Features): Float32Array {
    return this.#second.score(features);
  }
}

let loaded: ReaderModel | undefined;

/** The model that comes with the program; read once. */
export function readerModel(): ReaderModel {
  loaded ??= new ReaderModel(new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url))));
  return loaded;
}
