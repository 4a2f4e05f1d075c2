import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields, fieldLine, fieldValue, fieldValues, withoutFields } from "../../../../lib/http/fields.ts";
import { type Ruler } from "../../../../lib/metering/ruler.ts";
import { rulerOf } from "../../../../lib/metering/ruler-of.ts";
import { type Meter, PAYMENT_STREAM } from "../../../../payments/x402/meter.ts";
import { changedHead } from "../../../exchange/exchange-state.ts";
import { type Exchange, type ResponseHead } from "../../../exchange/exchange.ts";
import { PausingSink } from "../../../exchange/pausing-sink.ts";
import { OVERRIDES, paidFields, withoutPaymentClaims } from "../protocol/response-fields.ts";
import { unsellable } from "../responses/unsellable.ts";
import { UnitQueue } from "./unit-queue.ts";

/** The end of an event stream, and of a WebSocket connection (1008, policy violation), for which no payment came. */
const UNPAID_EVENT = Buffer.from(
  `event: error\ndata: ${JSON.stringify({ type: "urn:turnpike:error:payment-required", title: "Payment Required" })}\n\n`,
);
const UNPAID_CLOSE = Uint8Array.of(0x88, 2, 0x03, 0xf0);

const UNPAID = new TurnpikeError("payment-required", "no payment came for the rest of the response");
const NO_LEDGER = new TurnpikeError("overloaded", "the payment for the rest of the response could not be recorded");

const upstreamError = (detail: string): TurnpikeError => new TurnpikeError("upstream-failed", detail);

/** The events of a metered response. One of `over` and `broken` is reported, once. */
export interface MeteredEvents {
  /** The response has ended, as far as it was paid. */
  over(): void;
  /** Nothing was sent: the listener must respond. */
  broken(error: TurnpikeError): void;
  isFree(status: number, overrides: readonly string[]): boolean;
  failed(error: unknown): void;
}

/** The fields about the payment in a response that is sold, and in one that is free. */
export interface Receipts {
  readonly sold: Fields;
  readonly free: Fields;
}

export interface PaidUnits {
  readonly name: string;
  /** Units that may leave. */
  readonly room: number;
  use(units: number): void;
  /** Waits for the next payment. False: none came. Rejects if the ledger fails. */
  more(): Promise<boolean>;
  /** The response has ended. Later calls do nothing. */
  end(): void;
}

interface MeteredOptions {
  readonly meter: Meter;
  readonly receipts: Receipts;
  readonly events: MeteredEvents;
}

/**
 * Stands before an exchange's response of which each unit is paid for before it leaves. Without a payment, the sender is paused.
 *
 *   waiting ── start ─┬─ nothing to charge ─▶ free
 *                     └────────────────────▶ flowing ◀── paid ──▶ paused ── no payment came ─▶ over
 */
export class MeteredResponse extends PausingSink {
  readonly #stream: PaidUnits;
  readonly #meter: Meter;
  readonly #receipts: Receipts;
  readonly #events: MeteredEvents;
  readonly #ruler: Ruler;
  readonly #queue = new UnitQueue();
  #state: "waiting" | "free" | "flowing" | "over" = "waiting";
  #isAsking = false;
  #isFull = false;
  #trailers: Fields | undefined;

  constructor(exchange: Exchange, stream: PaidUnits, { meter, receipts, events }: MeteredOptions) {
    super(exchange);
    this.#stream = stream;
    this.#meter = meter;
    this.#receipts = receipts;
    this.#events = events;
    this.#ruler = rulerOf(meter.unit);
  }

