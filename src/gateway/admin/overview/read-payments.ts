import { type LedgerView } from "../../../store/ledger-view.ts";
import { type Payment } from "../../../store/ledger.ts";
import { type Refund } from "../../../store/refunds.ts";
import { dueSoFar } from "../../../payments/settlement/deferral.ts";
import { findAsset } from "../../../payments/x402/assets.ts";
import { explorerPage } from "../../../payments/x402/networks.ts";
import { type PaymentDetail, type PaymentSummary, type RecentPayment, type ShownRefund } from "../shapes/payments.ts";

const DAY_MS = 86_400_000;
/** Days of sales in the summary, including today. @bound */
const DAYS = 30;
/** Newest payments in the summary. @bound */
const RECENT = 50;
/** Rows of sales. If there are more, the oldest days are left out. */
const MAX_SOLD = 10_000;

/** Reads the ledger. Rejects if the ledger does not respond. */
export async function readPayments(view: LedgerView, nowMs: number): Promise<PaymentSummary> {
  const [sold, standing, recent] = await Promise.all([
    view.sold(nowMs - (DAYS - 1) * DAY_MS),
    view.standing(),
    view.list({}, { limit: RECENT }),
  ]);
  const { open, unknown, deferred, owed, oldestOpen } = standing;
  return {
    available: true,
    days: sold.slice(0, MAX_SOLD).map(({ day, route, network, token, amount, payments }) => ({
      day,
      route,
      network,
      asset: token,
      ...unitsOf(network, token),
      amount,
      payments,
    })),
    open,
    unknown,
    deferred,
    owed,
    ...(oldestOpen === undefined ? {} : { oldest_open_ms: oldestOpen }),
    recent: recent.map(recentPayment),
  };
}

/** Copies single members, because the row also has the signature. */
export function recentPayment(payment: Payment): RecentPayment {
  const { nonce, route, state, delivered, amount, refunded, token, network, from, transaction, createdAt } = payment;
  const due = dueSoFar(payment);
  return {
    id: nonce,
    route,
    state,
    delivered,
    amount,
    ...(due === undefined ? {} : { due }),
    refunded,
    asset: token,
    network,
    ...unitsOf(network, token),
    payer: payment.payer === "" ? from : payment.payer,
    transaction,
    time_ms: createdAt,
  };
}

/** Everything that operators see of a payment. */
export function paymentDetail(payment: Payment, refunds: readonly Refund[]): PaymentDetail {
  const { scheme, asset, consumer, payTo, reason, validBefore, attempt, cuts, repeats, updatedAt } = payment;
  const explorer = explorerPage(payment.network, payment.transaction);
  return {
    ...recentPayment(payment),
    ...(explorer === undefined ? {} : { explorer }),
    scheme,
    contract: asset,
    consumer,
    pay_to: payTo,
    reason,
    valid_before_s: validBefore,
    attempts: attempt,
    cuts,
    repeats,
    updated_ms: updatedAt,
    refunds: refunds.map((refund) => refundOf({ ...refund, token: payment.token })),
  };
}

/** A refund as in responses. */
export function refundOf(refund: Refund & Pick<Payment, "token">): ShownRefund {
  const { id, sequence, nonce, state, amount, network, token, transaction, reason, by, createdAt, updatedAt } = refund;
  const said = { id, sequence, payment: nonce, state, amount, ...unitsOf(network, token), transaction, reason, by };
  return { ...said, time_ms: createdAt, changed_ms: updatedAt };
}

/** Decimals and symbol of a known token. */
export function unitsOf(network: string, token: string): { decimals?: number; symbol?: string } {
  const known = findAsset(network, token);
  return known === undefined ? {} : { decimals: known.decimals, symbol: known.symbol };
}
