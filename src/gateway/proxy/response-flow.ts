import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields, fieldValue } from "../../lib/http/fields.ts";
import { parseGrpcStatus } from "../../lib/http/grpc-status.ts";
import { type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import * as errors from "./forward-errors.ts";
import { MessageMeter } from "./message-meter.ts";
import { type BufferSource, ResponseBuffer } from "./response-buffer.ts";
import { type ForwardTarget } from "./target.ts";

/** The kind of a response. gRPC calls and event streams may last, and their clients must receive the data without delay. */
export type ResponseKind = "whole" | "call" | "events";

/** Passes the body of an upstream's response to the client, within the route's limits. */
export class ResponseFlow {
  readonly #exchange: Exchange;
  readonly #source: BufferSource;
  readonly #target: Pick<ForwardTarget, "maxResponseBytes" | "responses">;
  #kind: ResponseKind = "whole";
  /** The trailers of a gRPC call must have its status, as its head had none. */
  #lacksStatus = false;
  /** Limits each message of a gRPC call, instead of the whole body. */
  #messages: MessageMeter | undefined;
  #maxBytes = 0;
  /** Bytes that came from the upstream. */
  received = 0;
  /** Bytes of the whole body; -1 if unknown. */
  #expected = -1;
  /** Created when the client does not keep up. */
  #buffer: ResponseBuffer | undefined;

  constructor(exchange: Exchange, source: BufferSource, target: ForwardTarget) {
    this.#exchange = exchange;
    this.#source = source;
    this.#target = target;
  }

  begin(head: ResponseHead, kind: ResponseKind): void {
    this.#kind = kind;
    this.#expected = head.bodyLength;
    this.#maxBytes = kind === "events" ? Number.POSITIVE_INFINITY : this.#target.maxResponseBytes;
    if (kind !== "call") return;
    this.#messages = new MessageMeter(this.#maxBytes);
    this.#lacksStatus = head.grpcStatus === undefined;
  }

  /** Like `BodySink.data`. */
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

  /** Like `ResponseSink.keepsNoChunk`. */
  get keepsNoChunk(): boolean {
    return this.#buffer === undefined && this.#exchange.response.keepsNoChunk === true;
  }

  /** The client accepts no more for now. True: the server may continue, because a buffer takes its data. */
  #mayRunAhead(): boolean {
    const { responses } = this.#target;
    const isWhole = this.received === this.#expected;
    if (responses === undefined || this.#kind !== "whole" || isWhole || !responses.spare.admits) return false;
    this.#buffer = new ResponseBuffer(this.#exchange, this.#source, responses);
    return true;
  }

  /** The client accepts more. */
  drained(): void {
    if (this.#buffer === undefined) this.#source.resume();
    else this.#buffer.drained();
  }

  end(trailers: Fields): void {
    const isCut = this.#lacksStatus && parseGrpcStatus(fieldValue(trailers, "grpc-status")) === undefined;
    if (isCut) this.#exchange.response.abort(errors.NO_STATUS);
    else if (this.#buffer === undefined) this.#exchange.response.end(trailers);
    else this.#buffer.end(trailers);
  }

  /** Drops the bytes that the client has not received. */
  drop(): void {
    this.#buffer?.drop();
  }

  /** The upstream's response is complete, but its buffered bytes cannot be delivered. */
  failLate(error: TurnpikeError): void {
    if (this.#buffer?.isOver !== false) return;
    this.#buffer.drop();
    this.#exchange.response.abort(error);
  }
}
