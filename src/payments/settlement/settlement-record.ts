import { createHash } from "node:crypto";
import { type Payment } from "../../store/ledger.ts";
import { type NewNotice } from "../../store/outbox.ts";

/** The endpoint that receives a route's settlement records, and the route's name in them. */
export interface SettlementTarget {
  readonly settlement_url: string;
  readonly gateway_id: string;
  readonly testMode: boolean;
}

/** A settlement that moved money. */
export interface Settled {
  readonly transaction: string;
  readonly payer: string;
  /** The amount that moved, in atomic units, decimal. */
  readonly amount: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * The record of a settlement, to be stored together with it (`Change.notice`); undefined if the route reports to no
 * endpoint. The same settlement always has the same id, so that repeated records can be recognized.
 */
export function settlementNotice(
  target: SettlementTarget,
  payment: Payment,
  { transaction, payer, amount, at }: Settled,
): NewNotice | undefined {
  return notice(target, payment, {
    id: idOf(payment, transaction),
    type: "payment.settled",
    at,
    data: { amount, payer, pay_to: payment.payTo, nonce: payment.nonce, transaction },
  });
}

export interface Refunded extends Pick<Settled, "transaction" | "amount" | "at"> {
  readonly id: string;
  readonly sequence: number;
}

/** The record of a refund, as `settlementNotice`. */
export function refundNotice(target: SettlementTarget, payment: Payment, refunded: Refunded): NewNotice | undefined {
  const { transaction, amount, at, id, sequence } = refunded;
  const { from, payTo, nonce } = payment;
  return notice(target, payment, {
    id: idOf(payment, `refund ${sequence}`),
    type: "payment.refunded",
    at,
    data: { amount, payer: from, pay_to: payTo, nonce, transaction, refund: id },
  });
}

function notice(
  { settlement_url: url, gateway_id, testMode }: SettlementTarget,
  { route, network, scheme, token }: Payment,
  { id, type, at, data }: { readonly id: string; readonly type: string; readonly at: number; readonly data: object },
): NewNotice | undefined {
  if (url === "") return undefined;
  const all = { gateway_id, route, network, scheme, asset: token, ...data, test_mode: testMode };
  return { id, url, body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: all }) };
}

/** A UUID of version 8 (RFC 9562 §5.8), made of the values that identify a settlement. */
function idOf({ network, asset, from, nonce }: Payment, transaction: string): string {
  const hash = createHash("sha256")
    .update([network, asset, from, nonce, transaction.toLowerCase()].join("\n"))
    .digest();
  const hex = hash.toString("hex");
  const variant = "89ab"[(hash[8] ?? 0) & 3] ?? "8";
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}
