/**
 * What a peer may still send on a stream, or on a connection (RFC 9113 §5.2, §6.9). It grows again by halves, so that small
 * messages cost no frame.
 */
export class ReceiveWindow {
  #size: number;
  #left: number;
  /** Bytes that were taken, and not yet given back. */
  #taken = 0;

  /** `size`: bytes. */
  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** A frame of `length` bytes has come; false where it was too large. */
  receive(length: number): boolean {
    this.#left -= length;
    return this.#left >= 0;
  }

  /** `length` bytes need no memory any more. Returns the bytes to give back now, 0 while they are few. */
  take(length: number): number {
    this.#taken += length;
    if (this.#taken * 2 < this.#size) return 0;
    const given = this.#taken;
    this.#left += given;
    this.#taken = 0;
    return given;
  }

  /** The window's size changes, with what is left of it. */
  resize(by: number): void {
    this.#size += by;
    this.#left += by;
  }
}
