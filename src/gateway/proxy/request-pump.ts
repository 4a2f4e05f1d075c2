import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { CannedError } from "../answer.ts";
import { type BodySink, type RequestBody } from "../exchange.ts";
import { type ClientConnection } from "../http1/client-connection.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { type KeptBody } from "./kept-body.ts";
import { type RequestCopy } from "./request-copy.ts";

const TOO_LONG = new CannedError("upstream-failed", "the upstream gave up a request that is too long to be sent again");

/** One request on its way: an HTTP/1 connection that carries it alone, or a stream of an HTTP/2 connection. */
export type Carrier = ClientConnection | ClientStream;

/** What a pump needs of who forwards the request. */
export interface PumpOwner {
  /** Is told of the body as well. */
  readonly copy: RequestCopy | undefined;
  /** All of the body was handed on. */
  requestSent(): void;
  fail(error: TurnpikeError): void;
}

/** Carries a request's body from the client to the upstream; one that is kept can be carried again. */
export class RequestPump implements BodySink {
  readonly #owner: PumpOwner;
  readonly #body: RequestBody;
  /** Undefined between two carriers. */
  #carrier: Carrier | undefined;
  /** All that was sent so far; undefined where it is not kept, or not any more. */
  #kept: KeptBody | undefined;
  /** What ended the body. */
  #trailers: Fields | undefined;

  constructor(owner: PumpOwner, body: RequestBody, kept: KeptBody | undefined) {
    this.#owner = owner;
    this.#body = body;
    this.#kept = kept;
  }

  /** The body can be sent again, from its beginning. */
  get isKept(): boolean {
    return this.#kept !== undefined;
  }

  /** Sends the body by `carrier`; called once. */
  begin(carrier: Carrier): void {
    this.#take(carrier);
    this.#body.readTo(this);
  }

  /** The carrier is gone, and the body, which is kept, will be sent by another one. */
  detach(): void {
    this.#carrier = undefined;
    this.#body.pause();
  }

  /** Sends by `carrier` what was sent by another, and what follows. */
  again(carrier: Carrier): void {
    this.#take(carrier);
    const kept = this.#kept;
    const hasRoom = kept === undefined || kept.length === 0 || carrier.data(kept.bytes, 0, kept.length);
    if (this.#trailers !== undefined) {
      carrier.end(this.#trailers);
      this.#owner.requestSent();
    } else if (hasRoom) this.#body.resume();
  }

  /** The body need not be sent again. */
  forget(): void {
    this.#kept?.clear();
    this.#kept = undefined;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#kept?.add(chunk, start, end) === false) this.#kept = undefined;
    const takesMore = this.#carrier !== undefined && this.#carrier.data(chunk, start, end);
    this.#owner.copy?.data(chunk, start, end);
    if (this.#carrier === undefined && this.#kept === undefined) this.#owner.fail(TOO_LONG);
    return takesMore;
  }

  end(trailers: Fields): void {
    this.#trailers = trailers;
    if (this.#carrier !== undefined) {
      this.#carrier.end(trailers);
      this.#owner.requestSent();
    }
    this.#owner.copy?.end(trailers);
  }

  abort(error: TurnpikeError): void {
    this.#owner.fail(error);
  }

  #take(carrier: Carrier): void {
    this.#carrier = carrier;
    carrier.onSendable = () => this.#body.resume();
  }
}
