import { type BodySink, type RequestBody } from "../exchange.ts";

/** What a tunnel needs of the connection that it arrives on. */
export interface TunnelSource {
  holdReading(hold: boolean): void;
  /** Has bytes wait that nobody takes yet. */
  keepUnread(bytes: Buffer): void;
  /** Gives what waits, and takes up reading. */
  takeUnread(): Buffer | undefined;
}

/**
 * What a client sends on a connection that it asks to be made a tunnel: nothing to who reads before the 101, the raw bytes to who
 * reads afterwards. What came before waits with the connection.
 */
export class TunnelBytes implements RequestBody {
  readonly #source: TunnelSource;
  #sink: BodySink | undefined;
  #isOpen = false;
  #ended = false;
  /** Bytes of the tunnel received. */
  received = 0;

  constructor(source: TunnelSource) {
    this.#source = source;
  }

  /** The 101 is on its way. */
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

  /** The client sends no more. */
  receiveEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink?.end("");
  }
}
