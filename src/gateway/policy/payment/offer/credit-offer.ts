import { createHash, randomBytes } from "node:crypto";
import { bookOf, CALLS, standingOf } from "../../../../payments/credit/credit-terms.ts";
import { sameAddress } from "../../../../payments/x402/address.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type Credit } from "../../../../store/credits.ts";
import { fieldValues } from "../../../../lib/http/fields.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type CreditError } from "../../../../payments/credit/credit-error.ts";
import { type Offer, type Refusal } from "./offer.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { paymentError } from "../protocol/respond.ts";

/** Characters of the longest Idempotency-Key. @operator */
const MAX_KEY_LENGTH = 255;

/** The names of the field: that of the draft, and one that clients used before. */
const KEY_FIELDS = ["idempotency-key", "x-idempotency-key"];

const BAD_KEY = paymentError(
  "invalid-payment",
  `Cannot charge the credit: there must be one Idempotency-Key, of at most ${MAX_KEY_LENGTH} characters`,
);
const NO_KEY = paymentError("invalid-payment", "Cannot charge the credit: this route requires an Idempotency-Key");

/**
 * A charge in place of a payment, at the price of the route. Requests with the same Idempotency-Key are one charge. An
 * error if the route has no challenge.
 */
export function creditOffer(paidRoute: PaidRoute, exchange: Exchange, credit: Credit): Offer | undefined {
  const accepts = paidRoute.accepts.current()?.required.accepts ?? [];
  const agreed = credit.unit === "money" ? accepts.find((terms) => isOf(credit, terms)) : accepts[0];
  const [first] = accepts;
  if (first === undefined) return undefined;
  const requirements = agreed === undefined || credit.unit === "money" ? (agreed ?? first) : inCalls(agreed, credit);
  const keys = KEY_FIELDS.flatMap((name) => fieldValues(exchange.head.fields, name));
  const nonce = nonceOf(credit, keys[0]);
  const now = paidRoute.clock();
  const validBefore = Math.ceil(now / 1000) + requirements.maxTimeoutSeconds;
  const from = `0x${credit.owner.slice(2)}` as const;
  const to = `0x${requirements.payTo.slice(2)}` as const;
  const value = requirements.amount;
  const authorization = { from, to, value, validAfter: "0", validBefore: String(validBefore), nonce };
  return {
    payload: { x402Version: 2, accepted: requirements, payload: { signature: "0x", authorization } },
    requirements,
    version: 2,
    id: undefined,
    header: `${credit.id} ${nonce}`,
    prepaid: { ...bookOf(credit), from, nonce, token: credit.unit === "money" ? requirements.asset : CALLS },
    refusal: refusalOf(paidRoute, { keys, error: errorOf(paidRoute, credit, { requirements, agreed, now }) }),
  };
}

function isOf({ network, token }: Credit, terms: PaymentRequirements): boolean {
  return terms.network === network && sameAddress(terms.asset, token);
}

/** A pass pays for a request whatever its price is. */
function inCalls(requirements: PaymentRequirements, { unit }: Credit): PaymentRequirements {
  return { ...requirements, scheme: "exact", amount: unit === "calls" ? "1" : "0" };
}

function nonceOf({ id }: Credit, key: string | undefined, random = randomBytes): `0x${string}` {
  const bytes = key === undefined ? random(32) : createHash("sha256").update(`${id}\n${key}`).digest();
  return `0x${bytes.toString("hex")}`;
}

interface Terms {
  readonly requirements: PaymentRequirements;
  readonly agreed: PaymentRequirements | undefined;
  readonly now: number;
}

function errorOf({ route }: PaidRoute, credit: Credit, { requirements, agreed, now }: Terms): CreditError | undefined {
  const standing = standingOf(credit, now);
  if (standing !== "active") return `credit_${standing}`;
  if (credit.routes.length > 0 && !credit.routes.includes(route)) return "credit_other_route";
  if (agreed === undefined) return "credit_other_currency";
  return BigInt(credit.balance) < BigInt(requirements.amount) ? "credit_insufficient" : undefined;
}

function refusalOf(
  { isRefused, isServed, requiresId }: PaidRoute,
  { keys, error }: { readonly keys: readonly string[]; readonly error: CreditError | undefined },
): Refusal | undefined {
  if (isRefused) return { kind: "refused" };
  if (!isServed) return { kind: "unserved" };
  const [key = ""] = keys;
  if (keys.length > 1 || (keys.length === 1 && key === "") || key.length > MAX_KEY_LENGTH) {
    return { kind: "unusable", error: BAD_KEY };
  }
  if (requiresId && key === "") return { kind: "unusable", error: NO_KEY };
  return error === undefined ? undefined : { kind: "terms", error };
}
