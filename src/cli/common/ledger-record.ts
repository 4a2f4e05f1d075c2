import { dueSoFar } from "../../payments/settlement/deferral.ts";
import { findAsset } from "../../payments/x402/assets.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { type Total } from "../../store/ledger-view.ts";
import { type Refund } from "../../store/refunds.ts";
import { isOwed, type Payment } from "../../store/ledger.ts";

/**
 * The members of a payment in the JSON and CSV output of `turnpike ledger`, in this order. The signed authorization is
 * left out: until it expires, any reader could submit it. Times are in ISO 8601 and UTC.
 */
const MEMBERS = {
  created_at: ({ createdAt }: Payment) => new Date(createdAt).toISOString(),
  updated_at: ({ updatedAt }: Payment) => new Date(updatedAt).toISOString(),
  state: ({ state }: Payment) => state,
  owed: isOwed,
  route: ({ route }: Payment) => route,
  network: ({ network }: Payment) => network,
  scheme: ({ scheme }: Payment) => scheme,
  // In atomic units.
  amount: ({ amount }: Payment) => amount,
  // In units of the token; empty if the token's decimals are unknown.
  amount_in_units: ({ amount, network, token }: Payment) => inUnits(amount, findAsset(network, token)?.decimals),
  symbol: ({ network, token }: Payment) => findAsset(network, token)?.symbol ?? "",
  asset: ({ token }: Payment) => token,
  payer: ({ from }: Payment) => from,
  // The payer, unless authentication gave the client a name.
  consumer: ({ consumer }: Payment) => consumer,
  pay_to: ({ payTo }: Payment) => payTo,
  transaction: ({ transaction }: Payment) => transaction,
  reason: ({ reason }: Payment) => reason,
  facilitator: ({ facilitator }: Payment) => facilitator,
  contract: ({ asset }: Payment) => asset,
  nonce: ({ nonce }: Payment) => nonce,
  valid_before: ({ validBefore }: Payment) => timeOf(validBefore),
  attempt: ({ attempt }: Payment) => attempt,
  cuts: ({ cuts }: Payment) => cuts,
  // Times that the response was sent again after or beside its delivery.
  repeats: ({ repeats }: Payment) => repeats,
  // `payment` or `refund`. The amounts of refunds are negative.
  kind: (): string => "payment",
  // Atomic units that were refunded or are reserved for refunds.
  refunded: ({ refunded }: Payment) => refunded,
  // The id of a refund.
  refund: (): string => "",
  // Atomic units that a deferred payment owes so far, of its amount.
  due: (payment: Payment) => dueSoFar(payment) ?? "",
};

/** A payment in the output of `turnpike ledger`. */
export type LedgerRecord = { readonly [K in Key]: ReturnType<(typeof MEMBERS)[K]> };

type Key = keyof typeof MEMBERS;

/** The names of a record, in order. */
export const RECORD_KEYS = Object.keys(MEMBERS) as readonly Key[]; // oxlint-disable-line typescript/no-unsafe-type-assertion -- of a constant

/** The record of a payment. */
export function toRecord(payment: Payment): LedgerRecord {
  const members = RECORD_KEYS.map((key) => [key, MEMBERS[key](payment)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the value of each key
  return Object.fromEntries(members) as LedgerRecord;
}

/** The record of a refund, at the time when the money was given back. */
export function toRefundRecord(payment: Payment, refund: Refund): LedgerRecord {
  const { network, token } = payment;
  const { id, amount, transaction, reason, updatedAt } = refund;
  const time = new Date(updatedAt).toISOString();
  const units = inUnits(amount, findAsset(network, token)?.decimals);
  return {
    ...toRecord(payment),
    created_at: time,
    updated_at: time,
    owed: false,
    amount: `-${amount}`,
    amount_in_units: units === "" ? "" : `-${units}`,
    transaction,
    reason,
    kind: refund.state === "recorded" ? "recorded refund" : "refund",
    refunded: "",
    refund: id,
  };
}

/** A total in the JSON output. */
export function toTotal(by: string, total: Total): Record<string, string | number> {
  const { key, network, token, payments, amount, refunded } = total;
  const known = findAsset(network, token);
  return {
    [by]: key,
    payments,
    amount,
    amount_in_units: inUnits(amount, known?.decimals),
    refunded,
    net: String(BigInt(amount) - BigInt(refunded)),
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
