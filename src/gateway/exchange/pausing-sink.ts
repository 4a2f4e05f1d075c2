import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type DrainStage, type Exchange, type ResponseHead, type ResponseSink } from "./exchange.ts";

/**
 * A sink before the response that pauses its source for reasons of its own: it waits for a payment, a thread or a filter. A
 * drain visits all pausing sinks of an exchange, from the client to the source, and each decides when the one before it can
 * go on.
 *
 *   source ── data ───▶ pausing sink ── data ───▶ pausing sink ── data ───▶ client
 *   source ◀─ onDrain ─ pausing sink ◀─ drained ─ pausing sink ◀─ drained ─ client
 */
export abstract class PausingSink implements ResponseSink, DrainStage {
  before: DrainStage | undefined;
  readonly sink: ResponseSink;
  protected readonly exchange: Exchange;

  /** Puts itself before the exchange's response. */
  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.sink = exchange.response;
    exchange.response = this;
    let last = exchange.lastStage;
    while (last?.before !== undefined) last = last.before;
    if (last === undefined) exchange.lastStage = this;
    else last.before = this;
  }

  abstract start(head: ResponseHead): void;
  abstract data(chunk: Uint8Array, start?: number, end?: number): boolean;
  abstract end(trailers: Fields): void;
  abstract abort(error: TurnpikeError): void;

  /** The sink takes more. It may not have been full: HTTP/1.1 also reports that an earlier response was sent. */
  abstract drained(): void;

  /** Lets the source continue after `data` returned false. */
  protected resumeSource(): void {
    if (this.before === undefined) this.exchange.onDrain?.();
    else this.before.drained();
  }

  /** From now on, responses go directly to the sink behind this one. */
  protected stepAside(): void {
    this.exchange.response = this.sink;
    this.before = undefined;
  }
}
