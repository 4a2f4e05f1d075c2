import { type FieldSection, type QuicStream } from "node:quic";
import { FRAMED } from "../framing-writer.ts";

type Batch = IteratorResult<readonly Uint8Array[], void>;

/** A stream of the engine whose client and engine a test plays. It records what the codec does with the stream. */
export class ScriptedStream {
  readonly events: string[] = [];
  /** Heads and trailers in the order in which they were sent. */
  readonly sections: FieldSection[] = [];
  readonly stats = { bytesSent: 0n };
  destroyed = false;
  onheaders: ((block: FieldSection) => void) | undefined;
  ontrailers: ((block: FieldSection) => void) | undefined;
  onreset: (() => void) | undefined;
  onwanttrailers: (() => void) | undefined;
  /** The result of `sendHeaders`; an error is thrown. */
  sends: boolean | Error = true;
  readonly #closed = Promise.withResolvers<void>();
  readonly #batches: (Batch | Error)[] = [];
  #reader: PromiseWithResolvers<Batch> | undefined;
  #framed: PromiseWithResolvers<void> | undefined;

  readonly closed = this.#closed.promise;
  readonly writer = {
    desiredSize: 0,
    writevSync: (chunks: readonly Uint8Array[]): boolean => {
      if (this.writer.desiredSize === 0 || this.destroyed) return false;
      this.events.push(`data ${chunks.reduce((sum, { length }) => sum + length, 0)}`);
      this.writer.desiredSize = 0;
      return true;
    },
    endSync: (): number => {
      this.events.push("end");
      this.onwanttrailers?.();
      return 0;
    },
    [FRAMED]: (): Promise<void> | null => {
      if (this.writer.desiredSize > 0) return null;
      this.#framed ??= Promise.withResolvers();
      return this.#framed.promise;
    },
  };

  /** The part of a stream that the codec uses. */
  get quic(): QuicStream {
    return this as unknown as QuicStream;
  }

  /** The engine gives a full writer room if its mark is set again. */
  set highWaterMark(bytes: number) {
    if (this.writer.desiredSize === 0 && this.#framed === undefined) this.writer.desiredSize = bytes;
  }

  sendHeaders(block: FieldSection, { terminal = false } = {}): boolean {
    if (this.sends instanceof Error) throw this.sends;
    this.sections.push(block);
    this.events.push(terminal ? `last head ${String(block[":status"])}` : `head ${String(block[":status"])}`);
    return this.sends;
  }

  sendInformationalHeaders(block: FieldSection): boolean {
    return this.sendHeaders(block);
  }

  sendTrailers(block: FieldSection): boolean {
    this.sections.push(block);
    this.events.push("trailers");
    return true;
  }

  setBody(body: Uint8Array): void {
    this.events.push(`body ${body.length}`);
  }

  stopSending(code: bigint): void {
    this.events.push(`stop ${code.toString(16)}`);
  }

  resetStream(code: bigint): void {
    this.events.push(`reset ${code.toString(16)}`);
  }

  /** The engine has framed everything that it has, or the stream has failed. */
  async frame(fails = false): Promise<void> {
    this.writer.desiredSize = 1;
    if (fails) this.#framed?.reject(new Error("the stream was closed"));
    else this.#framed?.resolve();
    this.#framed = undefined;
    await turns();
  }

  /** The client sends data of its body. */
  async data(...texts: readonly string[]): Promise<void> {
    await this.#next({ done: false, value: texts.map((text) => Buffer.from(text)) });
  }

  /** The client ends the request, with `trailers` if there are any. */
  async end(...trailers: readonly FieldSection[]): Promise<void> {
    await this.#next({ done: true, value: undefined }, () => {
      for (const block of trailers) this.ontrailers?.(block);
    });
  }

  /** Reading fails. */
  async fail(): Promise<void> {
    await this.#next(new Error("the stream was closed"));
  }

  /** The engine has closed the stream. */
  async close(): Promise<void> {
    this.destroyed = true;
    this.#closed.resolve();
    await turns();
  }

  async #next(batch: Batch | Error, behind = (): void => {}): Promise<void> {
    this.#batches.push(batch);
    this.#give();
    behind();
    await turns();
  }

  #give(): void {
    const [batch] = this.#batches;
    if (this.#reader === undefined || batch === undefined) return;
    this.#batches.shift();
    if (batch instanceof Error) this.#reader.reject(batch);
    else this.#reader.resolve(batch);
    this.#reader = undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly Uint8Array[], void> {
    return {
      next: () => {
        this.#reader = Promise.withResolvers();
        const { promise } = this.#reader;
        this.#give();
        return promise;
      },
    };
  }
}

/** Waits until everything has run that waits for a turn of the event loop. */
async function turns(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}