  start(head: ResponseHead): void {
    const { status } = head;
    if (status < 200 && status !== 101) {
      this.sink.start(changedHead(head, { fields: withoutPaymentClaims(head.fields) }));
      return;
    }
    const isFree = this.#events.isFree(status, fieldValues(head.fields, OVERRIDES));
    const reason = unsellable(this.exchange, head) ?? (isFree ? undefined : this.#uncountable(head));
    if (reason !== undefined) {
      this.abort(reason);
      this.exchange.onCancel?.();
      return;
    }
    this.#state = isFree ? "free" : "flowing";
    if (isFree) {
      this.sink.start(changedHead(head, { fields: paidFields(head, this.#receipts.free) }));
      this.#stream.end();
      return;
    }
    const { fields } = head;
    // Compression would hold back what is paid for.
    const control = [fieldValue(fields, "cache-control") ?? "", "no-transform"].filter((text) => text !== "");
    const plain = withoutFields(fields, ["cache-control"]) + fieldLine("Cache-Control", control.join(", "));
    const receipt = this.#receipts.sold + fieldLine(PAYMENT_STREAM, this.#stream.name);
    this.sink.start(changedHead(head, { fields: paidFields(changedHead(head, { fields: plain }), receipt) }));
  }

  /** The error in place of a response whose units cannot be counted. */
  #uncountable({ status, fields }: ResponseHead): TurnpikeError | undefined {
    const { unit } = this.#meter;
    const coding = fieldValue(fields, "content-encoding")?.toLowerCase() ?? "identity";
    if (coding !== "identity")
      return upstreamError(`The upstream's response is compressed, and is sold by the ${unit}`);
    const isTunnel = status === 101;
    if (isTunnel ? unit === "message" || unit === "byte" : unit !== "message") return undefined;
    return upstreamError(`The upstream's response has no ${unit}s, by which it is sold`);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#state === "free") return this.sink.data(chunk, start, end);
    if (this.#state !== "flowing") return true;
    this.#ruler.scan(chunk, start, end);
    this.#queue.push(chunk, start, end);
    this.#release();
    return !this.#isBlocked;
  }

  end(trailers: Fields): void {
    if (this.#state === "free") this.#endWhole(trailers);
    else if (this.#state === "flowing") {
      this.#trailers = trailers;
      this.#ruler.end();
      this.#release();
    }
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "waiting") {
      this.stepAside();
      this.#close();
      this.#events.broken(error);
      return;
    }
    if (this.#state === "over") return;
    this.#finish();
    this.sink.abort(error);
  }

  drained(): void {
    this.#isFull = false;
    if (this.#state !== "flowing") this.resumeSource();
    else if (!this.#isAsking) this.#goOn();
  }

  /** Called when the client went away. */
  leave(): void {
    if (this.#state !== "over") this.#finish();
  }

  get #isBlocked(): boolean {
    return this.#isFull || this.#isAsking;
  }

  #release(): void {
    while (this.#state === "flowing" && !this.#isAsking) {
      const units = Math.min(this.#ruler.waiting, this.#stream.room);
      const limit = this.#ruler.beginOf(units)?.at ?? this.#ruler.decided;
      this.#ruler.take(units);
      this.#stream.use(units);
      if (!this.#queue.passTo(limit, this.sink)) this.#isFull = true;
      if (this.#ruler.waiting === 0) {
        if (this.#trailers !== undefined) this.#endWhole(this.#trailers);
        return;
      }
      this.#ask();
    }
  }

  #endWhole(trailers: Fields): void {
    this.#finish();
    this.sink.end(withoutPaymentClaims(trailers));
  }

  #ask(): void {
    this.#isAsking = true;
    void this.#more();
  }

  async #more(): Promise<void> {
    let isPaid: boolean | undefined;
    try {
      isPaid = await this.#stream.more();
    } catch (error) {
      this.#events.failed(error);
    }
    this.#isAsking = false;
    if (this.#state !== "flowing") return;
    if (isPaid === true) this.#goOn();
    else if (isPaid === false) this.#endUnpaid();
    else {
      this.exchange.onCancel?.();
      this.abort(NO_LEDGER);
    }
  }

  /** No payment came. Events and messages end between two of them; other responses break off. */
  #endUnpaid(): void {
    const { unit } = this.#meter;
    const isBetween = this.#ruler.beginOf(0)?.isRest === false;
    this.exchange.onCancel?.();
    if (!isBetween || (unit !== "event" && unit !== "message")) {
      this.abort(UNPAID);
      return;
    }
    this.#finish();
    this.sink.data(unit === "event" ? UNPAID_EVENT : UNPAID_CLOSE);
    this.sink.end("");
  }

  /** The client can take more, or more is paid for. */
  #goOn(): void {
    this.#release();
    if (this.#state === "flowing" && !this.#isBlocked) this.resumeSource();
  }

  #finish(): void {
    this.#close();
    this.#events.over();
  }

  #close(): void {
    this.#state = "over";
    // The client can leave while it gets a piece. Nothing may follow then, and nothing may end the response again.
    this.#queue.clear();
    this.#trailers = undefined;
    this.#stream.end();
  }
}
