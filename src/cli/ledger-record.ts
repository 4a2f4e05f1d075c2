import { findAsset } from "../payments/x402/assets.ts";
import { formatAmount } from "../payments/x402/price.ts";
import { type Total } from "../store/ledger-view.ts";
import { type Payment } from "../store/ledger.ts";

/**
 * A payment as `turnpike ledger` tells it to programs: these names, in this order. What was signed is left out: as long as its
 * time is not over, whoever has it can have it carried out.
 */
export interface LedgerRecord {
  /** ISO 8601, UTC, as all times here. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: string;
  /** Settled, and its answer was not handed over whole. */
  readonly owed: boolean;
  readonly route: string;
  readonly network: string;
  readonly scheme: string;
  /** Atomic units. */
  readonly amount: string;
  /** In units of the token; empty where its decimals are not known. */
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
}

/** The names of a record, in their order. */
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
];

export function isOwed({ state, delivered }: Payment): boolean {
  return state === "settled" && !delivered;
}

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
  };
}

/** A total as programs read it. */
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

/** An amount as people read it: `0.01 USDC`, or atomic units where the token is not known. */
export function amountText({ amount, network, token }: Pick<Payment, "amount" | "network" | "token">): string {
  const known = findAsset(network, token);
  return known === undefined ? `${amount} units` : `${inUnits(amount, known.decimals)} ${known.symbol}`;
}

function inUnits(amount: string, decimals: number | undefined): string {
  // A sum may be beyond what one amount can be, and is digits all the same.
  return decimals === undefined || !/^[0-9]+$/.test(amount) ? "" : formatAmount(amount, decimals);
}

/** A payment may say that it is valid for longer than a calendar goes. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
