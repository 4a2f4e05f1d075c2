import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { type Exchange, type ResponseHead } from "../exchange.ts";
import * as errors from "./forward-errors.ts";
import { MessageMeter } from "./message-meter.ts";
import { type BufferSource, ResponseBuffer } from "./response-buffer.ts";
import { type ForwardTarget } from "./target.ts";

/** What a response is: a call of gRPC and a stream of events may last, and their clients must get them as they come. */
export type ResponseKind = "whole" | "call" | "events";

/** The body of an upstream's response on its way to the client, within the route's bounds. */
export class ResponseFlow {
  readonly #exchange: Exchange;
  readonly #source: BufferSource;
  readonly #target: Pick<ForwardTarget, "maxResponseBytes" | "responses">;
  #kind: ResponseKind = "whole";
  /** Of a call of gRPC each message is limited, in place of all of them. */
  #messages: MessageMeter | undefined;
  #maxBytes = 0;
  /** Bytes that came from the upstream. */
  received = 0;
  /** Bytes in all; -1 where that is not known. */
  #expected = -1;
  /** Made once the client does not keep up. */
  #buffer: ResponseBuffer | undefined;

  constructor(exchange: Exchange, source: BufferSource, target: ForwardTarget) {
    this.#exchange = exchange;
    this.#source = source;
    this.#target = target;
  }

  /** The final head has come. */
  begin(head: ResponseHead, kind: ResponseKind): void {
    this.#kind = kind;
    this.#expected = head.bodyLength;
    this.#maxBytes = kind === "events" ? Number.POSITIVE_INFINITY : this.#target.maxResponseBytes;
    if (kind === "call") this.#messages = new MessageMeter(this.#maxBytes);
  }

  /** As `BodySink.data`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    this.received += end - start;
    const fits = this.#messages?.takes(chunk, start, end) ?? this.received <= this.#maxBytes;
    if (!fits) {
      this.#source.fail(errors.TOO_LARGE);
      return true;
    }
    if (this.#buffer !== undefined) return this.#buffer.data(chunk, start, end);
    return this.#exchange.response.data(chunk, start, end) || this.#mayRunAhead();
  }

  /** The client has had enough for now. True: the server may go on all the same. */
  #mayRunAhead(): boolean {
    const { responses } = this.#target;
    const isWhole = this.received === this.#expected;
    if (responses === undefined || this.#kind !== "whole" || isWhole || !responses.spare.admits) return false;
    this.#buffer = new ResponseBuffer(this.#exchange, this.#source, responses);
    return true;
  }

  /** The client can take more. */
  drained(): void {
    if (this.#buffer === undefined) this.#source.resume();
    else this.#buffer.drained();
  }

  end(trailers: Fields): void {
    if (this.#buffer === undefined) this.#exchange.response.end(trailers);
    else this.#buffer.end(trailers);
  }

  /** Nobody wants what the client has not taken. */
  drop(): void {
    this.#buffer?.drop();
  }

  /** The server has done its part, and what the client has still to come cannot be had. */
  failLate(error: TurnpikeError): void {
    if (this.#buffer?.isOver !== false) return;
    this.#buffer.drop();
    this.#exchange.response.abort(error);
  }
}
