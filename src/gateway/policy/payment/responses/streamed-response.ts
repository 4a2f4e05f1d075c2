import { changedHead } from "../../../exchange/exchange-state.ts";
import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValue, fieldValues } from "../../../../lib/http/fields.ts";
import { GRPC, parseGrpcStatus } from "../../../../lib/http/grpc-status.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange/exchange.ts";
import { FrameCursor } from "../../../../lib/http/websocket-frames.ts";
import { OVERRIDES, paidFields, withoutPaymentClaims } from "../protocol/response-fields.ts";
import { unsellable } from "./unsellable.ts";

/** The result of a response that was paid for in advance. One of the events is reported, once. */
export interface StreamedEvents {
  /**
   * `delivered`: the client received a good response completely, or a tunnel began to flow. `partial`: a part of a good one was sent,
   * or the tunnel was open.
   */
  over(delivered: boolean, partial: boolean): void;
  /** Whether this status is free, by the upstream's Settlement-Overrides fields. The payment is then still owed. */
  isFree(status: number, overrides: readonly string[]): boolean;
  /** Nothing was sent: the listener must respond. */
  broken(error: TurnpikeError): void;
}

/**
 * Stands before an exchange's response whose request is paid for, and lets the response through piece by piece, with the
 * receipt in its head.
 *
 *   waiting ──start──▶ passing ──taken, cut off, client gone──▶ over
 *      ├──start 101──▶ passing ──first whole frame──▶ over: a tunnel is delivered, unless it is a Close frame
 *      └──abort──▶ over: broken
 */
export class StreamedResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  readonly #receipt: Fields;
  readonly #events: StreamedEvents;
  #state: "waiting" | "passing" | "over" = "waiting";
  /** Follows the first frame of a tunnel. */
  #tunnel: FrameCursor | undefined;
  /** The upstream delivered what the client paid for, as far as is known. */
  #good = true;

  constructor(exchange: Exchange, receipt: Fields, events: StreamedEvents) {
    this.#exchange = exchange;
    this.#sink = exchange.response;
    this.#receipt = receipt;
    this.#events = events;
    exchange.response = this;
    exchange.onTaken = (taken) => this.#finish(this.#good && taken);
  }

  start(head: ResponseHead): void {
    const { status } = head;
    if (status < 200 && status !== 101) {
      this.#sink.start(changedHead(head, { fields: withoutPaymentClaims(head.fields) }));
      return;
    }
    const reason = this.#state === "waiting" ? unsellable(this.#exchange, head) : undefined;
    if (reason !== undefined) {
      this.abort(reason);
      this.#exchange.onCancel?.();
      return;
    }
    const isFree = this.#events.isFree(status, fieldValues(head.fields, OVERRIDES));
    this.#good = (head.grpcStatus ?? GRPC.OK) === GRPC.OK && !isFree;
    if (this.#state === "waiting") this.#state = "passing";
    if (status === 101) this.#tunnel = new FrameCursor();
    this.#sink.start(changedHead(head, { fields: paidFields(head, this.#receipt) }));
    if (this.#tunnel !== undefined && isFree) this.#finish(false);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const takesMore = this.#sink.data(chunk, start, end);
    const tunnel = this.#tunnel;
    if (tunnel === undefined || this.#state !== "passing" || start === end) return takesMore;
    const from = tunnel.isBetweenFrames ? tunnel.read(chunk, start, start + 1, false) : start;
    tunnel.read(chunk, from, end, true);
    if (tunnel.isBetweenFrames) this.#finish(!tunnel.sawClose);
    return takesMore;
  }

  end(trailers: Fields): void {
    const status = fieldValue(trailers, "grpc-status");
    this.#good &&= status === undefined || parseGrpcStatus(status) === GRPC.OK;
    // A failed response stays owed, even if the client received it, and so does a tunnel in which nothing came.
    if (!this.#good || this.#tunnel !== undefined) this.#finish(false);
    this.#sink.end(withoutPaymentClaims(trailers));
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "waiting") {
      this.#state = "over";
      this.#exchange.response = this.#sink;
      this.#events.broken(error);
      return;
    }
    this.#sink.abort(error);
    this.#finish(false);
  }

  /** Called when the client went away. */
  leave(): void {
    this.#finish(false);
  }

  #finish(delivered: boolean): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#events.over(
      delivered,
      !delivered && this.#good && (this.#tunnel !== undefined || this.#exchange.bytesSent > 0),
    );
  }
}
