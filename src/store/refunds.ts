import { CREDIT_SCHEME } from "./credits.ts";
import { type Payment, type PaymentKey } from "./ledger.ts";
import { type NewNotice } from "./outbox.ts";

/**
 * A refund's life. Its row is written before anything is sent:
 *
 *   begin ──▶ pending ──┬──▶ settled    the money was sent back
 *        └──▶ recorded  └──▶ failed     no money moved, and none will: the amount can be refunded again
 *
 * `recorded`: the operator has given the money back by other means.
 */
export type RefundState = (typeof REFUND_STATES)[number];

export const REFUND_STATES = ["pending", "settled", "recorded", "failed"] as const;

/** Money that is given back to the payer of a payment. */
export interface Refund extends PaymentKey {
  /** The number of this refund among all of its payment, from 1 on. It determines the nonce of the transfer. */
  readonly sequence: number;
  /** Names the refund among those of its payment that have not failed. */
  readonly id: string;
  readonly state: RefundState;
  /** Atomic units, decimal. */
  readonly amount: string;
  /** Unix seconds. The transfer cannot be made after this time. */
  readonly validBefore: number;
  /** True if the signed transfer may have left this program. */
  readonly sent: boolean;
  /** Hash of the transaction, or the operator's own reference; empty until it is known. */
  readonly transaction: string;
  /** The reason why the refund is still pending or has failed, or empty. */
  readonly reason: string;
  /** The operator or setting that asked for it. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface RefundWish extends Pick<Refund, "id" | "by" | "validBefore"> {
  /** Atomic units; undefined: all that has not been refunded. */
  readonly amount: string | undefined;
  /** The transaction or reference of a refund that was made by other means. A pending refund of this id then ends so. */
  readonly recorded: string | undefined;
  /** The notice of a recorded refund, which is stored with it in one transaction. */
  readonly notice?: (refund: Refund) => NewNotice | undefined;
}

/**
 * Why a refund cannot begin. `unsettled`: no money was received. `open`: it is not known yet whether money was received.
 * `busy`: a request is receiving the response. `exceeds`: less than this amount is left. `differs`: the id names a refund
 * with another amount or transaction. `sent`: the refund of this id may still be made. `credit`: it was taken from a prepaid
 * balance, or bought one.
 */
export type RefundRefusal = "absent" | "unsettled" | "open" | "busy" | "exceeds" | "differs" | "sent" | "credit";

/** `known`: a refund with this id exists, and nothing was changed. `was`: the pending refund that ends as a recorded one. */
export type BeginResult =
  | { readonly kind: "begun"; readonly refund: Refund; readonly was?: Refund }
  | { readonly kind: "known"; readonly refund: Refund }
  | { readonly kind: "refused"; readonly why: RefundRefusal };

export interface RefundEnd {
  readonly state: "settled" | "failed";
  readonly transaction: string;
  readonly reason: string;
  /** A notice to post to the operator. It is stored in one transaction with the end. */
  readonly notice?: NewNotice | undefined;
}

/** Records refunds. Each method is atomic over all processes that share the store, and on the disk when it resolves. */
export interface Refunds {
  /** Reserves the amount. The refunds of a payment never exceed it, and its response is not owed any more. */
  begin(payment: PaymentKey, wish: RefundWish): Promise<BeginResult>;
  /** Takes at most `limit` pending refunds that are due. They are due again after `REFUND_TURN_MS`. */
  claim(limit: number): Promise<readonly Refund[]>;
  /** Records that the signed transfer is about to leave. False: the refund has ended. */
  sending(refund: Refund): Promise<boolean>;
  /** The refund stays pending and is due at `dueAt` (Unix milliseconds). */
  postpone(refund: Refund, dueAt: number, reason: string): Promise<void>;
  /** False: the refund has ended before. Nothing was changed. */
  end(refund: Refund, end: RefundEnd): Promise<boolean>;
  /**
   * Settled payments to one of `payees` (lower case) whose response was not delivered, the oldest first. They were last
   * changed before `before` (Unix milliseconds); a refund that failed is a change. Charges of prepaid balances and of channels are left out.
   */
  owed(payees: readonly string[], before: number, limit: number): Promise<readonly Payment[]>;
  pending(): Promise<number>;
}

