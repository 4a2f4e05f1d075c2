import { findAsset } from "../../payments/x402/assets.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { type Total } from "../../store/ledger-view.ts";
import { type Payment } from "../../store/ledger.ts";

/**
 * A payment in the JSON and CSV output of `turnpike ledger`, with these names in this order. The signed authorization is
 * left out: until it expires, any reader could submit it.
 */
export interface LedgerRecord {
  /** ISO 8601 in UTC, as all times here. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: string;
  /** True if the payment was settled, but the client did not receive the whole response. */
  readonly owed: boolean;
  readonly route: string;
  readonly network: string;
  readonly scheme: string;
  /** Atomic units. */
  readonly amount: string;
  /** In units of the token; empty if the token's decimals are unknown. */
  readonly amount_in_units: string;
  readonly symbol: string;
  readonly asset: string;
  readonly payer: string;
  readonly pay_to: string;
  readonly transaction: string;
  readonly reason: string;
  readonly contract: string;
  readonly nonce: string;
  readonly valid_before: string;
  readonly attempt: number;
  readonly cuts: number;
  /** Times that the response was sent again after or beside its delivery. */
  readonly repeats: number;
}

/** The names of a record, in order. */
export const RECORD_KEYS: readonly (keyof LedgerRecord)[] = [
  "created_at",
  "updated_at",
  "state",
  "owed",
  "route",
  "network",
  "scheme",
  "amount",
  "amount_in_units",
  "symbol",
  "asset",
  "payer",
  "pay_to",
  "transaction",
  "reason",
  "contract",
  "nonce",
  "valid_before",
  "attempt",
  "cuts",
  "repeats",
];

/** True if the payment is settled, but its client does not have the response. */
export function isOwed({ state, delivered }: Payment): boolean {
  return state === "settled" && !delivered;
}

/**
 * A payment in the output of `turnpike ledger`. Times are in ISO 8601, and `amount` is in the token's smallest unit.
 */
export function toRecord(payment: Payment): LedgerRecord {
  const known = findAsset(payment.network, payment.token);
  return {
    created_at: new Date(payment.createdAt).toISOString(),
    updated_at: new Date(payment.updatedAt).toISOString(),
    state: payment.state,
    owed: isOwed(payment),
    route: payment.route,
    network: payment.network,
    scheme: payment.scheme,
    amount: payment.amount,
    amount_in_units: inUnits(payment.amount, known?.decimals),
    symbol: known?.symbol ?? "",
    asset: payment.token,
    payer: payment.from,
    pay_to: payment.payTo,
    transaction: payment.transaction,
    reason: payment.reason,
    contract: payment.asset,
    nonce: payment.nonce,
    valid_before: timeOf(payment.validBefore),
    attempt: payment.attempt,
    cuts: payment.cuts,
    repeats: payment.repeats,
  };
}

/** A total in the JSON output. */
export function toTotal(by: string, { key, network, token, payments, amount }: Total): Record<string, string | number> {
  const known = findAsset(network, token);
  return {
    [by]: key,
    payments,
    amount,
    amount_in_units: inUnits(amount, known?.decimals),
    symbol: known?.symbol ?? "",
    asset: token,
    network,
  };
}

/** An amount in readable form: `0.01 USDC`, or atomic units if the token is unknown. */
export function amountText({ amount, network, token }: Pick<Payment, "amount" | "network" | "token">): string {
  const known = findAsset(network, token);
  return known === undefined ? `${amount} units` : `${inUnits(amount, known.decimals)} ${known.symbol}`;
}

function inUnits(amount: string, decimals: number | undefined): string {
  // A sum may be greater than the maximum of one amount, and is formatted like any other.
  return decimals === undefined || !/^[0-9]+$/.test(amount) ? "" : formatAmount(amount, decimals);
}

/** The validity of a payment may end after the last date that a Date can hold. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
