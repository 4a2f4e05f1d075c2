import { type BufferPool } from "../../lib/buffer-pool.ts";
import { ByteQueue } from "../../lib/byte-queue.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { type BodySink, type RequestBody } from "../exchange.ts";
import { ChunkedDecoder, type ChunkedSink } from "./chunked.ts";
import { soundTrailers } from "../request-trailers.ts";
import { FieldScan } from "./field-scan.ts";

const trailerScan = new FieldScan();

/** What a body needs of the connection that it arrives on. */
export interface BodySource {
  readonly limits: { readonly maxHeaderBytes: number; readonly maxHeaderCount: number };
  readonly buffers: BufferPool;
  /** Stops or takes up reading from the socket; while reading is held back the body's time-out rests. */
  holdReading(hold: boolean): void;
}

/** One request's body: takes it off the wire by its framing (RFC 9112 §6.3) and hands it on. */
export class Http1RequestBody implements RequestBody, ChunkedSink {
  readonly #source: BodySource;
  readonly #chunked: ChunkedDecoder | undefined;
  #remaining: number;
  #sink: BodySink | undefined;
  /** What came before anybody read it. */
  #held: ByteQueue | undefined;
  #ended: boolean;
  #discarding = false;
  #trailers: Fields = "";
  /** Bytes of body received, without framing. */
  received = 0;
  fault: TurnpikeError | undefined;

  constructor(source: BodySource, length: number, maxBodyBytes: number) {
    this.#source = source;
    this.#remaining = length;
    const { maxHeaderBytes } = source.limits;
    this.#chunked = length === -1 ? new ChunkedDecoder(maxHeaderBytes, maxBodyBytes) : undefined;
    this.#ended = length === 0;
    if (length > maxBodyBytes) {
      this.fault = new TurnpikeError("body-too-large", `the body is larger than ${maxBodyBytes} bytes`);
    }
  }

  /** True once the last byte was received, whether or not anybody has taken it. */
  get complete(): boolean {
    return this.#ended;
  }

  /** Bytes still to come; Infinity where that is not known. */
  get remaining(): number {
    if (this.#ended) return 0;
    return this.#chunked === undefined ? this.#remaining : Number.POSITIVE_INFINITY;
  }

  readTo(sink: BodySink): void {
    if (this.#sink !== undefined) throw new Error("Cannot read a request body: it is being read already");
    this.#sink = sink;
    const held = this.#held;
    let room = true;
    for (let piece = held?.first; piece !== undefined; piece = held?.first) {
      room = sink.data(piece.bytes, piece.start, piece.end);
      held?.shift(piece.end - piece.start);
    }
    if (this.fault !== undefined) sink.abort(this.fault);
    else if (this.#ended) sink.end(this.#trailers);
    else this.#source.holdReading(!room);
  }

  pause(): void {
    if (!this.#ended) this.#source.holdReading(true);
  }

  resume(): void {
    if (!this.#ended) this.#source.holdReading(false);
  }

  /** Takes the rest off the wire and forgets it. */
  discard(): void {
    this.#discarding = true;
    this.forget();
    if (!this.#ended) this.#source.holdReading(false);
  }

  /** Lets go of what nobody has read. */
  forget(): void {
    this.#held?.clear();
  }

  /** Takes bytes from `from` on; returns the index after the last one that is part of this body. */
  receive(bytes: Uint8Array, from: number): number {
    if (this.#chunked === undefined) {
      const take = Math.min(this.#remaining, bytes.length - from);
      this.#remaining -= take;
      if (this.#remaining === 0) this.#ended = true;
      this.onChunk(bytes, from, from + take);
      if (this.#ended) this.#finish();
      return from + take;
    }
    const end = this.#chunked.decode(bytes, from, this);
    if (this.#chunked.fault !== "") {
      this.abort(new TurnpikeError(this.#chunked.tooLarge ? "body-too-large" : "bad-request", this.#chunked.fault));
    }
    if (this.#chunked.done && this.fault === undefined) {
      this.#ended = true;
      this.#finish();
    }
    return end;
  }

  /** The body will not be complete. */
  abort(error: TurnpikeError): void {
    if (this.fault !== undefined) return;
    this.fault = error;
    if (!this.#discarding) this.#sink?.abort(error);
  }

  onChunk(chunk: Uint8Array, start: number, end: number): void {
    if (this.fault !== undefined) return;
    this.received += end - start;
    if (this.#discarding) return;
    if (this.#sink === undefined) {
      this.#held ??= new ByteQueue(this.#source.buffers);
      if (!this.#held.push(chunk, start, end)) {
        this.forget();
        this.abort(new TurnpikeError("overloaded", "no memory is left for what waits to be sent to the upstream"));
      } else if (!this.#ended) this.#source.holdReading(true);
    } else if (!this.#sink.data(chunk, start, end) && !this.#ended) this.#source.holdReading(true);
  }

  #finish(): void {
    // What was held back for this body has come with it; what comes next is the connection's business.
    this.#source.holdReading(false);
    const lines = this.#chunked?.trailers ?? "";
    if (lines !== "") {
      const limits = { isRequest: true, maxCount: this.#source.limits.maxHeaderCount };
      if (!trailerScan.scan(`${lines}\r\n`, 0, lines.length, limits)) {
        this.abort(new TurnpikeError("bad-request", `malformed trailers: ${trailerScan.fault}`));
        return;
      }
      this.#trailers = soundTrailers(trailerScan.fields);
    }
    if (!this.#discarding) this.#sink?.end(this.#trailers);
  }
}

/** The body of a request that has none. */
export const NO_BODY: RequestBody = {
  readTo: (sink) => sink.end(""),
  pause() {},
  resume() {},
};