/** Milliseconds for which a process has a refund that it claimed. Two that send it at once send the same transfer. @bound */
export const REFUND_TURN_MS = 30_000;
/** Milliseconds for which a refund waits at most. One that waits longer does so because a clock was set back, so it is due. */
export const MAX_REFUND_WAIT_MS = 120_000;

/** Milliseconds after its end at which the transfer of a refund can certainly not be made, also by a clock that is wrong. @bound */
const SURELY_OVER_MS = 3_600_000;

/** A payment in the store. The caller has locked its row. */
export interface Refundable {
  readonly payment: Payment | undefined;
  readonly isLeased: boolean;
  /** It has bought a prepaid balance, or a pass that is not revoked. */
  readonly isSpent: boolean;
  /** All of its refunds. */
  readonly standing: readonly Refund[];
}

/** Decides about a refund. */
export function planRefund(
  { payment, isLeased, isSpent, standing }: Refundable,
  wish: RefundWish,
  now: number,
): BeginResult {
  if (payment === undefined) return refused("absent");
  if (payment.state === "settling" || payment.state === "unknown") return refused("open");
  if (payment.state !== "settled") return refused("unsettled");
  const { id, recorded, by, validBefore } = wish;
  const same = standing.find((refund) => refund.id === id && refund.state !== "failed");
  if (same?.state === "pending" && recorded !== undefined) {
    return planRecord({ payment, isSpent }, same, { ...wish, recorded }, now);
  }
  if (payment.scheme === CREDIT_SCHEME || isSpent) return refused("credit");
  if (same !== undefined) {
    const isSame =
      (wish.amount === undefined || wish.amount === same.amount) &&
      (recorded === undefined ? same.state !== "recorded" : same.transaction === recorded);
    return isSame ? { kind: "known", refund: same } : refused("differs");
  }
  if (isLeased && !payment.delivered) return refused("busy");
  const left = BigInt(payment.amount) - BigInt(payment.refunded);
  const amount = wish.amount === undefined ? left : BigInt(wish.amount);
  if (amount <= 0n || amount > left) return refused("exceeds");
  const { network, asset, from, nonce } = payment;
  const refund: Refund = {
    network,
    asset,
    from,
    nonce,
    id,
    by,
    validBefore,
    sequence: Math.max(0, ...standing.map(({ sequence }) => sequence)) + 1,
    state: recorded === undefined ? "pending" : "recorded",
    amount: amount.toString(),
    sent: false,
    transaction: recorded ?? "",
    reason: "",
    createdAt: now,
    updatedAt: now,
  };
  return { kind: "begun", refund };
}

/** The operator names the transaction of a pending refund, which keeps its number. */
function planRecord(
  { payment, isSpent }: { readonly payment: Payment; readonly isSpent: boolean },
  was: Refund,
  { amount = was.amount, recorded, by }: RefundWish & { readonly recorded: string },
  now: number,
): BeginResult {
  if (was.sent && now < was.validBefore * 1000 + SURELY_OVER_MS) return refused("sent");
  // A prepaid balance may have spent what was not taken from it.
  const most = isSpent ? BigInt(was.amount) : BigInt(payment.amount) - BigInt(payment.refunded) + BigInt(was.amount);
  if (BigInt(amount) <= 0n || BigInt(amount) > most) return refused("exceeds");
  return {
    kind: "begun",
    was,
    refund: { ...was, state: "recorded", amount, transaction: recorded, reason: "", by, updatedAt: now },
  };
}

function refused(why: RefundRefusal): BeginResult {
  return { kind: "refused", why };
}

/** The sum of a payment's refunds after one more, or one less. */
export function refundedAfter({ refunded }: Payment, { amount }: Pick<Refund, "amount">, sign: 1n | -1n): string {
  return (BigInt(refunded) + sign * BigInt(amount)).toString();
}
