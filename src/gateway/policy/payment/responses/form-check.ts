import { type TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { FORM_CHECK } from "../../../../payments/x402/charge.ts";
import { sendContinue } from "../../../exchange/expect-continue.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../../../exchange/exchange.ts";
import { changedHead } from "../../../exchange/exchange-state.ts";
import { appendFields } from "../../../exchange/head-fields.ts";
import { withoutPaymentClaims } from "../protocol/response-fields.ts";

/**
 * Statuses by which an upstream refuses the form of a request, so that a payment would not help. 405 is not among them: directories
 * of x402 ask an address for its price by GET, and people open it in a browser.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 406, 410, 411, 413, 414, 415, 422]);

/** No cache may store the response to a check, or respond from its store. */
const CHECK = `${fieldLine(FORM_CHECK, "form")}${fieldLine("Cache-Control", "no-store")}`;

/**
 * Marks an unpaid request, of which the upstream checks only the form. `challenge` responds with the price if the upstream does
 * not refuse it. Decision 0824.
 */
export function askForm(exchange: Exchange, challenge: () => void): void {
  appendFields(exchange.head, CHECK);
  exchange.isUncopied = true;
  exchange.response = new FormCheck(exchange, challenge);
}

/**
 * The response to a check. Nothing but a refusal passes: an upstream that does the work, although it is not paid, gives it to
 * no client.
 *
 *   waiting ──start with a refusal, or an error of the client that the gateway found──▶ passing
 *      └──start with another status──▶ accepted ──data, end, abort──▶ passing: the challenge
 */
class FormCheck implements ResponseSink {
  readonly #exchange: Pick<Exchange, "head" | "onCancel">;
  readonly #sink: ResponseSink;
  readonly #challenge: () => void;
  #state: "waiting" | "accepted" | "passing" = "waiting";

  constructor(exchange: Exchange, challenge: () => void) {
    this.#exchange = exchange;
    this.#sink = exchange.response;
    this.#challenge = challenge;
  }

  start(head: ResponseHead): void {
    const { status, error } = head;
    if (this.#state === "passing") this.#sink.start(head);
    else if (status === 100) sendContinue({ head: this.#exchange.head, response: this.#sink });
    else if (REFUSALS.has(status) || (error !== undefined && status < 500)) {
      this.#state = "passing";
      this.#sink.start(changedHead(head, { fields: withoutPaymentClaims(head.fields) }));
    } else if (status >= 200) this.#state = "accepted";
  }

  data(chunk: Uint8Array, start?: number, end?: number): boolean {
    if (this.#state === "passing") return this.#sink.data(chunk, start, end);
    // It does the work, which may be long, or have no end.
    this.#exchange.onCancel?.();
    this.#accept();
    return true;
  }

  end(trailers: Fields): void {
    if (this.#state === "passing") this.#sink.end(trailers);
    else this.#accept();
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "passing") this.#sink.abort(error);
    else this.#accept();
  }

  #accept(): void {
    this.#state = "passing";
    this.#challenge();
  }
}
