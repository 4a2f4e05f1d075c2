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
  if (target.settlement_url === "") return undefined;
  const time = new Date(at).toISOString();
  const data = {
    gateway_id: target.gateway_id,
    route: payment.route,
    network: payment.network,
    scheme: payment.scheme,
    asset: payment.token,
    amount,
    payer,
    pay_to: payment.payTo,
    nonce: payment.nonce,
    transaction,
    test_mode: target.testMode,
  };
  return {
    id: idOf(payment, transaction),
    url: target.settlement_url,
    body: JSON.stringify({ type: "payment.settled", timestamp: time, data }),
  };
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
