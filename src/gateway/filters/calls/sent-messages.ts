import { type BodySink, type RequestBody } from "../../exchange/exchange.ts";

/** The body of a request that a filter sends message by message. Messages wait here until the upstream takes them. */
export class SentMessages implements RequestBody {
  readonly #waiting: Uint8Array[] = [];
  #sink: BodySink | undefined;
  #isFull = false;
  #hasEnded = false;
  /** Bytes that wait. */
  bytes = 0;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(message: Uint8Array): void {
    this.#waiting.push(message);
    this.bytes += message.length;
    this.#flush();
  }

  end(): void {
    this.#hasEnded = true;
    this.#flush();
  }

  readTo(sink: BodySink): void {
    this.#sink = sink;
    this.#flush();
  }

  pause(): void {
    this.#isFull = true;
  }

  resume(): void {
    this.#isFull = false;
    this.#flush();
  }

  #flush(): void {
    while (this.#sink !== undefined && !this.#isFull) {
      const message = this.#waiting.shift();
      if (message === undefined) {
        this.#endBody(this.#sink);
        return;
      }
      this.bytes -= message.length;
      if (!this.#sink.data(message, 0, message.length)) this.#isFull = true;
    }
  }

  #endBody(sink: BodySink): void {
    if (!this.#hasEnded) return;
    this.#sink = undefined;
    sink.end("");
  }
}
