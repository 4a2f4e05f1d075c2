import { TurnpikeError, toProblem } from "../../../lib/errors.ts";
import { type Fields, fieldLine } from "../../../lib/fields.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../../payments/header.ts";
import { PAYMENT_REQUIRED, type PaymentRequired } from "../../../payments/messages.ts";
import { type Reason } from "../../../payments/reasons.ts";
import { type Mismatch } from "../../../payments/terms.ts";
import { type Exchange } from "../../exchange.ts";
import { respondJson } from "./respond.ts";

/** Everything that the `error` of a challenge can say. */
export type ChallengeError = "Payment required" | Mismatch | Reason;

interface Prepared {
  readonly fields: Fields;
  /** The body up to the request id, and after it. */
  readonly before: string;
  readonly after: string;
}

const INSTANCE = "00000000-instance";

/** A route's 402, written out once per error: an unpaid request costs no more than two strings. */
export class Challenge {
  readonly required: PaymentRequired;
  readonly #price: string;
  readonly #prepared = new Map<ChallengeError, Prepared>();

  /** `price` is for people, `0.01 USDC on Base`. Throws where the challenge is too long for a header. */
  constructor(required: PaymentRequired, price: string) {
    this.required = required;
    this.#price = price;
    const { length } = encodeHeader(required);
    if (length > MAX_HEADER_LENGTH) {
      throw new Error(
        `Cannot sell: the challenge of ${length} characters exceeds the ${MAX_HEADER_LENGTH} of a header`,
      );
    }
    this.#prepare("Payment required");
  }

  /** Answers 402 with what must be paid, and why this request was not enough. */
  respond(exchange: Exchange, error: ChallengeError): void {
    const { fields, before, after } = this.#prepared.get(error) ?? this.#prepare(error);
    respondJson(exchange, 402, before + JSON.stringify(exchange.id) + after, fields);
  }

  #prepare(error: ChallengeError): Prepared {
    const required = { ...this.required, error };
    const detail =
      error === "Payment required"
        ? `This costs ${this.#price}. Pay with an x402 client, such as 'npx turnpike call'.`
        : `The payment was refused: ${error}. This costs ${this.#price}.`;
    const problem = toProblem(new TurnpikeError("payment-required", detail), INSTANCE);
    const [before = "", after = ""] = JSON.stringify({ ...problem, ...required }).split(JSON.stringify(INSTANCE));
    const prepared = { fields: fieldLine(PAYMENT_REQUIRED, encodeHeader(required)), before, after };
    this.#prepared.set(error, prepared);
    return prepared;
  }
}
