import { type BufferAccount } from "../../lib/buffer-pool.ts";
import { ByteQueue } from "../../lib/byte-queue.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { CannedError } from "../answer.ts";
import { type BodySink, type RequestBody } from "../exchange.ts";
import { type ClientConnection } from "../http1/client-connection.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { type KeptBody } from "./kept-body.ts";
import { type MessageMeter } from "./message-meter.ts";
import { type RequestCopy } from "./request-copy.ts";

const MESSAGE_TOO_LARGE = new CannedError("body-too-large", "a message of the call is larger than this route allows");
const TOO_LONG = new CannedError("upstream-failed", "the upstream gave up a request that is too long to be sent again");
const NO_ROOM = new CannedError("overloaded", "no memory is left for what waits to be sent to the upstream");

/** One request on its way: an HTTP/1 connection that carries it alone, or a stream of an HTTP/2 connection. */
export type Carrier = ClientConnection | ClientStream;

/** What a pump needs of who forwards the request. */
export interface PumpOwner {
  /** Is told of the body as well. */
  readonly copy: RequestCopy | undefined;
  /** The body is gathered, or as much of it as may be: the rest is read once there is a carrier. */
  gathered(): void;
  /** All of the body was handed on. */
  requestSent(): void;
  fail(error: TurnpikeError): void;
}

/** How much of a body is gathered before its request takes a connection to the upstream. */
export interface GatherBounds {
  /** Of one body, in bytes. */
  readonly maxBytes: number;
  /** Of all bodies. */
  readonly account: BufferAccount;
  /** What comes beyond these before there is a carrier waits here. */
  readonly overflow: BufferAccount;
}

/** A piece of the body, where it lies. */
interface Piece {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Carries a request's body from the client to the upstream. A slow client must not hold a connection to the upstream, so its body
 * is gathered first, within bounds; one that is kept can be carried again.
 *
 *   gather ──end, or the bounds──▶ sendBy a carrier ──▶ what waits, then what comes
 */
export class RequestPump implements BodySink {
  readonly #owner: PumpOwner;
  readonly #body: RequestBody;
  /** Undefined before the first carrier, and between two. */
  #carrier: Carrier | undefined;
  #isReading = false;
  /** All that was sent so far; undefined where it is not kept, or not any more. */
  #kept: KeptBody | undefined;
  readonly #messages: MessageMeter | undefined;
  /** Set while the body is gathered. */
  #gathering: GatherBounds | undefined;
  /** The body in one piece, as most come: it goes on from where it lies. */
  #only: Piece | undefined;
  /** What waits for a carrier, or for room at it: what was gathered, and what came after that. */
  #waiting: ByteQueue[] | undefined;
  /** What ended the body. */
  #trailers: Fields | undefined;
  /** The carrier was given the end. */
  #hasEnded = false;
  #isOver = false;
  /** Bytes of the body that went to a carrier; those that went to another one again are counted once. */
  sent = 0;

  /** `call` is there where the body is a call's. */
  constructor(owner: PumpOwner, body: RequestBody, call: { kept: KeptBody; messages: MessageMeter } | undefined) {
    this.#owner = owner;
    this.#body = body;
    this.#kept = call?.kept;
    this.#messages = call?.messages;
  }

  /** The body can be sent again, from its beginning. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Reads the body before there is a carrier; `gathered` follows, unless the body fails. */
  gather(bounds: GatherBounds): void {
    this.#gathering = bounds;
    this.#waiting = [new ByteQueue(bounds.account)];
    this.#isReading = true;
    this.#body.readTo(this);
  }

  /** Sends by `carrier` what was gathered, or sent by another one, and what follows. */
  sendBy(carrier: Carrier): void {
    this.#carrier = carrier;
    this.#hasEnded = false;
    carrier.onSendable = () => this.#goOn();
    if (!this.#isReading) {
      this.#isReading = true;
      this.#body.readTo(this);
      return;
    }
    const kept = this.#kept;
    if (kept === undefined || kept.length === 0 || carrier.data(kept.bytes, 0, kept.length)) this.#goOn();
    else if (this.#trailers !== undefined) this.#endAt(carrier, this.#trailers);
  }

  /** The carrier is gone, and the body, which is kept, will be sent by another one. */
  detach(): void {
    this.#carrier = undefined;
    this.#body.pause();
  }

  /** The body need not be sent again. */
  forget(): void {
    this.#kept?.clear();
    this.#kept = undefined;
  }

  /** Nothing more of the body is sent. */
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
    else if (this.#waiting === undefined) this.#endAt(this.#carrier, trailers);
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
    const first = this.#only;
    this.#only = undefined;
    const { maxBytes } = bounds;
    const fits = (first === undefined || addWithin(queue, first, maxBytes)) && addWithin(queue, piece, maxBytes);
    if (fits) return true;
    this.#waiting?.push(new ByteQueue(bounds.overflow));
    if (first !== undefined && queue.length === 0) this.#wait(first);
    this.#wait(piece);
    if (!this.#isOver) this.#gathered();
    // False holds the rest back until the carrier asks for it; one that was quick has done so.
    return this.#isOver || this.#waiting === undefined;
  }

  #gathered(): void {
    this.#gathering = undefined;
    this.#owner.gathered();
  }

  /** Has a piece wait behind the others. */
  #wait({ chunk, start, end }: Piece): void {
    if (this.#waiting?.at(-1)?.push(chunk, start, end) === false) this.#owner.fail(NO_ROOM);
  }

  /** The carrier has room: sends what waits, then has the rest come. */
  #goOn(): void {
    if (this.#hasEnded) return;
    const only = this.#only;
    this.#only = undefined;
    if (only !== undefined) this.#pass(only.chunk, only.start, only.end);
    const hasRoom = this.#flush();
    if (this.#isOver || this.#waiting !== undefined) return;
    if (this.#trailers !== undefined) this.#endAt(this.#carrier, this.#trailers);
    else if (hasRoom) this.#body.resume();
  }

  /** False: the carrier is full. */
  #flush(): boolean {
    let hasRoom = true;
    for (const queue of this.#waiting ?? []) {
      for (let piece = queue.first; piece !== undefined; piece = queue.first) {
        if (!hasRoom || this.#carrier === undefined) return false;
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
    const takesMore = this.#carrier !== undefined && this.#carrier.data(chunk, start, end);
    this.#owner.copy?.data(chunk, start, end);
    if (this.#carrier === undefined && this.#kept === undefined) this.#owner.fail(TOO_LONG);
    return takesMore;
  }

  #endAt(carrier: Carrier | undefined, trailers: Fields): void {
    if (carrier !== undefined) {
      this.#hasEnded = true;
      carrier.end(trailers);
      this.#owner.requestSent();
    }
    this.#owner.copy?.end(trailers);
  }
}

/** False, with nothing added, where the queue would have more than `maxBytes`, or there is no memory. */
function addWithin(queue: ByteQueue, { chunk, start, end }: Piece, maxBytes: number): boolean {
  return queue.length + end - start <= maxBytes && queue.push(chunk, start, end);
}
