import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { CannedError } from "../local-response.ts";
import { askForBody } from "../ask-for-body.ts";
import { type BodySink, type Exchange, type RequestBody } from "../exchange.ts";

/** The account of what a worker holds of gathered bodies, in bytes. */
export interface BodyMemory {
  /** False, with nothing taken, where there is not so much. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** What a body may take, and what a request is told that may not have it. */
export interface GatherBounds {
  /** Of the body, in bytes. */
  readonly maxBytes: number;
  readonly memory: BodyMemory;
  readonly tooLong: TurnpikeError;
  readonly noRoom: TurnpikeError;
}

/** Room for a body of unknown length at first, in bytes. */
const FIRST_BYTES = 4096;
const NOTHING = new Uint8Array(0);

const GONE = new CannedError("bad-request", "the client is gone");

/**
 * Reads a request's body into `sink`, whose sender gets leave to send it where he waits for that: the upstream is asked only
 * for what is sound. An error where the client is gone: then nothing is read.
 */
export function readBody(exchange: Exchange, sink: BodySink): TurnpikeError | undefined {
  if (exchange.gone) return GONE;
  askForBody(exchange);
  exchange.body.readTo(sink);
  return undefined;
}

/**
 * A request's body, held whole so that it can be looked at before anybody works for it, and then given on as it came. What it
 * takes counts in the memory for bodies until it has been given on or the exchange is over.
 */
export class GatheredBody implements BodySink, RequestBody {
  readonly #exchange: Exchange;
  readonly #bounds: GatherBounds;
  /** As it is given on. */
  readonly complete = true;
  #room = NOTHING;
  #taken = 0;
  #length = 0;
  #trailers: Fields = "";
  #isOver = false;
  #fault: TurnpikeError | undefined;
  #onOver: ((fault: TurnpikeError | undefined) => void) | undefined;

  constructor(exchange: Exchange, bounds: GatherBounds) {
    this.#exchange = exchange;
    this.#bounds = bounds;
  }

  /** As far as it has come. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  /** Reads the body; why it could not be had, where it could not. A promise only where there is something to wait for. */
  gather(): TurnpikeError | undefined | Promise<TurnpikeError | undefined> {
    const exchange = this.#exchange;
    if (exchange.head.bodyLength > this.#bounds.maxBytes) return this.#bounds.tooLong;
    if (exchange.gone) return GONE;
    const { onFinish, onGone } = exchange;
    exchange.onFinish = (finished) => {
      this.#end(GONE);
      this.release();
      onFinish?.(finished);
    };
    exchange.onGone = () => {
      this.#end(GONE);
      this.release();
      onGone?.();
    };
    readBody(exchange, this);
    if (this.#isOver) return this.#fault;
    const { promise, resolve } = Promise.withResolvers<TurnpikeError | undefined>();
    this.#onOver = resolve;
    return promise;
  }

  /** Puts itself in the place of the body that it has read: the same bytes, with their length. */
  replace(): void {
    const { head } = this.#exchange;
    this.#exchange.body = this;
    // What has trailers keeps its chunks.
    if (this.#trailers === "") head.bodyLength = this.#length;
  }

  // --- what the codec sends ---

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

  // --- who reads it next ---

  readTo(sink: BodySink): void {
    // Taken also where the sink is full: there is nothing to hold back.
    if (this.#length > 0) sink.data(this.#room, 0, this.#length);
    this.release();
    sink.end(this.#trailers);
  }

  pause(): void {}

  resume(): void {}

  /** Lets go of it: nobody will read it. */
  release(): void {
    this.#bounds.memory.give(this.#taken);
    this.#taken = 0;
    this.#length = 0;
    this.#room = NOTHING;
  }

  #makeRoom(length: number): boolean {
    if (length <= this.#room.length) return true;
    const { bodyLength } = this.#exchange.head;
    // What is announced is no more believed than it has come: who announces much and sends nothing takes no memory.
    const doubled = Math.max(length, 2 * this.#room.length, FIRST_BYTES);
    const larger = Math.min(doubled, bodyLength < length ? this.#bounds.maxBytes : bodyLength);
    if (!this.#bounds.memory.take(larger - this.#taken)) return false;
    this.#taken = larger;
    const room = new Uint8Array(larger);
    room.set(this.bytes);
    this.#room = room;
    return true;
  }

  #end(fault: TurnpikeError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#fault = fault;
    if (fault !== undefined) this.release();
    this.#onOver?.(fault);
  }
}
