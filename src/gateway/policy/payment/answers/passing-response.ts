import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldValue, fieldValues } from "../../../../lib/fields.ts";
import { GRPC, parseGrpcStatus } from "../../../../lib/grpc-status.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange.ts";
import { OVERRIDES, paidFields, withoutPaymentClaims } from "../response-fields.ts";

/** What becomes of an answer that was paid for in advance: told once. */
export interface PassingEvents {
  /** `delivered`: the client's side took a good answer whole; `partial`: a part of one went out, and not the whole. */
  over(delivered: boolean, partial: boolean): void;
  /** Asked, by the upstream's Settlement-Overrides fields: whether nothing is to be paid for this status. The payment is owed then. */
  isFree(status: number, overrides: readonly string[]): boolean;
  /** Nothing went out: the answer is the listener's to give. */
  broken(error: TurnpikeError): void;
}

/**
 * Stands before an exchange's response whose request is paid for, and lets the answer through piece by piece, with the
 * receipt in its head.
 *
 *   waiting ──start──▶ passing ──taken, cut off, client gone──▶ over
 *      ├──start 101──▶ over, delivered: what is sold is the tunnel
 *      └──abort──▶ over: broken
 */
export class PassingResponse implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  readonly #receipt: Fields;
  readonly #events: PassingEvents;
  #state: "waiting" | "passing" | "over" = "waiting";
  /** The upstream did what it was paid for, as far as is known. */
  #good = true;

  constructor(exchange: Exchange, receipt: Fields, events: PassingEvents) {
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
      this.#sink.start({ ...head, fields: withoutPaymentClaims(head.fields) });
      return;
    }
    const isFree = this.#events.isFree(status, fieldValues(head.fields, OVERRIDES));
    this.#good = (head.grpcStatus ?? GRPC.OK) === GRPC.OK && !isFree;
    if (this.#state === "waiting") this.#state = "passing";
    this.#sink.start({ ...head, fields: paidFields(head.fields, this.#receipt) });
    if (status === 101) this.#finish(true);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    return this.#sink.data(chunk, start, end);
  }

  end(trailers: Fields): void {
    const status = fieldValue(trailers, "grpc-status");
    this.#good &&= status === undefined || parseGrpcStatus(status) === GRPC.OK;
    // A failure is owed, whoever took it.
    if (!this.#good) this.#finish(false);
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

  /** The client went away. */
  leave(): void {
    this.#finish(false);
  }

  #finish(delivered: boolean): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#events.over(delivered, !delivered && this.#good && this.#exchange.bytesSent > 0);
  }
}
