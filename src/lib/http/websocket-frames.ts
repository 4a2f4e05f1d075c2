/** A Close frame of a server with the status 1001, "going away" (RFC 6455 §5.5.1 and §7.4.1). */
export const GOING_AWAY = Uint8Array.of(0x88, 2, 0x03, 0xe9);

const CLOSE = 8;
/** Bytes of the longest frame header: two, a length of eight, and a mask of four. */
const HEADER_BYTES = 14;

/** Follows the frames of one direction of a WebSocket connection (RFC 6455 §5.2), without reading their content. */
export class FrameCursor {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerLength = 0;
  /** Bytes of the payload that are still to come. */
  #left = 0;
  sawClose = false;

  /** True before the first byte of a frame. */
  get isBetweenFrames(): boolean {
    return this.#headerLength === 0 && this.#left === 0;
  }

  /** Follows bytes, and returns the index behind the last one. With `stops`, it returns after the frame that is under way. */
  read(chunk: Uint8Array, start: number, end: number, stops: boolean): number {
    let at = start;
    while (at < end) {
      if (stops && this.isBetweenFrames) break;
      if (this.#left > 0) {
        const step = Math.min(this.#left, end - at);
        this.#left -= step;
        at += step;
      } else this.#readHeader(chunk[at++] ?? 0);
    }
    return at;
  }

  #readHeader(byte: number): void {
    const header = this.#header;
    header[this.#headerLength++] = byte;
    const [first = 0, second = 0] = header;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    if (this.#headerLength < 2 || this.#headerLength < 2 + lengthBytes + (second > 0x7f ? 4 : 0)) return;
    if ((first & 0x0f) === CLOSE) this.sawClose = true;
    this.#left = lengthBytes === 0 ? short : 0;
    for (let i = 2; i < 2 + lengthBytes; i++) this.#left = this.#left * 256 + (header[i] ?? 0);
    this.#headerLength = 0;
  }
}
