import { JoinedPieces } from "../../../lib/memory/joined-pieces.ts";
import { MAX_EDITED_BYTES } from "../module/proxy-wasm-bounds.ts";

const NOTHING = new Uint8Array(0);

/** The bytes of a body that a filter reads and changes. */
export class BodyBytes {
  /** The bytes that the filter has read, in one buffer with room for more. */
  #room = NOTHING;
  #joined = 0;
  /** The pieces that have arrived since then. */
  readonly #pieces = new JoinedPieces();
  #length = 0;
  #isChanged = false;

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#room.length + this.#length - this.#joined;
  }

  /** True if the filter has changed the bytes since the last `take`. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  append(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.add(piece);
    this.#length += piece.length;
  }

  /** A view of up to `length` bytes from `start` on. It is valid until the bytes change. */
  view(start: number, length: number): Uint8Array {
    return this.#whole().subarray(start, Math.min(start + length, this.#length));
  }

  /** Replaces `length` bytes from `start` on. Returns false if the body would become too long. */
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

  /** A filter can read the whole body after each tiny piece. Joining it again each time would take quadratic time. */
  #grow(): void {
    if (this.#length <= this.#room.length) return;
    const grown = new Uint8Array(Math.max(this.#length, 2 * this.#room.length));
    grown.set(this.#room.subarray(0, this.#joined));
    this.#room = grown;
  }
}
