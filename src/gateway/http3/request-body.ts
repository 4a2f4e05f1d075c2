import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { BodyTime } from "../exchange/body-time.ts";
import { type BodySink, type RequestBody } from "../exchange/exchange.ts";
import { type ServerHost } from "../exchange/server-host.ts";
import { BodyHold } from "./body-hold.ts";

/** The body of a request, for any reader at any time. */
export class Http3RequestBody extends Deadline implements RequestBody {
  readonly #host: ServerHost;
  #sink: BodySink | undefined;
  #hold: BodyHold | undefined;
  #paused = true;
  #draining = false;
  #ended = false;
  #over = false;
  #trailers: Fields = "";
  #maxBytes: number;
  readonly #time: BodyTime;
  /** Bytes received so far. */
  received = 0;
  error: TurnpikeError | undefined;

  /** `length` in bytes; -1 if it was not announced. A length above `maxBytes` is rejected. */
  constructor(host: ServerHost, length: number, maxBytes: number) {
    super();
    this.#host = host;
    this.#maxBytes = maxBytes;
    this.#time = new BodyTime(host.settings().bodyMs);
    if (length > maxBytes) this.#refuse();
    else this.#runTimer();
  }

  /** The client has sent the whole body. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The whole body has arrived. */
  get complete(): boolean {
    return this.#ended || this.error !== undefined;
  }

  readTo(sink: BodySink): void {
    if (this.#sink !== undefined) throw new Error("Cannot read a request body: it is being read already");
    this.#sink = sink;
    // The body can have failed before a reader asked for it.
    if (this.error !== undefined) sink.abort(this.error);
    else this.resume();
  }

  pause(): void {
    this.#holdBack();
  }

  resume(): void {
    if (this.#sink === undefined || this.#draining || this.#over) return;
    this.#paused = false;
    this.#draining = true;
    this.#hold?.drain((bytes, start, end) => {
      if (this.#sink?.data(bytes, start, end) === false) this.#paused = true;
      return !this.#paused;
    });
    this.#draining = false;
    if (!this.#paused) this.#finishIfWhole();
    if (!this.#paused && !this.complete) this.#runTimer();
  }

  #holdBack(): void {
    this.#paused = true;
    this.#time.rest(this.#host.wheel.now());
    this.#host.wheel.clear(this);
  }

  liftLimits(): void {
    this.#maxBytes = Number.POSITIVE_INFINITY;
    this.#time.lift();
    this.#host.wheel.clear(this);
  }

  /** Takes received bytes. */
  receive(chunk: Uint8Array): void {
    if (this.#over || this.complete) return;
    this.received += chunk.length;
    if (this.received > this.#maxBytes) {
      this.#refuse();
      return;
    }
    if (!this.#paused && (this.#hold === undefined || this.#hold.empty)) {
      if (this.#sink?.data(chunk, 0, chunk.length) === false) this.#holdBack();
      return;
    }
    this.#hold ??= new BodyHold(this.#host.buffers);
    if (this.#hold.push(chunk)) return;
    this.abort(new TurnpikeError("overloaded", "no space is left for data that waits for the upstream"));
  }

  #refuse(): void {
    this.abort(new TurnpikeError("body-too-large", `the body is larger than ${this.#maxBytes} bytes`));
  }

  /** The client has sent the whole body. */
  receiveEnd(trailers: Fields): void {
    if (this.complete) return;
    this.#ended = true;
    this.#trailers = trailers;
    this.#host.wheel.remove(this);
    if (!this.#paused) this.#finishIfWhole();
  }

  /** The body stays incomplete. Bytes that were not read are discarded. */
  abort(error: TurnpikeError): void {
    if (this.#over) return;
    this.error = error;
    this.#over = true;
    this.#host.wheel.remove(this);
    this.#hold?.clear();
    this.#sink?.abort(error);
  }

  /** The body is not needed any more. */
  discard(): void {
    this.#over = true;
    this.#host.wheel.remove(this);
    this.#hold?.clear();
  }

  override onDeadline(): void {
    this.abort(new TurnpikeError("request-timeout", "the request body did not arrive in time"));
  }

  #finishIfWhole(): void {
    if (!this.#ended || this.#over || this.#hold?.empty === false) return;
    this.#over = true;
    this.#hold?.clear();
    this.#sink?.end(this.#trailers);
  }

  #runTimer(): void {
    this.#host.wheel.set(this, this.#time.run(this.#host.wheel.now()));
  }
}
