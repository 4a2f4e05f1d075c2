import { type Payment, PAYMENT_STATES, type PaymentKey } from "../ledger.ts";
import { Columns, each, asFlag, asNumber, oneOf, asText } from "./columns.ts";
import { type Value } from "./messages.ts";

const COLUMNS = new Columns<Payment>({
  ...each(asText, "network", "asset", "nonce", "token", "scheme", "amount", "payTo", "route", "consumer"),
  ...each(asText, "fingerprint", "payload", "reason", "payer", "facilitator", "bodyDigest", "refunded", "deferral"),
  ...each(asNumber, "attempt", "validBefore", "cuts", "partials", "repeats", "createdAt", "updatedAt"),
  from: ["payer_from", asText],
  transaction: ["tx", asText],
  state: oneOf(PAYMENT_STATES, "a payment has a state"),
  delivered: asFlag,
});

/** The columns for SELECT and RETURNING, with `p` as the name of the table. */
export const PAYMENT = COLUMNS.of("p");
export const toPayment = COLUMNS.read;

/** The parts of a key, in the order of the table's columns. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): Value[] {
  return [network, asset, from, nonce];
}
