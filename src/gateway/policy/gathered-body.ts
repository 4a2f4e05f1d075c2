import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { CannedError } from "../exchange/local-response.ts";
import { sendContinue } from "../exchange/expect-continue.ts";
import { atDeparture, atFinish } from "../exchange/endings.ts";
import { type BodySink, type Exchange, type RequestBody, type RequestHead } from "../exchange/exchange.ts";

/** The worker's account of gathered bodies, in bytes. */
export interface BodyMemory {
  /** Returns false, and takes nothing, if that many bytes are not free. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** The bounds of a gathered body, and the errors for a request that exceeds them. */
export interface GatherBounds {
  /** Maximum bytes of the body. */
  readonly maxBytes: number;
  readonly memory: BodyMemory;
  readonly tooLong: TurnpikeError;
  readonly noRoom: TurnpikeError;
}

/** Initial buffer of a body of unknown length, in bytes. */
const FIRST_BYTES = 4096;
const NOTHING = new Uint8Array(0);

const GONE = new CannedError("bad-request", "the client closed the connection");

/** A handshake has no body. Data that follows belongs to the tunnel. */
export function hasBody({ bodyLength, upgrade }: RequestHead): boolean {
  return bodyLength !== 0 && upgrade === "";
}

/**
 * Reads a request's body into `sink`. A client that waits for a 100 gets it from the gateway, because the upstream gets
 * only checked bodies. If the client's connection is closed, it reads nothing and returns an error.
 */
export function readBody(exchange: Exchange, sink: BodySink): TurnpikeError | undefined {
  if (exchange.gone) return GONE;
  sendContinue(exchange);
  exchange.body.readTo(sink);
  return undefined;
}

/**
 * A request's body, buffered as a whole so that the gateway can check it first, and then passed on unchanged. Its bytes
 * count in the memory for bodies until the body is passed on or the exchange ends.
 */
export class GatheredBody implements BodySink, RequestBody {
  readonly #exchange: Exchange;
  readonly #bounds: GatherBounds;
  /** The next reader gets the whole body at once. */
  readonly complete = true;
  #room = NOTHING;
  #taken = 0;
  #length = 0;
  #trailers: Fields = "";
  #isOver = false;
  #error: TurnpikeError | undefined;
  #onOver: ((error: TurnpikeError | undefined) => void) | undefined;

  constructor(exchange: Exchange, bounds: GatherBounds) {
    this.#exchange = exchange;
    this.#bounds = bounds;
  }

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  /** Reads the body. Returns the error if the body cannot be read. Returns a promise only if it must wait. */
  gather(): TurnpikeError | undefined | Promise<TurnpikeError | undefined> {
    const exchange = this.#exchange;
    if (exchange.head.bodyLength > this.#bounds.maxBytes) return this.#bounds.tooLong;
    if (exchange.gone) return GONE;
    const end = (): void => {
      this.#end(GONE);
      this.release();
    };
    atFinish(exchange, end);
    atDeparture(exchange, end);
    readBody(exchange, this);
    if (this.#isOver) return this.#error;
    const { promise, resolve } = Promise.withResolvers<TurnpikeError | undefined>();
    this.#onOver = resolve;
    return promise;
  }

  /** Replaces the exchange's body with the buffered one: the same bytes, with their length. */
  replace(): void {
    const { head } = this.#exchange;
    this.#exchange.body = this;
    // A body with trailers stays chunked.
    if (this.#trailers === "") head.bodyLength = this.#length;
  }

  // --- called by the codec ---

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#isOver) return false;
    const length = this.#length + end - start;
    if (length > this.#bounds.maxBytes) this.#end(this.#bounds.tooLong);
    else if (!this.#makeRoom(length)) this.#end(this.#bounds.noRoom);
    else {
      this.#room.set(chunk.subarray(start, end), this.#length);
      this.#length = length;
    }
    return !this.#isOver;
  }

  end(trailers: Fields): void {
    this.#trailers = trailers;
    this.#end(undefined);
  }

  abort(error: TurnpikeError): void {
    this.#end(error);
  }

  // --- called by the next reader ---

  readTo(sink: BodySink): void {
    // The result is ignored: all bytes are passed at once, so there is nothing to pause.
    if (this.#length > 0) sink.data(this.#room, 0, this.#length);
    this.release();
    sink.end(this.#trailers);
  }

  pause(): void {}

  resume(): void {}

  /** Frees the buffer: the body is not read any more. */
  release(): void {
    this.#bounds.memory.give(this.#taken);
    this.#taken = 0;
    this.#length = 0;
    this.#room = NOTHING;
  }

  #makeRoom(length: number): boolean {
    if (length <= this.#room.length) return true;
    const { bodyLength } = this.#exchange.head;
    // The buffer grows with the bytes that arrive and not with the announced length. A client that announces a long
    // body and sends nothing uses no memory.
    const doubled = Math.max(length, 2 * this.#room.length, FIRST_BYTES);
    const larger = Math.min(doubled, bodyLength < length ? this.#bounds.maxBytes : bodyLength);
    if (!this.#bounds.memory.take(larger - this.#taken)) return false;
    this.#taken = larger;
    const room = new Uint8Array(larger);
    room.set(this.bytes);
    this.#room = room;
    return true;
  }

  #end(error: TurnpikeError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    if (error !== undefined) this.release();
    this.#onOver?.(error);
  }
}
