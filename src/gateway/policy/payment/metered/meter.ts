import { fieldValues } from "../../../../lib/http/fields.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type RequestHead } from "../../../exchange/exchange.ts";

/** Characters of the longest name of a response. */
const MAX_NAME = 64;

/** The name of a metered response: the base of its first payment, and the number of the lease. */
export function streamName(base: string, attempt: number): string {
  return `${base}.${attempt}`;
}

/** The parts of a name. Undefined for another text. */
export function readStreamName(name: string): { readonly base: string; readonly attempt: number } | undefined {
  const parts = name.length > MAX_NAME ? null : /^(0|[1-9][0-9]*)\.([1-9][0-9]{0,9})$/.exec(name);
  return parts === null ? undefined : { base: parts[1] ?? "", attempt: Number(parts[2]) };
}

/** The response that a request pays further for; undefined if the request is for a response of its own. */
export function paidStream({ payment }: Pick<RequestHead, "payment">): string | undefined {
  return fieldValues(payment, "payment-stream")[0];
}

/**
 * True if a payment can cover further units of the response that `first` began. A channel pays on all routes of its seller, and
 * a route can have several prices: the units are sold at the first one.
 */
export function isFor(payment: Pick<Payment, "route" | "amount">, first: Pick<Payment, "route" | "amount">): boolean {
  return payment.route === first.route && BigInt(payment.amount) >= BigInt(first.amount);
}

/** The charge for `used` of `units`, in atomic units; a fraction is rounded up. */
export function chargeFor(amount: string, used: number, units: number): string {
  return String((BigInt(amount) * BigInt(used) + BigInt(units) - 1n) / BigInt(units));
}
