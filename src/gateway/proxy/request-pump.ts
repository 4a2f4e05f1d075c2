import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { CannedError } from "../exchange/local-response.ts";
import { type BodySink, type RequestBody } from "../exchange/exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { type KeptBody } from "./retry/kept-body.ts";
import { type MessageMeter } from "./message-meter.ts";
import { type RequestCopy } from "./request-copy.ts";

const MESSAGE_TOO_LARGE = new CannedError("body-too-large", "a message of the call is larger than this route allows");
const TOO_LONG = new CannedError("upstream-failed", "the upstream gave up a request that is too long to be sent again");
const NO_ROOM = new CannedError("overloaded", "no memory is left for data that waits for the upstream");

/** An upstream request: an HTTP/1 connection that carries only this request, or a stream of an HTTP/2 connection. */
export type UpstreamRequest = ClientConnection | ClientStream;

/** True for a stream of HTTP/2. It does not name its class, because a gateway without HTTP/2 does not load it. */
export function isStream(request: UpstreamRequest | undefined): request is ClientStream {
  return request !== undefined && !(request instanceof ClientConnection);
}

/** The forwarding of the request, which owns the pump. */
export interface PumpOwner {
  /** Receives the body as well. */
  readonly copy: RequestCopy | undefined;
  /** The body was gathered, or as much of it as the limits allow. The rest is read after the upstream request begins. */
  gathered(): void;
  /** The whole body was passed on. */
  requestSent(): void;
  fail(error: TurnpikeError): void;
}

/** The limits for gathering a body before its request takes an upstream connection. */
export interface GatherBounds {
  /** Bytes of one body. */
  readonly maxBytes: number;
  /** The memory of all bodies. */
  readonly account: BufferAccount;
  /** The memory for bytes beyond these limits that wait for the upstream request. */
  readonly overflow: BufferAccount;
}

/** Part of the body, in its original buffer. */
interface Piece {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Passes a request's body from the client to the upstream request. A slow client must not occupy an upstream connection, so
 * its body is gathered first, within limits. A kept body can be sent again.
 *
 *   gather ──end, or the limits──▶ sendBy an upstream request ──▶ waiting bytes, then new ones
 */
export class RequestPump implements BodySink {
  readonly #owner: PumpOwner;
  readonly #body: RequestBody;
  /** Undefined before the first upstream request, and between two. */
  #upstreamRequest: UpstreamRequest | undefined;
  #isReading = false;
  /** All bytes that were sent. Undefined if they are not kept, or no longer. */
  #kept: KeptBody | undefined;
  readonly #messages: MessageMeter | undefined;
  /** Set while the body is gathered. */
  #gathering: GatherBounds | undefined;
  /** The body in one piece, as most bodies arrive. It is passed on without a copy. */
  #only: Piece | undefined;
  /** Bytes that wait for the upstream request: the gathered ones, then those that came after them. */
  #waiting: ByteQueue[] | undefined;
  /** The trailers that ended the body. */
  #trailers: Fields | undefined;
  /** The upstream request has received the end. */
  #hasEnded = false;
  /** The owner's copy has received the end, which it gets once. */
  #isCopied = false;
  #isOver = false;
  /** Bytes of the body that were sent. Bytes that were sent again count once. */
  sent = 0;

  /** With `kept`, the body can be sent again. `messages` is set for the body of a gRPC call. */
  constructor(
    owner: PumpOwner,
    body: RequestBody,
    { kept, messages }: { kept: KeptBody | undefined; messages?: MessageMeter | undefined },
  ) {
    this.#owner = owner;
    this.#body = body;
    this.#kept = kept;
    this.#messages = messages;
  }

  /** The body can be sent again from its beginning. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Reads the body before there is an upstream request. Calls `gathered`, unless the body fails. */
  gather(bounds: GatherBounds): void {
    this.#gathering = bounds;
    this.#waiting = [new ByteQueue(bounds.account)];
    this.#isReading = true;
    this.#body.readTo(this);
  }

