import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type BodySink, type RequestBody } from "../exchange/exchange.ts";
import { ChunkedDecoder, type ChunkedSink } from "./chunked.ts";
import { soundTrailers } from "../exchange/request-trailers.ts";
import { FieldScan } from "./field-scan.ts";

const trailerScan = new FieldScan();

/** The connection that a body arrives on. */
export interface BodySource {
  readonly limits: { readonly maxHeaderBytes: number; readonly maxHeaderCount: number };
  readonly buffers: BufferPool;
  /** Pauses or resumes reading from the socket. While reading is paused, the body's time limit is suspended. */
  holdReading(hold: boolean): void;
}

/** The body of one request. Decodes its framing (RFC 9112 §6.3) and passes the bytes on. */
export class Http1RequestBody implements RequestBody, ChunkedSink {
  readonly #source: BodySource;
  readonly #chunked: ChunkedDecoder | undefined;
  #remaining: number;
  #sink: BodySink | undefined;
  /** Bytes that arrived before a reader was set. */
  #held: ByteQueue | undefined;
  #ended: boolean;
  #discarding = false;
  #trailers: Fields = "";
  /** Bytes of the body that were received, without framing. */
  received = 0;
  error: TurnpikeError | undefined;

  constructor(source: BodySource, length: number, maxBodyBytes: number) {
    this.#source = source;
    this.#remaining = length;
    const { maxHeaderBytes } = source.limits;
    this.#chunked = length === -1 ? new ChunkedDecoder(maxHeaderBytes, maxBodyBytes) : undefined;
    this.#ended = length === 0;
    if (length > maxBodyBytes) {
      this.error = new TurnpikeError("body-too-large", `the body is larger than ${maxBodyBytes} bytes`);
    }
  }

  /** True after the last byte was received, even if no reader has taken it. */
  get complete(): boolean {
    return this.#ended;
  }

  /** Bytes that have not arrived; Infinity if unknown. */
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
    if (this.error !== undefined) sink.abort(this.error);
    else if (this.#ended) sink.end(this.#trailers);
    else this.#source.holdReading(!room);
  }

  pause(): void {
    if (!this.#ended) this.#source.holdReading(true);
  }

  resume(): void {
    if (!this.#ended) this.#source.holdReading(false);
  }

  /** Reads the rest and drops it. */
  discard(): void {
    this.#discarding = true;
    this.forget();
    if (!this.#ended) this.#source.holdReading(false);
  }

  /** Releases the bytes that no reader has taken. */
  forget(): void {
    this.#held?.clear();
  }

  /** Takes the bytes of `bytes` that begin at index `from`. Returns the index after the last byte of this body. */
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
    if (this.#chunked.error !== "") {
      this.abort(new TurnpikeError(this.#chunked.tooLarge ? "body-too-large" : "bad-request", this.#chunked.error));
    }
    if (this.#chunked.done && this.error === undefined) {
      this.#ended = true;
      this.#finish();
    }
    return end;
  }

  abort(error: TurnpikeError): void {
    if (this.error !== undefined) return;
    this.error = error;
    if (!this.#discarding) this.#sink?.abort(error);
  }

  onChunk(chunk: Uint8Array, start: number, end: number): void {
    if (this.error !== undefined) return;
    this.received += end - start;
    if (this.#discarding) return;
    if (this.#sink === undefined) {
      this.#held ??= new ByteQueue(this.#source.buffers);
      if (!this.#held.push(chunk, start, end)) {
        this.forget();
        this.abort(new TurnpikeError("overloaded", "no memory is left for data that waits for the upstream"));
      } else if (!this.#ended) this.#source.holdReading(true);
    } else if (!this.#sink.data(chunk, start, end) && !this.#ended) this.#source.holdReading(true);
  }

  #finish(): void {
    // The paused bytes of this body have arrived. From now on the connection decides about reading.
    this.#source.holdReading(false);
    const lines = this.#chunked?.trailers;
    if (lines !== undefined) {
      const limits = { isRequest: true, maxCount: this.#source.limits.maxHeaderCount };
      if (!trailerScan.scan(Buffer.from(`${lines}\r\n`, "latin1"), 0, lines.length, limits)) {
        this.abort(new TurnpikeError("bad-request", `malformed trailers: ${trailerScan.error}`));
        return;
      }
      this.#trailers = soundTrailers(trailerScan.fields);
    }
    if (!this.#discarding) this.#sink?.end(this.#trailers);
  }
}
