import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { JoinedPieces } from "../../lib/memory/joined-pieces.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type RespondWithError } from "../exchange/local-response.ts";
import { atDeparture, atFinish } from "../exchange/endings.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { isEventStream } from "../proxy/event-stream.ts";

/** Bytes of a response that are buffered until it is complete. A longer response is passed on as it arrives. */
const MAX_BUFFERED_BYTES = 65_536;
/**
 * Milliseconds that a response of unknown length is buffered: its client can be waiting for the first of many chunks.
 * @bound
 */
const CHUNKED_MS = 50;

/** The services of a `BufferedResponse`. `memory` limits the bytes that it buffers. */
export interface BufferedResponseDeps {
  readonly wheel: TimerWheel;
  readonly memory: BufferAccount;
  readonly respondWithError: RespondWithError;
}

/**
 * Buffers a tenant's response until it is complete, so that a response that breaks off is replaced by an error: VMs can
 * be killed in the middle of a response. A response that is large, slow, or has no room in memory is passed on as it
 * arrives, and cut off if it breaks off.
 */
export class BufferedResponse extends Deadline implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #next: ResponseSink;
  readonly #deps: BufferedResponseDeps;
  #head: ResponseHead | undefined;
  readonly #pieces = new JoinedPieces();
  #length = 0;
  #taken = 0;

  constructor(exchange: Exchange, deps: BufferedResponseDeps) {
    super();
    this.#exchange = exchange;
    this.#next = exchange.response;
    this.#deps = deps;
  }

  /** Puts itself before the exchange's response. */
  begin(): void {
    const exchange = this.#exchange;
    exchange.response = this;
    atFinish(exchange, () => this.#letGo());
    atDeparture(exchange, () => this.#letGo());
  }

  start(head: ResponseHead): void {
    const { bodyLength, status } = head;
    const isShort = bodyLength !== 0 && bodyLength <= MAX_BUFFERED_BYTES;
    if (status < 200 || !isShort || this.#lasts(head) || !this.#take(bodyLength)) this.#next.start(head);
    else {
      this.#head = head;
      if (bodyLength === -1) this.#deps.wheel.set(this, CHUNKED_MS);
    }
  }

  #lasts(head: ResponseHead): boolean {
    const { method, isGrpc } = this.#exchange.head;
    return method === "HEAD" || head.status === 304 || isGrpc || isEventStream(head);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#head === undefined) return this.#next.data(chunk, start, end);
    const length = this.#length + end - start;
    if (length > MAX_BUFFERED_BYTES || !this.#take(length)) {
      this.#pass();
      return this.#next.data(chunk, start, end);
    }
    // A copy, because the socket's buffer is much larger than most responses.
    this.#pieces.addCopy(chunk.subarray(start, end));
    this.#length = length;
    return true;
  }

  end(trailers: Fields): void {
    this.#pass();
    this.#next.end(trailers);
  }

  abort(error: TurnpikeError): void {
    const isHeld = this.#head !== undefined;
    this.#letGo();
    if (!isHeld) {
      this.#next.abort(error);
      return;
    }
    this.#deps.respondWithError(this.#exchange, error);
  }

  override onDeadline(): void {
    this.#pass();
  }

  /** From now on the response is passed on as it arrives. */
  #pass(): void {
    const head = this.#head;
    if (head === undefined) return;
    const pieces = this.#pieces.replace([]);
    this.#letGo();
    this.#next.start(head);
    for (const piece of pieces) this.#next.data(piece);
  }

  #take(bytes: number): boolean {
    const taken = this.#deps.memory.resize(this.#taken, Math.max(this.#taken, bytes));
    if (taken === -1) return false;
    this.#taken = taken;
    return true;
  }

  #letGo(): void {
    this.#deps.wheel.remove(this);
    this.#taken = this.#deps.memory.shrink(this.#taken, 0);
    this.#head = undefined;
    this.#pieces.replace([]);
    this.#length = 0;
  }
}
