import { JoinedPieces } from "../joined-pieces.ts";
import { MAX_EDITED_BYTES } from "./bounds.ts";

/** Bytes of a body that a filter looks at and changes. */
export class BodyBytes {
  readonly #pieces = new JoinedPieces();
  #length = 0;
  #isChanged = false;

  get length(): number {
    return this.#length;
  }

  /** The filter has changed them since they were taken. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  append(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.add(piece);
    this.#length += piece.length;
  }

  /** A view of the bytes from `start` on, `length` at most. */
  view(start: number, length: number): Uint8Array {
    return this.#whole().subarray(start, Math.min(start + length, this.#length));
  }

  /** Puts bytes in the place of `length` bytes from `start` on. False: they would be too many. */
  splice(start: number, length: number, bytes: Uint8Array): boolean {
    const from = Math.min(start, this.#length);
    const to = Math.min(from + length, this.#length);
    if (this.#length - (to - from) + bytes.length > MAX_EDITED_BYTES) return false;
    const whole = this.#whole();
    this.#pieces.replace([whole.subarray(0, from), bytes, whole.subarray(to)].filter((piece) => piece.length > 0));
    this.#length += bytes.length - (to - from);
    this.#isChanged = true;
    return true;
  }

  /** Takes all pieces out. */
  take(): Uint8Array[] {
    const pieces = this.#pieces.replace([]);
    this.#length = 0;
    this.#isChanged = false;
    return pieces;
  }

  #whole(): Uint8Array {
    const { list } = this.#pieces;
    const [first] = list;
    if (list.length === 1 && first !== undefined) return first;
    const whole = Buffer.concat(list);
    this.#pieces.replace(whole.length === 0 ? [] : [whole]);
    return whole;
  }
}
