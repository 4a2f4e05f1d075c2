import { type BodySink, type RequestBody } from "../exchange/exchange.ts";

/** The connection that a tunnel arrives on. */
export interface TunnelSource {
  holdReading(hold: boolean): void;
  /** Keeps bytes that have no reader yet. */
  keepUnread(bytes: Buffer): void;
  /** Returns the kept bytes and resumes reading. */
  takeUnread(): Buffer | undefined;
}

/**
 * The bytes of a client that requests a tunnel. A reader before the 101 gets an empty body, a reader after it gets the raw
 * bytes. Bytes that arrive before the 101 wait with the connection.
 */
export class TunnelBytes implements RequestBody {
  readonly #source: TunnelSource;
  #sink: BodySink | undefined;
  #isOpen = false;
  #ended = false;
  /** Bytes of the tunnel that were received. */
  received = 0;

  constructor(source: TunnelSource) {
    this.#source = source;
  }

  /** The 101 was sent. */
  open(): void {
    this.#isOpen = true;
    this.#source.holdReading(true);
  }

  readTo(sink: BodySink): void {
    if (!this.#isOpen) {
      sink.end("");
      return;
    }
    if (this.#sink !== undefined) throw new Error("Cannot read a tunnel: it is being read already");
    this.#sink = sink;
    const early = this.#source.takeUnread();
    if (early !== undefined) this.receive(early);
    if (this.#ended) sink.end("");
  }

  pause(): void {
    if (!this.#ended) this.#source.holdReading(true);
  }

  resume(): void {
    if (!this.#ended) this.#source.holdReading(false);
  }

  receive(chunk: Buffer): void {
    if (this.#sink === undefined) {
      this.#source.keepUnread(chunk);
      return;
    }
    this.received += chunk.length;
    if (!this.#sink.data(chunk, 0, chunk.length)) this.pause();
  }

  /** The client sends nothing more. */
  receiveEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink?.end("");
  }
}
