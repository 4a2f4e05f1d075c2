/**
 * Flow control of received data (RFC 9113 §5.2, §6.9): the number of bytes that a peer may still send on a stream or a
 * connection. Bytes are given back once they make up half of the window, so that small messages cost no frame.
 */
export class ReceiveWindow {
  #size: number;
  #left: number;
  /** Bytes that were taken and are not given back yet. */
  #taken = 0;

  /** `size`: bytes. */
  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** Counts a frame of `length` bytes. Returns false if the frame exceeds the window. */
  receive(length: number): boolean {
    this.#left -= length;
    return this.#left >= 0;
  }

  /**
   * `length` bytes no longer take memory. Returns the bytes to give back now: 0 until they make up half of the window.
   */
  take(length: number): number {
    this.#taken += length;
    if (this.#taken * 2 < this.#size) return 0;
    const given = this.#taken;
    this.#left += given;
    this.#taken = 0;
    return given;
  }

  /** Changes the window's size, and by the same amount the bytes that are left. */
  resize(by: number): void {
    this.#size += by;
    this.#left += by;
  }
}
