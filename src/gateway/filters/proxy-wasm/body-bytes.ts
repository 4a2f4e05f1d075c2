import { JoinedPieces } from "../joined-pieces.ts";
import { MAX_EDITED_BYTES } from "./bounds.ts";

const NOTHING = new Uint8Array(0);

/** Bytes of a body that a filter looks at and changes. */
export class BodyBytes {
  /** What the filter has looked at, in one piece of memory with room for more. */
  #room = NOTHING;
  #joined = 0;
  /** What has come since. */
  readonly #pieces = new JoinedPieces();
  #length = 0;
  #isChanged = false;

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that they take. */
  get memory(): number {
    return this.#room.length + this.#length - this.#joined;
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

  /** A view of the bytes from `start` on, `length` at most, until they change. */
  view(start: number, length: number): Uint8Array {
    return this.#whole().subarray(start, Math.min(start + length, this.#length));
  }

  /** Puts bytes in the place of `length` bytes from `start` on. False: they would be too many. */
  splice(start: number, length: number, bytes: Uint8Array): boolean {
    const from = Math.min(start, this.#length);
    const to = Math.min(from + length, this.#length);
    if (this.#length - (to - from) + bytes.length > MAX_EDITED_BYTES) return false;
    const whole = this.#whole();
    this.take();
    this.#pieces.replace([whole.subarray(0, from), bytes, whole.subarray(to)].filter((piece) => piece.length > 0));
    this.#length = whole.length + bytes.length - (to - from);
    this.#isChanged = true;
    return true;
  }

  /** Takes all pieces out. */
  take(): Uint8Array[] {
    const pieces = this.#pieces.replace([]);
    if (this.#joined > 0) pieces.unshift(this.#room.subarray(0, this.#joined));
    this.#room = NOTHING;
    this.#joined = 0;
    this.#length = 0;
    this.#isChanged = false;
    return pieces;
  }

  #whole(): Uint8Array {
    const { list } = this.#pieces;
    const [first] = list;
    if (this.#joined === 0 && list.length === 1 && first !== undefined) return first;
    this.#grow();
    for (const piece of this.#pieces.replace([])) {
      this.#room.set(piece, this.#joined);
      this.#joined += piece.length;
    }
    return this.#room.subarray(0, this.#joined);
  }

  /** A filter may look at all after each tiny piece: joining all again each time would take quadratic time. */
  #grow(): void {
    if (this.#length <= this.#room.length) return;
    const grown = new Uint8Array(Math.max(this.#length, 2 * this.#room.length));
    grown.set(this.#room.subarray(0, this.#joined));
    this.#room = grown;
  }
}
