import { type Payment, PAYMENT_STATES, type PaymentKey } from "../ledger.ts";
import { Columns, asFlag, asNumber, oneOf, asText } from "./columns.ts";
import { type Value } from "./messages.ts";

const COLUMNS = new Columns<Payment>({
  network: asText,
  asset: asText,
  from: ["payer_from", asText],
  nonce: asText,
  token: asText,
  scheme: asText,
  state: oneOf(PAYMENT_STATES, "a payment has a state"),
  attempt: asNumber,
  amount: asText,
  payTo: asText,
  route: asText,
  consumer: asText,
  fingerprint: asText,
  validBefore: asNumber,
  payload: asText,
  transaction: ["tx", asText],
  reason: asText,
  payer: asText,
  facilitator: asText,
  delivered: asFlag,
  cuts: asNumber,
  partials: asNumber,
  repeats: asNumber,
  bodyDigest: asText,
  refunded: asText,
  deferral: asText,
  createdAt: asNumber,
  updatedAt: asNumber,
});

/** The columns for SELECT and RETURNING, with `p` as the name of the table. */
export const PAYMENT = COLUMNS.of("p");
export const toPayment = COLUMNS.read;

/** The parts of a key, in the order of the table's columns. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): Value[] {
  return [network, asset, from, nonce];
}
