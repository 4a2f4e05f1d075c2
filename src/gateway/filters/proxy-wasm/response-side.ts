import { changedHead } from "../../exchange/exchange-state.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { PausingSink } from "../../exchange/pausing-sink.ts";
import { BodyStage, type Outcome, type Passed, type StageOwner } from "./body-stage.ts";
import { MAX_HELD_RESPONSE_BYTES } from "../module/proxy-wasm-bounds.ts";
import { type FieldList } from "./guest/field-list.ts";
import { changedResponse, plainFields, responseFields } from "./response-head.ts";
import { type SideStream } from "./side-stream.ts";

const TOO_LONG = new TurnpikeError("filter-failed", "the response is longer than what a filter may hold");
const NO_ROOM = new TurnpikeError("overloaded", "this server has no memory left for a response that a filter holds");
const BROKEN = new TurnpikeError("filter-failed", "a filter has made the response of another length than announced");
const SWITCHED = 101;
/** Statuses of responses that never have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);
/** The readers of these responses wait for each piece, and for the head first. */
const LIVE = /(?:^|\n)content-type:[\t ]*(?:text\/event-stream|application\/grpc)/i;

/**
 * A response on its way through a filter. The gateway sends the head together with the first bytes of the body that the filter
 * lets pass. So the filter can still respond itself after it has seen them, and a body that it held has its new length.
 *
 *   idle ──start──▶ on_response_headers ──continue──▶ open: pieces through the stage, or straight on
 *                            └──pause──▶ paused: later pieces are held ──goOn──▶ open
 *   any ──local response, failure──▶ over: nothing from the upstream passes
 */
export class ResponseSide extends PausingSink implements StageOwner {
  readonly #stream: SideStream;
  #state: "idle" | "paused" | "open" | "over" = "idle";
  #head: ResponseHead | undefined;
  #list: FieldList | undefined;
  #trailers: FieldList | undefined;
  #trailerText: Fields = "";
  #isHeadSent = false;
  #stage: BodyStage | undefined;
  /** True once the whole response has arrived. */
  #hasEnded = false;
  /** Pieces that have arrived while the head is paused. */
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #earlyEnd: Fields | undefined;
  /** The announced length in bytes; -1 if none was announced. */
  #announced = -1;
  #sent = 0;
  /** True if the source waits until it is resumed. */
  #isHeld = false;
  /** True if the client takes no more. */
  #isFull = false;

  constructor(stream: SideStream) {
    super(stream.exchange);
    this.#stream = stream;
  }

