import { ERRORS, TurnpikeError, toProblem } from "../../../../lib/errors.ts";
import { type Fields, fieldLine, fieldValue } from "../../../../lib/fields.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../../../payments/x402/header.ts";
import {
  PAYMENT_REQUIRED,
  type PaymentRequired,
  type PaymentRequirements,
} from "../../../../payments/x402/messages.ts";
import { networkTitle } from "../../../../payments/x402/networks.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Mismatch } from "../../../../payments/x402/terms.ts";
import { v1Accepts } from "../../../../payments/x402/v1.ts";
import { type Exchange } from "../../../exchange.ts";
import { requiresIdentifier } from "../identifier.ts";
import { paymentPage, PAGE_FIELDS } from "./payment-page.ts";
import { respondHtml, respondJson } from "../respond.ts";

/** Everything that the `error` of a challenge can say. */
export type ChallengeError = "Payment required" | Mismatch | Reason;

interface Prepared {
  readonly status: number;
  readonly fields: Fields;
  /** The body up to the request id, and after it. */
  readonly before: string;
  readonly after: string;
}

const INSTANCE = "00000000-instance";
/** Who has not let Permit2 move the token gets a status of his own: signing again would not help. */
const ALLOWANCE_MISSING = "permit2_allowance_required";
/** A browser and a program get different bodies. */
const VARY = fieldLine("Vary", "Accept, User-Agent");

/** A route's 402, written out once per error: an unpaid request costs no more than two strings. */
export class Challenge {
  readonly required: PaymentRequired;
  readonly #price: string;
  readonly #prepared = new Map<ChallengeError, Prepared>();
  #page: string | undefined;

  /** Throws where the challenge is too long for a header. */
  constructor(required: PaymentRequired) {
    this.required = required;
    this.#price = required.accepts.map(priceTitle).join(", or ");
    const { length } = encodeHeader(required);
    if (length > MAX_HEADER_LENGTH) {
      throw new Error(
        `Cannot sell: the challenge of ${length} characters exceeds the ${MAX_HEADER_LENGTH} of a header`,
      );
    }
    this.#prepare("Payment required");
  }

  /** Answers with what must be paid, and why this request was not enough: a page to a browser, JSON to all others. */
  respond(exchange: Exchange, error: ChallengeError): void {
    const { status, fields, before, after } = this.#prepared.get(error) ?? this.#prepare(error);
    if (error === "Payment required" && wantsPage(exchange)) {
      this.#page ??= paymentPage(this.required, this.#price);
      respondHtml(exchange, status, this.#page, fields + PAGE_FIELDS);
      return;
    }
    respondJson(exchange, status, before + JSON.stringify(exchange.id) + after, fields);
  }

  #prepare(error: ChallengeError): Prepared {
    const code = error === ALLOWANCE_MISSING ? "precondition-failed" : "payment-required";
    const required = { ...this.required, error };
    const problem = toProblem(new TurnpikeError(code, detailOf(error, this.#price)), INSTANCE);
    const body = { ...problem, ...this.#forV1(error), paymentRequired: required };
    const [before = "", after = ""] = JSON.stringify(body).split(JSON.stringify(INSTANCE));
    const fields = fieldLine(PAYMENT_REQUIRED, encodeHeader(required)) + VARY;
    const prepared = { status: ERRORS[code].status, fields, before, after };
    this.#prepared.set(error, prepared);
    return prepared;
  }

  /** Clients of version 1 read the body alone; where there is nothing for them, it says what the header says. */
  #forV1(error: string): object {
    // A payment of version 1 has no place for an id.
    const accepts = requiresIdentifier(this.required.extensions) ? [] : v1Accepts(this.required);
    return accepts.length === 0 ? { ...this.required, error } : { x402Version: 1, error, accepts };
  }
}

function detailOf(error: ChallengeError, price: string): string {
  if (error === "Payment required") return `This costs ${price}. Pay with an x402 client, such as 'npx turnpike call'.`;
  if (error === ALLOWANCE_MISSING) {
    return `The payment was refused: the payer has not approved Permit2 to move the token. This costs ${price}.`;
  }
  return `The payment was refused: ${error}. This costs ${price}.`;
}

/** What a way of paying costs, for people: `0.01 USDC on Base (eip155:8453)`. */
export function priceTitle({ scheme, amount, asset, network }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  const most = scheme === "upto" ? "up to " : "";
  if (known === undefined) return `${most}${amount} units of ${asset} on ${networkTitle(network)}`;
  return `${most}${formatAmount(amount, known.decimals)} ${known.symbol} on ${networkTitle(network)}`;
}

/** True for a person at a browser; programs that only name one have to ask for HTML too. */
function wantsPage({ head }: Exchange): boolean {
  const accept = fieldValue(head.fields, "accept");
  if (accept === undefined || !accept.includes("text/html")) return false;
  return fieldValue(head.fields, "user-agent")?.startsWith("Mozilla/") === true;
}
