import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { sendContinue } from "../../exchange/expect-continue.ts";
import { type BodySink, type RequestBody } from "../../exchange/exchange.ts";
import { soundTrailers } from "../../exchange/request-trailers.ts";
import { BodyStage, type Outcome, type Passed, type StageOwner } from "./body-stage.ts";
import { type FieldList } from "./guest/field-list.ts";
import { applyRequestFields, requestFields, trailerFields } from "./request-head.ts";
import { type SideStream } from "./side-stream.ts";

const TOO_LONG = new TurnpikeError("body-too-large", "the body is longer than what a filter of this route may hold");
const NO_ROOM = new TurnpikeError("overloaded", "this server has no memory left for a body that a filter holds");
const BROKEN = new TurnpikeError("filter-failed", "a filter has made the body of another length than announced");

/**
 * A request on its way through a filter. The upstream request begins only once the filter has let the head and the first bytes
 * of the body pass. So a request that a filter refuses because of its body does not reach the upstream, and a body that the
 * filter held has a known length.
 *
 *   begin ── on_request_headers ──continue──▶ no body: allowed
 *     │                                └────▶ reads the body ── first bytes pass ──▶ allowed, and the rest as it arrives
 *     └──pause──▶ resume
 */
export class RequestSide implements StageOwner, RequestBody, BodySink {
  readonly #stream: SideStream;
  readonly #source: RequestBody;
  #list: FieldList | undefined;
  #trailers: FieldList | undefined;
  #trailerText: Fields = "";
  #isPaused = false;
  /** True once the request has been passed on: its head cannot change any more. */
  #isAllowed = false;
  #stage: BodyStage | undefined;
  /** Pieces that have passed before there is a reader. */
  #ready: Uint8Array[] = [];
  #isComplete = false;
  #sink: BodySink | undefined;
  #isOver = false;
  /** The length in bytes that was announced when the request was passed on; -1 if none was announced. */
  #announced = -1;
  #sent = 0;

  constructor(stream: SideStream) {
    this.#stream = stream;
    this.#source = stream.exchange.body;
  }

