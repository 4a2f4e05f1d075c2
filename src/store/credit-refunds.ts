import { type Credit, purchaseOf } from "./credits.ts";
import { type Payment } from "./ledger.ts";
import {
  planRefund,
  type Refund,
  type Refundable,
  type RefundRefusal,
  type Refunds,
  type RefundWish,
} from "./refunds.ts";

/** Purchases of a credit that a refund considers, the newest ones. @bound */
export const MAX_PURCHASES = 1000;

/** The rest of a prepaid balance that is asked for: `id` and `amount` are of all refunds together. */
export interface CreditRefundWish extends Omit<RefundWish, "recorded" | "notice"> {
  readonly credit: string;
  /** Why a refund of this payment cannot be sent; undefined: it can be. */
  readonly obstacle: (refund: Refund, payment: Payment) => string | undefined;
}

/** A refund, and the purchase of which it is a part. */
export interface PurchaseRefund {
  readonly refund: Refund;
  readonly payment: Payment;
}

/**
 * Why the rest of a credit cannot be sent. `pass`: it is not money. `exceeds`: the balance, or what was bought of it and not
 * given back, is less. `text`: the obstacle of one refund.
 */
export type CreditRefusal =
  | Extract<RefundRefusal, "absent" | "exceeds" | "differs">
  | "pass"
  | { readonly text: string };

/** `known`: refunds with this id exist, and nothing was changed. */
export type CreditBeginResult =
  | { readonly kind: "begun" | "known"; readonly parts: readonly PurchaseRefund[] }
  | { readonly kind: "refused"; readonly why: CreditRefusal };

/** Records refunds of payments and of prepaid balances. */
export interface CreditRefunds extends Refunds {
  /** Takes the amount from a prepaid balance, and reserves it from its purchases. A refund that fails returns its amount. */
  beginCredit(wish: CreditRefundWish): Promise<CreditBeginResult>;
}

/** A payment with its refunds. Purchases are spent payments. */
export type PurchaseState = Pick<Refundable, "payment" | "standing">;

/** A credit and its purchases in the store. The caller has locked their rows. */
export interface RefundableCredit {
  readonly credit: Pick<Credit, "unit" | "balance"> | undefined;
  /** The ids of its newest `bought` grants, at most `MAX_PURCHASES`, newest first. */
  readonly purchases: readonly string[];
  /** The sum of its `refunded` grants. */
  readonly recorded: bigint;
  /** Payments with the nonces of the purchases, in any order. Nonces of other payers may be the same. */
  readonly payments: readonly PurchaseState[];
}

/** Divides the rest of a credit among its purchases, the newest first. */
export function planCreditRefund(
  { credit, purchases: ids, recorded, payments }: RefundableCredit,
  wish: CreditRefundWish,
  now: number,
): CreditBeginResult {
  if (credit === undefined) return refused("absent");
  if (credit.unit !== "money") return refused("pass");
  const byGrant = new Map(payments.map((found) => [found.payment && purchaseOf(found.payment), found]));
  const purchases = ids.flatMap((id) => byGrant.get(id) ?? []);
  const before = lastWith(wish.id, purchases);
  if (before.some(({ refund }) => refund.state !== "failed")) {
    const isSame = wish.amount === undefined || BigInt(wish.amount) === sumOf(before);
    return isSame ? { kind: "known", parts: before } : refused("differs");
  }
  // Without an amount each is a refund of all that is left.
  const whole = purchases.flatMap((found) => planned(found, { ...wish, amount: undefined }, now));
  const [bought, balance] = [sumOf(whole) - recorded, BigInt(credit.balance)];
  const most = bought < balance ? bought : balance;
  let left = wish.amount === undefined ? most : BigInt(wish.amount);
  if (left <= 0n || left > most) return refused("exceeds");
  const parts: PurchaseRefund[] = [];
  for (const { refund, payment } of whole) {
    const amount = left < BigInt(refund.amount) ? left : BigInt(refund.amount);
    if (amount === 0n) break;
    const part = { refund: { ...refund, amount: String(amount) }, payment };
    const text = wish.obstacle(part.refund, payment);
    if (text !== undefined) return refused({ text });
    parts.push(part);
    left -= amount;
  }
  return { kind: "begun", parts };
}

/** The refunds of the last request with this id. */
function lastWith(id: string, purchases: readonly PurchaseState[]): readonly PurchaseRefund[] {
  const all = purchases.flatMap(({ payment, standing }) =>
    payment === undefined
      ? []
      : standing.filter((refund) => refund.id === id).map((refund): PurchaseRefund => ({ refund, payment })),
  );
  const last = Math.max(...all.map(({ refund }) => refund.createdAt));
  return all.filter(({ refund }) => refund.createdAt === last);
}

function planned(found: PurchaseState, wish: CreditRefundWish, now: number): readonly PurchaseRefund[] {
  const { payment } = found;
  // The balance has the money, whether or not its buyer has the response yet.
  const plan = planRefund({ ...found, isLeased: false, isSpent: false }, { ...wish, recorded: undefined }, now);
  return plan.kind === "begun" && payment !== undefined ? [{ refund: plan.refund, payment }] : [];
}

function sumOf(parts: readonly PurchaseRefund[]): bigint {
  return parts.reduce((sum, { refund }) => sum + BigInt(refund.amount), 0n);
}

function refused(why: CreditRefusal): CreditBeginResult {
  return { kind: "refused", why };
}

/** The id of the grant that takes the amount of a refund from a balance. */
export function sentGrant({ network, asset, from, nonce, sequence }: Refund): string {
  return `sent:${[network, asset, from, nonce, sequence].join(" ")}`;
}