  /** The fields as the filter sees them; undefined before there is a response. */
  get fields(): FieldList | undefined {
    if (this.#list === undefined && this.#head !== undefined) this.#list = responseFields(this.#head);
    return this.#list;
  }

  get trailers(): FieldList | undefined {
    return this.#trailers;
  }

  get stage(): BodyStage | undefined {
    return this.#stage;
  }

  /** True if only the filter can continue the response. */
  get isWaiting(): boolean {
    return this.#state === "paused" || this.#stage?.isWaiting === true;
  }

  /** True if the filter has begun to read the response. */
  get isBegun(): boolean {
    return this.#state === "paused" || this.#state === "open";
  }

  /** Called when the filter lets the held part pass. */
  goOn(): void {
    if (this.#state === "paused") this.#open();
    else {
      this.#stage?.resume();
      this.#askForMore();
    }
    this.#stream.watch();
  }

  /** Nothing passes after this call. */
  close(): void {
    this.#state = "over";
    this.#forgetEarly();
    this.#stage?.close();
  }

  /** Passes the response of a lost instance as it arrived. False if a part has passed, or was changed. */
  letPass(): boolean {
    const head = this.#head;
    const bytes = this.#stage?.bytes;
    if (this.#isHeadSent || head === undefined || bytes?.isChanged === true) return false;
    const pieces = bytes?.take() ?? [];
    this.#stage?.close();
    this.#stage = undefined;
    this.#passPlain(head);
    for (const piece of pieces) this.#send(piece);
    if (this.#hasEnded) this.end(this.#trailerText);
    else this.#flushEarly();
    return true;
  }

  // --- from the upstream ---

  start(head: ResponseHead): void {
    if (this.#state === "over") return;
    if (head.status < 200 && head.status !== SWITCHED) {
      this.sink.start(head);
      return;
    }
    this.#head = head;
    const { callbacks, isLost } = this.#stream;
    if (head.error !== undefined || isLost) {
      this.#passPlain(head);
      return;
    }
    const { responseHeaders } = callbacks;
    if (responseHeaders === undefined && !callbacks.seesResponseBodies) {
      this.#passPlain(head);
      return;
    }
    this.#state = "paused";
    if (this.#callHeaders(head) === "continue") this.#open();
    this.#stream.watch();
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#state === "over") return true;
    if (this.#state === "paused") {
      this.#wait(chunk.subarray(start, end));
      this.#isHeld = true;
      return false;
    }
    if (this.#stage === undefined) this.#send(chunk, start, end);
    else {
      this.#stage.data(chunk, start, end);
      this.#stream.watch();
    }
    // The filter can hold this piece, and the client can be full of earlier ones.
    if (this.#isFull) this.#isHeld = true;
    return !this.#isFull;
  }

  drained(): void {
    this.#isFull = false;
    if (this.#state === "paused") return;
    this.#isHeld = false;
    this.resumeSource();
  }

  sendFile(file: number, offset: number, length: number): number {
    if (this.#state !== "open" || this.#stage !== undefined) return 0;
    return this.sink.sendFile?.(file, offset, length) ?? 0;
  }

  end(trailers: Fields): void {
    if (this.#state === "over") return;
    if (this.#state === "paused") {
      this.#earlyEnd = trailers;
      return;
    }
    this.#trailerText = trailers;
    this.#hasEnded = true;
    if (this.#stage === undefined) {
      this.#state = "over";
      this.sink.end(trailers);
      return;
    }
    this.#stage.end(trailers);
    this.#stream.watch();
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "over") return;
    const wasSent = this.#isHeadSent || this.#state === "idle";
    this.close();
    if (wasSent) this.sink.abort(error);
    else this.#stream.failWith(error);
  }

  // --- the filter's decisions ---

  onBody(length: number, isEnd: boolean): Outcome {
    return this.#stream.call("responseBody", length, Number(isEnd));
  }

  onTrailers(trailers: Fields): Outcome {
    this.#trailers = plainFields(trailers);
    return this.#stream.call("responseTrailers", this.#trailers.count);
  }

  pass({ pieces, length, isChanged, isLast }: Passed): undefined {
    if (!this.#isHeadSent) {
      const announced = this.#head?.bodyLength ?? -1;
      const isUnknown = isChanged || this.#list?.dropsLength === true;
      if (!this.#sendHead(isLast ? length : isUnknown ? -1 : announced)) return;
    }
    if (this.#announced >= 0 && this.#sent + length > this.#announced) {
      this.#stream.failWith(BROKEN, "makes the body longer than announced");
      return;
    }
    this.#sent += length;
    for (const piece of pieces) this.#send(piece);
  }

  #send(chunk: Uint8Array, start = 0, end = chunk.length): void {
    this.#isFull = !this.sink.data(chunk, start, end);
  }

  passEnd(): void {
    if (this.#announced >= 0 && this.#sent < this.#announced) {
      this.#stream.failWith(BROKEN, "makes the body shorter than announced");
      return;
    }
    this.#state = "over";
    const list = this.#trailers;
    this.sink.end(list?.isChanged === true ? list.fields : this.#trailerText);
  }

  #callHeaders(head: ResponseHead): Outcome {
    if (this.#stream.callbacks.responseHeaders === undefined) return "continue";
    return this.#stream.call("responseHeaders", this.fields?.count ?? 0, Number(!this.#hasBody(head)));
  }

  #hasBody({ status, bodyLength, grpcStatus }: ResponseHead): boolean {
    const isWithout = WITHOUT_BODY.has(status) || bodyLength === 0 || grpcStatus !== undefined;
    return !isWithout && this.#stream.exchange.head.method !== "HEAD";
  }

  #passPlain(head: ResponseHead): void {
    this.#state = "open";
    this.#isHeadSent = true;
    this.sink.start(head);
  }

  /** Called when the filter lets the head pass. */
  #open(): void {
    const head = this.#head;
    if (head === undefined) return;
    this.#state = "open";
    const { callbacks, runtime } = this.#stream;
    const isRaw = head.status === SWITCHED || !this.#hasBody(head) || !callbacks.seesResponseBodies;
    if (isRaw) {
      // Nothing changes the body, so the upstream's length stays valid.
      if (!this.#sendHead(this.#list?.dropsLength === true && this.#hasBody(head) ? -1 : head.bodyLength)) return;
    } else {
      const bounds = { maxBytes: MAX_HELD_RESPONSE_BYTES, memory: runtime.bodies, tooLong: TOO_LONG, noRoom: NO_ROOM };
      this.#stage = new BodyStage(this, this.#stream, bounds, head.bodyLength);
      if (LIVE.test(head.fields) && !this.#sendHead(head.bodyLength)) return;
    }
    this.#flushEarly();
  }

  /** Returns false if the head cannot be sent. */
  #sendHead(announced: number): boolean {
    const head = this.#head;
    if (head === undefined) return false;
    const changed = this.#list === undefined ? head : changedResponse(head, this.#list);
    if (typeof changed === "string") {
      this.#stream.fail(changed);
      return false;
    }
    // A response without a body can announce the length of another response's body.
    const isEmpty = WITHOUT_BODY.has(head.status) && this.#stream.exchange.head.method !== "HEAD";
    const bodyLength = isEmpty && !WITHOUT_BODY.has(changed.status) ? 0 : announced;
    this.#isHeadSent = true;
    this.#announced = this.#stage === undefined ? -1 : bodyLength;
    this.sink.start(bodyLength === changed.bodyLength ? changed : changedHead(changed, { bodyLength }));
    return true;
  }

  #wait(piece: Uint8Array): void {
    if (this.#earlyBytes + piece.length > MAX_HELD_RESPONSE_BYTES) this.#stream.failWith(TOO_LONG);
    else if (this.#stream.runtime.bodies.take(piece.length)) {
      this.#early.push(piece);
      this.#earlyBytes += piece.length;
    } else this.#stream.failWith(NO_ROOM);
  }

  #forgetEarly(): void {
    this.#stream.runtime.bodies.give(this.#earlyBytes);
    this.#early = [];
    this.#earlyBytes = 0;
  }

  /** Passes on the pieces that arrived while the head was paused. */
  #flushEarly(): void {
    const pieces = this.#early;
    const trailers = this.#earlyEnd;
    this.#forgetEarly();
    for (const piece of pieces) this.data(piece);
    if (trailers !== undefined) this.end(trailers);
    else this.#askForMore();
  }

  /** Resumes a source that was paused, if the client takes more. */
  #askForMore(): void {
    if (!this.#isHeld || this.#isFull || this.#state !== "open") return;
    this.#isHeld = false;
    this.resumeSource();
  }
}
