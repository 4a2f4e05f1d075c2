import { type Payment, PAYMENT_STATES, type PaymentKey } from "../ledger.ts";
import { type Value } from "./messages.ts";
import { PostgresError } from "./postgres-error.ts";

/** The columns of a payment, in the order in which they are read. */
const NAMES = [
  "network",
  "asset",
  "payer_from",
  "nonce",
  "token",
  "scheme",
  "state",
  "attempt",
  "amount",
  "pay_to",
  "route",
  "consumer",
  "fingerprint",
  "valid_before",
  "payload",
  "tx",
  "reason",
  "payer",
  "facilitator",
  "delivered",
  "cuts",
  "partials",
  "repeats",
  "body_digest",
  "refunded",
  "deferral",
  "created_at",
  "updated_at",
] as const;

/** The columns for SELECT and RETURNING, with `p` as the name of the table. */
export const PAYMENT = NAMES.map((name) => `p.${name}`).join(", ");

/** Converts a row with the columns of `PAYMENT`. Throws if a value is not one that this program writes. */
export function toPayment(row: readonly (string | null)[]): Payment {
  const at = (name: (typeof NAMES)[number]): string => row[NAMES.indexOf(name)] ?? "";
  const state = PAYMENT_STATES.find((known) => known === at("state"));
  if (state === undefined) throw new PostgresError("protocol", "a payment has a state that is not known");
  return {
    network: at("network"),
    asset: at("asset"),
    from: at("payer_from"),
    nonce: at("nonce"),
    token: at("token"),
    scheme: at("scheme"),
    state,
    attempt: Number(at("attempt")),
    amount: at("amount"),
    payTo: at("pay_to"),
    route: at("route"),
    consumer: at("consumer"),
    fingerprint: at("fingerprint"),
    validBefore: Number(at("valid_before")),
    payload: at("payload"),
    transaction: at("tx"),
    reason: at("reason"),
    payer: at("payer"),
    facilitator: at("facilitator"),
    delivered: at("delivered") === "t",
    cuts: Number(at("cuts")),
    partials: Number(at("partials")),
    repeats: Number(at("repeats")),
    bodyDigest: at("body_digest"),
    refunded: at("refunded"),
    deferral: at("deferral"),
    createdAt: Number(at("created_at")),
    updatedAt: Number(at("updated_at")),
  };
}

/** The parts of a key, in the order of the table's columns. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): Value[] {
  return [network, asset, from, nonce];
}
