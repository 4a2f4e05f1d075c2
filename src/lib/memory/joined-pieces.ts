/** Pieces below this length are joined, because each would take more memory than it holds. */
const SMALL_BYTES = 1024;
/** The length of the block for small pieces: at first, and at most. */
const FIRST_BYTES = 256;
const BLOCK_BYTES = 16_384;

const NOTHING = new Uint8Array(0);

/** The pieces of a body. A peer can send a body of megabytes byte by byte, and each object takes a hundred bytes. */
export class JoinedPieces {
  #pieces: Uint8Array[] = [];
  #block = NOTHING;
  #used = 0;

  get list(): readonly Uint8Array[] {
    return this.#pieces;
  }

  add(piece: Uint8Array): void {
    if (piece.length < SMALL_BYTES) this.#join(piece);
    else this.#pieces.push(piece);
  }

  /** Copies a piece of memory that changes, or that is much larger. */
  addCopy(piece: Uint8Array): void {
    this.add(piece.length < SMALL_BYTES ? piece : new Uint8Array(piece));
  }

  joined(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.#pieces);
  }

  /** Replaces all pieces by these, and returns the earlier ones. */
  replace(pieces: Uint8Array[]): Uint8Array[] {
    const before = this.#pieces;
    this.#pieces = pieces;
    this.#block = NOTHING;
    this.#used = 0;
    return before;
  }

  #join(piece: Uint8Array): void {
    if (this.#used + piece.length > this.#block.length) {
      const doubled = Math.max(FIRST_BYTES, 2 * this.#block.length, piece.length);
      this.#block = new Uint8Array(Math.min(doubled, BLOCK_BYTES));
      this.#used = 0;
    }
    const [block, start, end] = [this.#block, this.#used, this.#used + piece.length];
    block.set(piece, start);
    this.#used = end;
    const last = this.#pieces.at(-1);
    const follows = last?.buffer === block.buffer && last.byteOffset + last.length === start;
    if (follows) this.#pieces[this.#pieces.length - 1] = block.subarray(last.byteOffset, end);
    else this.#pieces.push(block.subarray(start, end));
  }
}