  get fields(): FieldList {
    return (this.#list ??= requestFields(this.#stream.exchange, this.#stream.settings));
  }

  get trailers(): FieldList | undefined {
    return this.#trailers;
  }

  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  get stage(): BodyStage | undefined {
    return this.#stage;
  }

  /** True if only the filter can continue the request. */
  get isWaiting(): boolean {
    return this.#isPaused || this.#stage?.isWaiting === true;
  }

  begin(): void {
    const { exchange, callbacks } = this.#stream;
    const { head } = exchange;
    const isEnd = head.bodyLength === 0 && head.upgrade === "";
    const outcome =
      callbacks.requestHeaders === undefined
        ? "continue"
        : this.#stream.call("requestHeaders", this.fields.count, Number(isEnd));
    if (outcome === "continue") this.#headPassed();
    else if (outcome === "pause") this.#isPaused = true;
    this.#stream.watch();
  }

  /** Continues reading the body for its reader. The filter's `proxy_continue_stream` calls `goOn` instead. */
  resume(): void {
    // Before the request is allowed, only the filter decides when the body continues.
    if (this.#isAllowed) this.#source.resume();
  }

  /** Called when the filter lets the held part pass. */
  goOn(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#headPassed();
    }
    // While the filter held the bytes, the source went on.
    else if (this.#stage?.resume() === false && !this.#isComplete) this.#source.pause();
    this.#stream.watch();
  }

  /** Nothing passes after this call. */
  close(): void {
    this.#isOver = true;
    this.#isPaused = false;
    this.#ready = [];
    this.#stage?.close();
  }

  #headPassed(): void {
    const { exchange, callbacks, settings, runtime } = this.#stream;
    const { head } = exchange;
    if (head.bodyLength === 0 || head.upgrade !== "" || !callbacks.seesRequestBodies) {
      this.#allow();
      return;
    }
    const bounds = { maxBytes: settings.maxBodyBytes, memory: runtime.bodies, tooLong: TOO_LONG, noRoom: NO_ROOM };
    this.#stage = new BodyStage(this, this.#stream, bounds, head.bodyLength);
    exchange.body = this;
    // A gRPC call can be a conversation, in which the client waits for the upstream.
    if (head.isGrpc) this.#allow();
    else {
      sendContinue(exchange);
      this.#source.readTo(this);
    }
  }

  #allow(): void {
    const { head } = this.#stream.exchange;
    const list = this.#list;
    const error =
      list === undefined ? undefined : applyRequestFields(head, list, this.#stream.settings.visibleQuery(head));
    if (error !== undefined) {
      this.#stream.fail(error);
      return;
    }
    if (this.#stage !== undefined) {
      if (list?.dropsLength === true && !this.#isComplete) head.bodyLength = -1;
      this.#announced = head.bodyLength;
    }
    this.#isAllowed = true;
    this.#stream.allow();
  }

  // --- from the client ---

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const takesMore = this.#stage?.data(chunk, start, end) ?? true;
    this.#stream.watch();
    return takesMore;
  }

  end(trailers: Fields): void {
    this.#trailerText = trailers;
    this.#stage?.end(trailers);
    this.#stream.watch();
  }

  abort(error: TurnpikeError): void {
    if (this.#isOver) return;
    if (this.#sink === undefined) this.#stream.failWith(error);
    else this.#sink.abort(error);
  }

  // --- the filter's decisions ---

  onBody(length: number, isEnd: boolean): Outcome {
    return this.#stream.call("requestBody", length, Number(isEnd));
  }

  onTrailers(trailers: Fields): Outcome {
    this.#trailers = trailerFields(trailers);
    return this.#stream.call("requestTrailers", this.#trailers.count);
  }

  pass({ pieces, length, isChanged, isLast }: Passed): boolean {
    const { head } = this.#stream.exchange;
    if (!this.#isAllowed) {
      if (isLast) head.bodyLength = length;
      else if (isChanged) head.bodyLength = -1;
      this.#isComplete = isLast;
      this.#ready.push(...pieces);
      this.#allow();
      return this.#isOver;
    }
    if (this.#announced >= 0 && this.#sent + length > this.#announced) {
      this.#stream.failWith(BROKEN, "makes the body longer than announced");
      return true;
    }
    if (this.#sink === undefined) {
      this.#ready.push(...pieces);
      return false;
    }
    return this.#send(pieces);
  }

  passEnd(): void {
    this.#isComplete = true;
    if (this.#sink !== undefined) this.#sendEnd();
  }

  // --- for the next reader ---

  get complete(): boolean {
    return this.#isComplete;
  }

  readTo(sink: BodySink): void {
    // The stream has failed since it was allowed, in the middle of the same read.
    if (this.#isOver) {
      sink.abort(BROKEN);
      return;
    }
    this.#sink = sink;
    const { exchange } = this.#stream;
    if (this.#ready.length === 0 && !this.#isComplete && exchange.head.isGrpc) {
      this.#source.readTo(this);
      return;
    }
    const ready = this.#ready;
    this.#ready = [];
    const hasRoom = this.#send(ready);
    if (this.#isOver) return;
    if (this.#isComplete) this.#sendEnd();
    else if (hasRoom) this.#source.resume();
  }

  pause(): void {
    this.#source.pause();
  }

  liftLimits(): void {
    this.#source.liftLimits?.();
  }

  #send(pieces: readonly Uint8Array[]): boolean {
    let hasRoom = true;
    for (const piece of pieces) {
      if (this.#isOver) return true;
      this.#sent += piece.length;
      hasRoom = this.#sink?.data(piece) ?? false;
    }
    return hasRoom;
  }

  #sendEnd(): void {
    if (this.#announced >= 0 && this.#sent < this.#announced) {
      this.#stream.failWith(BROKEN, "makes the body shorter than announced");
      return;
    }
    this.#isOver = true;
    const list = this.#trailers;
    this.#sink?.end(list?.isChanged === true ? soundTrailers(list.fields) : this.#trailerText);
  }
}
