import { dueSoFar } from "../../payments/settlement/deferral.ts";
import { networkTitle } from "../../payments/x402/networks.ts";
import { isOwed, type Payment } from "../../store/ledger.ts";
import { type Total } from "../../store/ledger-view.ts";
import { type Refund } from "../../store/refunds.ts";
import { amountText, toRecord } from "../common/ledger-record.ts";
import { alignedTable, type Column, detailList, tabTable } from "../common/table.ts";
import { timeText } from "../common/units.ts";

/** Characters of an address or hash that a terminal shows. They are enough for `turnpike ledger show`. */
const SHORT = 12;

const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  {
    title: "TIME",
    cell: ({ createdAt }) => new Date(createdAt).toISOString(),
    short: ({ createdAt }) => timeText(createdAt),
  },
  { title: "STATE", cell: stateText },
  { title: "ROUTE", cell: ({ route }) => route },
  { title: "AMOUNT", cell: amountText, right: true },
  { title: "PAYER", cell: payerOf, short: (payment) => shortened(payerOf(payment)) },
  { title: "NONCE", cell: ({ nonce }) => nonce, short: ({ nonce }) => shortened(nonce) },
  { title: "TRANSACTION", cell: ({ transaction }) => transaction, short: ({ transaction }) => shortened(transaction) },
];

/** Payments as a table. */
export function paymentTable(payments: readonly Payment[], isTerminal: boolean): string {
  if (isTerminal && payments.length === 0) return "no payments\n";
  return (isTerminal ? alignedTable : tabTable)(PAYMENT_COLUMNS, payments);
}

/** Totals as a table. */
export function totalTable(by: string, totals: readonly Total[], isTerminal: boolean): string {
  if (isTerminal && totals.length === 0) return "nothing was settled\n";
  const columns: readonly Column<Total>[] = [
    { title: by.toUpperCase(), cell: ({ key }) => key },
    { title: "PAYMENTS", cell: ({ payments }) => String(payments), right: true },
    { title: "AMOUNT", cell: amountText, right: true },
    { title: "ATOMIC", cell: ({ amount }) => amount, right: true },
    {
      title: "REFUNDED",
      cell: ({ refunded }) => refunded,
      short: (total) => (total.refunded === "0" ? "0" : amountText({ ...total, amount: total.refunded })),
      right: true,
    },
    { title: "ASSET", cell: ({ token }) => token },
    { title: "NETWORK", cell: ({ network }) => network, short: ({ network }) => networkTitle(network) },
  ];
  return (isTerminal ? alignedTable : tabTable)(columns, totals);
}

/** The meaning of each state for the seller. */
const MEANING: Readonly<Record<Payment["state"], string>> = {
  reserved: "a request is using it, or ended without a result; nothing was charged",
  verified: "checked, and waiting for the upstream's response; nothing was charged yet",
  deferred: "the upstream works on, and is charged for later, for what it delivers",
  settling: "sent for settlement; the result is being looked up",
  settled: "paid",
  released: "nothing was charged; the payer may use it again",
  failed: "nothing was charged: it was refused, or it expired",
  unknown: "money may have moved; the gateway looks it up every 30 seconds, and charges nothing again",
};

/** Everything about one payment. */
export function paymentDetail(payment: Payment, refunds: readonly Refund[]): string {
  const record = toRecord(payment);
  return detailList([
    ["state", stateText(payment)],
    [
      "",
      isOwed(payment)
        ? "settled, and the response is not delivered; the client gets it when it sends the same payment again"
        : MEANING[payment.state],
    ],
    ["reason", record.reason || "-"],
    ["amount", `${amountText(payment)} (${record.amount} atomic units)`],
    ...dueText(payment),
    ["route", record.route],
    ["network", networkTitle(record.network)],
    ["scheme", record.scheme],
    ["asset", record.asset],
    ["payer", record.payer],
    ["consumer", record.consumer || "-"],
    ["pay to", record.pay_to],
    ["facilitator", record.facilitator || "-"],
    ["transaction", record.transaction || "-"],
    ...refunds.map((refund) => ["refund", refundText(payment, refund)] as const),
    ["nonce", record.nonce],
    ["spent at", record.contract],
    ["valid before", record.valid_before],
    ["created", record.created_at],
    ["changed", record.updated_at],
    ["attempts", String(record.attempt)],
    ["cut off", String(record.cuts)],
    ["repeated", String(record.repeats)],
  ]);
}

function dueText(payment: Payment): readonly (readonly [string, string])[] {
  const due = dueSoFar(payment);
  return due === undefined ? [] : [["due so far", amountText({ ...payment, amount: due })]];
}

function refundText({ network, token }: Payment, { id, state, amount, transaction, reason }: Refund): string {
  const text = [amountText({ network, token, amount }), state, transaction, reason, `(${id})`];
  return text.filter((part) => part !== "").join(" ");
}

function stateText(payment: Payment): string {
  return isOwed(payment) ? "settled, owed" : payment.state;
}

function shortened(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

/** On unknown networks only the facilitator knows who pays. */
function payerOf({ from, payer }: Payment): string {
  return from || payer;
}
