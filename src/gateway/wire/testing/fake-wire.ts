import { type Wire, type WireHandler } from "../wire.ts";

/** A wire without a socket: takes of each write what it is told to, and keeps it. */
export class FakeWire implements Wire {
  remoteAddress: string | undefined = "127.0.0.1";
  data: WireHandler = { onData() {}, onDrain() {}, onEnd() {}, onClose() {} };
  /** Bytes that each of the next writes takes; a write beyond the list takes all. */
  takes: number[] = [];
  paused = false;
  ended = false;
  closed = false;
  /** Closed by a reset, which drops what the peer has not got yet. */
  cut = false;
  /** Called where a real socket tells its handler, at once, that it is closed. */
  onClose: (() => void) | undefined;
  readonly #taken: Buffer[] = [];

  write(data: Uint8Array, byteOffset: number, byteLength: number): number {
    if (this.closed) return -1;
    const take = Math.min(this.takes.shift() ?? byteLength, byteLength);
    // A copy, since the caller may use its buffer again.
    this.#taken.push(Buffer.from(data.subarray(byteOffset, byteOffset + take)));
    return take;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  shutdown(): void {
    this.ended = true;
  }

  close(): void {
    if (this.closed) return;
    this.ended = true;
    this.closed = true;
    this.onClose?.();
  }

  terminate(): void {
    if (this.closed) return;
    this.cut = true;
    this.closed = true;
    this.onClose?.();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#taken);
  }

  get text(): string {
    return this.bytes.toString("latin1");
  }
}
