import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { atFinish } from "../exchange/endings.ts";
import { type BodySink, type Exchange, type RequestBody } from "../exchange/exchange.ts";
import { type GatherBounds, readBody } from "../policy/gathered-body.ts";
import { PieceList } from "./piece-list.ts";

/** A body whose first bytes a filter reads first. The rest stays with the client until a reader asks for it. */
export class PeekedBody implements BodySink, RequestBody {
  readonly #exchange: Exchange;
  readonly #body: RequestBody;
  readonly #bounds: GatherBounds;
  readonly #pieces: PieceList;
  #reader: BodySink | undefined;
  #trailers: Fields | undefined;
  #error: TurnpikeError | undefined;
  #onPeeked: ((error: TurnpikeError | undefined) => void) | undefined;

  /** `maxBytes` of the bounds is the number of bytes to read first. */
  constructor(exchange: Exchange, bounds: GatherBounds) {
    this.#exchange = exchange;
    this.#body = exchange.body;
    this.#bounds = bounds;
    this.#pieces = new PieceList(bounds.memory);
  }

  get error(): TurnpikeError | undefined {
    return this.#error ?? this.#body.error;
  }

  get complete(): boolean {
    return this.#body.complete ?? false;
  }

  get isWhole(): boolean {
    return this.#trailers !== undefined;
  }

  first(): Uint8Array {
    return this.#pieces.first(this.#bounds.maxBytes);
  }

  /** Waits for the first bytes. Returns the error if they could not be read; a promise only if it must wait. */
  peek(): TurnpikeError | undefined | Promise<TurnpikeError | undefined> {
    const exchange = this.#exchange;
    atFinish(exchange, () => {
      this.#pieces.clear();
      this.#onPeeked?.(undefined);
    });
    const gone = readBody(exchange, this);
    exchange.body = this;
    if (gone !== undefined || this.#isPeeked) return gone ?? this.#error;
    const { promise, resolve } = Promise.withResolvers<TurnpikeError | undefined>();
    this.#onPeeked = resolve;
    return promise;
  }

  // --- from the codec ---

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#reader !== undefined) return this.#reader.data(chunk, start, end);
    if (this.#error !== undefined) return false;
    if (!this.#pieces.push(chunk, start, end)) this.abort(this.#bounds.noRoom);
    if (!this.#isPeeked) return true;
    this.#onPeeked?.(this.#error);
    return false;
  }

  end(trailers: Fields): void {
    if (this.#reader !== undefined) this.#reader.end(trailers);
    else this.#trailers = trailers;
    this.#onPeeked?.(undefined);
  }

  abort(error: TurnpikeError): void {
    if (this.#reader !== undefined) {
      this.#reader.abort(error);
      return;
    }
    this.#error ??= error;
    this.#pieces.clear();
    this.#onPeeked?.(error);
  }

  // --- for the next reader ---

  readTo(sink: BodySink): void {
    this.#reader = sink;
    const takesMore = this.#pieces.sendTo(sink);
    if (this.#error !== undefined) sink.abort(this.#error);
    else if (this.#trailers !== undefined) sink.end(this.#trailers);
    else if (takesMore) this.#body.resume();
  }

  pause(): void {
    this.#body.pause();
  }

  resume(): void {
    // Data that arrives before there is a reader would only take memory.
    if (this.#reader !== undefined) this.#body.resume();
  }

  liftLimits(): void {
    this.#body.liftLimits?.();
  }

  get #isPeeked(): boolean {
    return this.#pieces.length >= this.#bounds.maxBytes || this.#error !== undefined || this.#trailers !== undefined;
  }
}
