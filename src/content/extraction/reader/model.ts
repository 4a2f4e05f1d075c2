import { readFileSync } from "node:fs";
import { WIDTH } from "./feature-names.ts";
import { type Features } from "./features.ts";
import { Forest } from "./forest.ts";
import { Lexicon } from "./lexicon.ts";

/** "TRM" and the version of the file format. */
const MAGIC = 0x54524d06;
const HEADER_BYTES = 8;
/** Number of forests. tools/reader-model/train.py has the same number. */
const FORESTS = 3;

/**
 * The log-odds of names and phrases, and the forests that score a block by its features.
 * The file is little-endian: magic and number of items (32 bits each), keys of the items (32 bits), their log-odds in
 * sixteenths (signed byte), then the trees of all forests. @internal
 */
export class ReaderModel {
  readonly lexicon: Lexicon;
  readonly #forest: Forest;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const [magic, things = 0] = new Uint32Array(bytes.buffer.slice(0, HEADER_BYTES));
    if (magic !== MAGIC) throw new Error("Cannot load the reader's model: it is for another version of the program");
    const keys = new Int32Array(bytes.buffer.slice(HEADER_BYTES, HEADER_BYTES + things * 4));
    const endOfOdds = HEADER_BYTES + things * 5;
    const odds = new Int8Array(bytes.buffer.slice(HEADER_BYTES + things * 4, endOfOdds));
    this.lexicon = new Lexicon(new Map(Array.from(keys, (key, place) => [key, (odds[place] ?? 0) / 16])));
    this.#forest = new Forest(bytes, endOfOdds, WIDTH);
  }

  /** Estimates the share of each block's words that is content, from the block's features. */
  score(features: Features): Float32Array {
    return this.#forest.score(features, FORESTS);
  }
}

let loaded: ReaderModel | undefined;

/** The model in the program's package. It is read once. */
export function readerModel(): ReaderModel {
  loaded ??= new ReaderModel(new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url))));
  return loaded;
}
