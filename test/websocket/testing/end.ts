import { Socket } from "node:net";
import { type Duplex } from "node:stream";
import { Waiters } from "../../support/waiters.ts";

const PATIENCE_MS = 8000;

/** One end of a tunnel: it sends the given bytes, and keeps the received ones. */
export class End {
  readonly stream: Duplex;
  /** The other side has ended its half, without an error before. */
  ended = false;
  closed = false;
  error: Error | undefined;
  length = 0;
  readonly #chunks: Buffer[] = [];
  readonly #waiters = new Waiters();

  constructor(stream: Duplex, early: Buffer = Buffer.alloc(0)) {
    this.stream = stream;
    if (early.length > 0) this.#take(early);
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("end", () => {
      this.ended = true;
      this.#waiters.wake();
    });
    stream.on("error", (error: Error) => {
      this.error = error;
      this.#waiters.wake();
    });
    stream.on("close", () => {
      this.closed = true;
      this.#waiters.wake();
    });
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  send(bytes: Buffer | string): void {
    this.stream.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Sends everything, as fast as it is accepted. */
  async sendAll(chunks: Iterable<Buffer>): Promise<void> {
    for (const chunk of chunks) {
      if (this.closed) return;
      if (!this.stream.write(chunk)) {
        await this.drained();
      }
    }
  }

  /** Waits until the end accepts more, or is closed. */
  drained(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off("drain", done);
        stream.off("close", done);
        resolve();
      };
      stream.on("drain", done);
      stream.on("close", done);
    });
  }

  /** Resets the connection; for sockets. */
  reset(): void {
    if (this.stream instanceof Socket) this.stream.resetAndDestroy();
  }

  /** Waits for this total number of bytes. */
  async sees(length: number): Promise<void> {
    await this.until(`${length} bytes`, () => this.length >= length);
  }

  async until(what: string, probe: () => boolean): Promise<void> {
    const found = await this.#waiters.until(() => (probe() ? true : undefined), PATIENCE_MS);
    if (found !== undefined) return;
    const state = `ended ${this.ended}, closed ${this.closed}, error ${this.error?.message}`;
    throw new Error(`Not seen: ${what}; ${this.length} bytes, ${state}`);
  }

  /** Waits until nothing more can come. */
  async over(): Promise<void> {
    await this.until("the end", () => this.ended || this.closed || this.error !== undefined);
  }

  #take(chunk: Buffer): void {
    this.length += chunk.length;
    this.#chunks.push(chunk);
    this.#waiters.wake();
  }
}
