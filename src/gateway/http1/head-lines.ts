import { type Fields } from "../../lib/http/fields.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type FieldScan } from "./field-scan.ts";

/** Bytes of a read that a head may keep in memory as long as it lives. Of a larger read it keeps texts. @bound */
const MAX_KEPT_BYTES = 16_384;

const NO_BYTES = new Uint8Array(0);

/**
 * The lines of a received head that are passed on. They stay bytes until they are read, because most are only forwarded: a
 * text costs a call into the runtime, 100 to 300 bytes, and a twentieth of a request's time (bench http1).
 */
export abstract class HeadLines {
  /** Empty if the parts are texts. */
  readonly #bytes: Uint8Array;
  /** The text; undefined while there are only bytes. */
  #fields: Fields | undefined;
  /** Starts and ends of the lines. */
  readonly #runs: readonly number[];

  /** Takes the lines that the scan of `bytes` passes on. The bytes never change. */
  constructor(bytes: Uint8Array, scan: FieldScan) {
    const isKept = bytes.length <= MAX_KEPT_BYTES;
    this.#bytes = isKept ? bytes : NO_BYTES;
    this.#fields = isKept && !scan.isText ? undefined : scan.fields;
    this.#runs = scan.runs;
  }

  protected get keepsBytes(): boolean {
    return this.#bytes !== NO_BYTES;
  }

  get fields(): Fields {
    if (this.#fields === undefined) {
      this.#fields = "";
      for (let i = 0; i < this.#runs.length; i += 2)
        this.#fields += this.textOf(this.#runs[i] ?? 0, this.#runs[i + 1] ?? 0);
    }
    return this.#fields;
  }
  set fields(fields: Fields) {
    this.#fields = fields;
  }

  addFields(pieces: TextPieces): void {
    if (this.#fields !== undefined) pieces.add(this.#fields);
    else for (let i = 0; i < this.#runs.length; i += 2) this.add(pieces, this.#runs[i] ?? 0, this.#runs[i + 1] ?? 0);
  }

  /** The kept bytes from `start` to `end` as text. */
  protected textOf(start: number, end: number): string {
    return latin1Text(this.#bytes, start, end);
  }

  /** Adds the kept bytes from `start` to `end`. */
  protected add(pieces: TextPieces, start: number, end: number): void {
    pieces.addBytes(this.#bytes, start, end);
  }
}