  /** Sends by `upstream request` the bytes that were gathered or sent before, and those that follow. */
  sendBy(upstreamRequest: UpstreamRequest): void {
    this.#upstreamRequest = upstreamRequest;
    this.#hasEnded = false;
    upstreamRequest.onSendable = () => this.#goOn();
    if (!this.#isReading) {
      this.#isReading = true;
      this.#body.readTo(this);
      return;
    }
    const kept = this.#kept;
    if (kept === undefined || kept.length === 0 || upstreamRequest.data(kept.bytes, 0, kept.length)) this.#goOn();
    else if (this.#trailers !== undefined) this.#endAt(upstreamRequest, this.#trailers);
  }

  /** The upstream request has ended. Another one will send the kept body again. */
  detach(): void {
    this.#upstreamRequest = undefined;
    this.#body.pause();
  }

  /** Drops the kept bytes: the body will not be sent again. */
  forget(): void {
    this.#kept?.clear();
    this.#kept = undefined;
  }

  /** Sends nothing more of the body. */
  close(): void {
    this.#isOver = true;
    this.forget();
    this.#only = undefined;
    for (const queue of this.#waiting ?? []) queue.clear();
    this.#waiting = undefined;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#isOver) return true;
    if (this.#messages?.takes(chunk, start, end) === false) {
      this.#owner.fail(MESSAGE_TOO_LARGE);
      return true;
    }
    if (this.#gathering !== undefined) return this.#gather(this.#gathering, { chunk, start, end });
    if (this.#waiting !== undefined) {
      this.#wait({ chunk, start, end });
      return false;
    }
    return this.#pass(chunk, start, end);
  }

  end(trailers: Fields): void {
    if (this.#isOver) return;
    this.#trailers = trailers;
    if (this.#gathering !== undefined) this.#gathered();
    else if (this.#waiting === undefined) this.#endAt(this.#upstreamRequest, trailers);
  }

  abort(error: TurnpikeError): void {
    this.#owner.fail(error);
  }

  #gather(bounds: GatherBounds, piece: Piece): boolean {
    const [queue] = this.#waiting ?? [];
    if (queue === undefined) return true;
    if (this.#body.complete === true && queue.length === 0 && this.#only === undefined) {
      this.#only = piece;
      return true;
    }
    const pieces = this.#only === undefined ? [piece] : [this.#only, piece];
    this.#only = undefined;
    const beyond = pieces.findIndex((next) => !addWithin(queue, next, bounds.maxBytes));
    if (beyond === -1) return true;
    this.#waiting?.push(new ByteQueue(bounds.overflow));
    for (const next of pieces.slice(beyond)) this.#wait(next);
    if (!this.#isOver) this.#gathered();
    // False pauses the client until the upstream request asks for more. A fast upstream request has done so already.
    return this.#isOver || this.#waiting === undefined;
  }

  #gathered(): void {
    this.#gathering = undefined;
    this.#owner.gathered();
  }

  #wait({ chunk, start, end }: Piece): void {
    if (this.#waiting?.at(-1)?.push(chunk, start, end) === false) this.#owner.fail(NO_ROOM);
  }

  /** The upstream request accepts more: sends the waiting bytes, then resumes the client. */
  #goOn(): void {
    if (this.#hasEnded) return;
    const only = this.#only;
    this.#only = undefined;
    if (only !== undefined) this.#pass(only.chunk, only.start, only.end);
    const hasRoom = this.#flush();
    if (this.#isOver || this.#waiting !== undefined) return;
    if (this.#trailers !== undefined) this.#endAt(this.#upstreamRequest, this.#trailers);
    else if (hasRoom) this.#body.resume();
  }

  /** False: the upstream request accepts no more for now. */
  #flush(): boolean {
    let hasRoom = true;
    for (const queue of this.#waiting ?? []) {
      for (let piece = queue.first; piece !== undefined; piece = queue.first) {
        if (!hasRoom || this.#upstreamRequest === undefined) return false;
        const { bytes, start, end } = piece;
        queue.shift(end - start);
        hasRoom = this.#pass(bytes, start, end);
        if (this.#isOver) return false;
      }
    }
    this.#waiting = undefined;
    return hasRoom;
  }

  #pass(chunk: Uint8Array, start: number, end: number): boolean {
    this.sent += end - start;
    if (this.#kept?.add(chunk, start, end) === false) this.#kept = undefined;
    const takesMore = this.#upstreamRequest !== undefined && this.#upstreamRequest.data(chunk, start, end);
    this.#owner.copy?.data(chunk, start, end);
    if (this.#upstreamRequest === undefined && this.#kept === undefined) this.#owner.fail(TOO_LONG);
    return takesMore;
  }

  #endAt(upstreamRequest: UpstreamRequest | undefined, trailers: Fields): void {
    if (upstreamRequest !== undefined) {
      this.#hasEnded = true;
      upstreamRequest.end(trailers);
      this.#owner.requestSent();
    }
    if (this.#isCopied) return;
    this.#isCopied = true;
    this.#owner.copy?.end(trailers);
  }
}

/** Returns false and adds nothing if the queue would exceed `maxBytes`, or if no memory is left. */
function addWithin(queue: ByteQueue, { chunk, start, end }: Piece, maxBytes: number): boolean {
  return queue.length + end - start <= maxBytes && queue.push(chunk, start, end);
}
