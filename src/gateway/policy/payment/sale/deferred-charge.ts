import { fieldLine, type Fields } from "../../../../lib/http/fields.ts";
import { isObject } from "../../../../lib/is-object.ts";
import { parsedJson } from "../../../../lib/parsed-json.ts";
import { CALLS } from "../../../../payments/credit/credit-terms.ts";
import { deferralOf, deferralText } from "../../../../payments/settlement/deferral.ts";
import { SETTLEMENT_DEFERRAL } from "../../../../payments/x402/charge.ts";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { type AcceptedPayment } from "../offer/offer.ts";
import { type PaidRoute } from "../route/paid-route.ts";

/** Seconds after which a charge to prepaid credit is made for what is due, also if the work goes on. @bound */
const MAX_CREDIT_S = 2 * 86_400;
/** Seconds before the end of an `upto` payment at which it is settled for what is due. @bound */
const SETTLE_MARGIN_S = 120;
/** Seconds that work must have at least. A payment that ends earlier is charged at once. @bound */
const MIN_WORK_S = 60;
/** Characters of the path that an upstream names. */
const PATH = /^\/(?!\/)[\x21-\x7e]{0,511}$/;

/** Unix seconds until which a charge can be made later; undefined if this payment is charged with its response. */
export function deferrableUntil(
  { mayDefer, settle, clock }: Pick<PaidRoute, "mayDefer" | "settle" | "clock">,
  { prepaid, channel }: Pick<AcceptedPayment, "prepaid" | "channel">,
  payment: Payment,
): number | undefined {
  const known = deferralOf(payment);
  if (known !== undefined) return known.until;
  if (!mayDefer || settle === "before" || payment.amount === "0") return undefined;
  const now = Math.floor(clock() / 1000);
  // The payer of a channel can withdraw after the channel's delay: until then, the charge must be claimed.
  if (channel !== undefined) return now + Math.min(MAX_CREDIT_S, Math.floor(channel.row.withdrawDelay / 2));
  if (prepaid !== undefined) return prepaid.token === CALLS ? undefined : now + MAX_CREDIT_S;
  const until = payment.validBefore - SETTLE_MARGIN_S;
  return payment.scheme === "upto" && until >= now + MIN_WORK_S ? until : undefined;
}

/** True if the upstream has named work for a payment, which is charged as far as the work goes. */
export function isForWork(payment: Pick<Payment, "deferral">): boolean {
  const known = deferralOf(payment);
  return known !== undefined && known.isMetered !== true;
}

/** The field that offers the upstream to be charged later. */
export function deferralField(until: number): Fields {
  return fieldLine(SETTLEMENT_DEFERRAL, JSON.stringify({ until }));
}

/** The path that the upstream's fields name. Undefined without a field, empty if it cannot be used. */
export function chargePath(values: readonly string[]): string | undefined {
  const [value] = values;
  if (value === undefined) return undefined;
  const said = parsedJson(value);
  const path = isObject(said) ? said["path"] : undefined;
  return values.length === 1 && typeof path === "string" && PATH.test(path) ? path : "";
}

/** The part of a change that records a later charge. A repeated response may name another path. */
export function deferralChange(
  payment: Payment,
  { path, until }: { readonly path: string; readonly until: number },
): Pick<Change, "deferral" | "dueInMs"> {
  const known = deferralOf(payment) ?? { quote: payment.amount, due: "0", until, failures: 0 };
  return { deferral: deferralText({ ...known, path }), dueInMs: 0 };
}
