import { sendGathered } from "../outgoing.ts";
import { type Wire, type WireHandler } from "../wire.ts";

/** A wire without a socket. It keeps the bytes that it takes from each write. */
export class FakeWire implements Wire {
  remoteAddress: string | undefined = "127.0.0.1";
  data: WireHandler = { onData() {}, onDrain() {}, onEnd() {}, onClose() {} };
  /** Bytes that it takes from each of the next writes. A write after the end of the list is taken completely. */
  takes: number[] = [];
  paused = false;
  ended = false;
  closed = false;
  /** True if it was closed by a reset, which drops bytes that the peer has not received yet. */
  cut = false;
  /** Called when the wire closes. A real socket calls its handler at once. */
  onClose: (() => void) | undefined;
  readonly #taken: Buffer[] = [];

  write(data: Uint8Array, byteOffset: number, byteLength: number): number {
    if (this.closed) return -1;
    const take = Math.min(this.takes.shift() ?? byteLength, byteLength);
    // A copy, because the caller may reuse its buffer.
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

  /** The bytes that the peer has received when this turn of the event loop ends. */
  get bytes(): Buffer {
    sendGathered();
    return Buffer.concat(this.#taken);
  }

  get text(): string {
    return this.bytes.toString("latin1");
  }
}
