import { type NewNotice } from "./outbox.ts";

/**
 * A payment's life:
 *
 *             reserve             verify ok            response ready
 *   (none) ───────────▶ reserved ───────────▶ verified ───────────────▶ settling ──┬──▶ settled   money was transferred
 *     ▲                    │                     │                       ▲  │      ├──▶ failed    no money was transferred
 *     └────── released ◀───┴─────────────────────┤                       │  ▼      └──▶ unknown   looked up: settled or failed
 *                                                └───────────────────▶ deferred   charged later.
 *
 * A charge to prepaid credit or a channel goes from `reserved` to `settled` or `deferred`. A failed payment can be reserved
 * again. `settling` is released if the client leaves before the facilitator is asked, and becomes `unknown` when another
 * request acquires its lease. A deferred charge that the facilitator refuses stays `deferred` until its time ends.
 *
 * Each state is written before the action that it stands for. If the gateway crashes while money may be transferred, the
 * payment is left in `settling` (decision 0801).
 */
export type PaymentState = (typeof PAYMENT_STATES)[number];

export const PAYMENT_STATES = [
  "reserved",
  "verified",
  "deferred",
  "settling",
  "settled",
  "released",
  "failed",
  "unknown",
] as const;

/** The values that identify a payment on its chain. All are lower case. */
export interface PaymentKey {
  readonly network: string;
  /** The contract that records the nonce as spent: the token itself for EIP-3009, the Permit2 contract for Permit2. */
  readonly asset: string;
  readonly from: string;
  readonly nonce: string;
}

/** The data of a payment that are known before it is verified. */
export interface Reservation extends PaymentKey {
  /** Address of the token that is transferred, lower case. */
  readonly token: string;
  readonly scheme: string;
  /** Atomic units, decimal. Under `upto` this is the maximum until the charge is known. */
  readonly amount: string;
  readonly payTo: string;
  readonly route: string;
  /** Name of the authenticated client, or else the payer. */
  readonly consumer: string;
  /** Digest of payment and request. Only the same request with the same payment may continue an unfinished payment. */
  readonly fingerprint: string;
  /** Unix seconds. The payment cannot be used after this time. */
  readonly validBefore: number;
  /** The payment as JSON, needed to query its outcome again; empty once the outcome is known. */
  readonly payload: string;
}

export interface Payment extends Reservation {
  readonly state: PaymentState;
  /** Number of the current lease. A change under an earlier lease is refused. */
  readonly attempt: number;
  /** Hash of the transaction, or empty. */
  readonly transaction: string;
  /** Code of the failure or the release, from a fixed list, or empty. */
  readonly reason: string;
  readonly payer: string;
  /** The name of the facilitator that was asked to settle it, or empty. No other one may be asked until the outcome is known. */
  readonly facilitator: string;
  /** True if the client received the response. A settled payment without delivery is still owed its response. */
  readonly delivered: boolean;
  /** Count of responses that were started but not sent completely. */
  readonly cuts: number;
  /** Count of upstream requests whose response was only partly sent to the client. */
  readonly partials: number;
  /** Count of times that the response was sent again by requests without the lease. */
  readonly repeats: number;
  /** The facts of a charge that is made later, as JSON (`src/payments/settlement/deferral.ts`), or empty. */
  readonly deferral: string;
  /** Digest of the body of the request that the payment was spent on; empty until it is known. */
  readonly bodyDigest: string;
  /** Atomic units that refunds have given back or reserved, decimal. Above 0, an undelivered response is not owed. */
  readonly refunded: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * The result of `reserve`. `held`: only this caller now has the lease of the payment. `payment.state` says what to do:
 * `reserved` is a new payment, `unknown` must be reconciled, `settled` is paid but its response was not delivered. Not
 * held: another process has the lease, or the payment is finished.
 */
export interface Claim {
  readonly leased: boolean;
  readonly payment: Payment;
}

/** A change of a payment. A value that is left out stays as it was. */
export interface Change {
  readonly state: PaymentState;
  /** True: keep the lease. False: release it with this change. */
  readonly lease: boolean;
  readonly transaction?: string;
  readonly reason?: string;
  readonly payer?: string;
  readonly facilitator?: string;
  /** Under `upto`: the amount that is charged. */
  readonly amount?: string;
  /** A notice to post to the operator. It is stored in one transaction with the change. */
  readonly notice?: NewNotice | undefined;
  /** True: the response was delivered. False: it was started and cut off. A later false does not undo a true. */
  readonly delivered?: boolean;
  /** True: the response was counted as cut off when it was started, and is whole. */
  readonly uncut?: boolean;
  /** Refuse the change if the response was delivered before. Another request may have received it. */
  readonly ifUndelivered?: boolean;
  /** True: a response of the upstream was only partly sent. */
  readonly partial?: boolean;
  readonly deferral?: string;
  /** Milliseconds until `claimDue` gives the payment to a process. */
  readonly dueInMs?: number | "never";
  /** A later request receives the owed response only if its body has this digest. */
  readonly bodyDigest?: string;
}

/** True if the payment is settled, and its client has neither the response nor a refund. */
export function isOwed({ state, delivered, refunded }: Payment): boolean {
  return state === "settled" && !delivered && refunded === "0";
}

/** Records payments. Each method is atomic over all processes that share the ledger. */
export interface Ledger {
  /**
   * Acquires the lease of a payment in one step, if it is new, released, or unfinished without a lease. A settled
   * payment that is owed its response is refused after `maxPartials` responses that were only partly sent.
   */
  reserve(reservation: Reservation, maxPartials?: number): Promise<Claim>;
  /** False: another process has acquired the lease. Nothing was changed, and the caller must stop. */
  move(payment: Payment, change: Change): Promise<boolean>;
  /**
   * Records that a request without the lease has sent the whole response. False: the payment is not settled, or the
   * response was delivered before. Then nothing was changed.
   */
  deliver(payment: PaymentKey): Promise<boolean>;
  /**
   * Counts a request without the lease that is about to send the response again. False: `most` such requests were
   * counted, or the payment is not settled. Then nothing was changed, and nothing may be sent.
   */
  repeat(payment: PaymentKey, most: number): Promise<boolean>;
  find(key: PaymentKey): Promise<Payment | undefined>;
  /**
   * Acquires the leases of payments whose outcome is open and which no process works on, `limit` at most. Payments that
   * were checked longest ago come first. Payments that were checked within the last `RECHECK_MS` are left out, and those
   * that `claimDue` gives.
   */
  claimOpen(limit: number): Promise<readonly Payment[]>;
  /** Acquires the leases of payments that are due (`Change.dueInMs`) and that no process works on, `limit` at most. */
  claimDue(limit: number): Promise<readonly Payment[]>;
  close(): Promise<void>;
}

/** States that a power failure must not undo: money is transferred because of them, or was transferred. */
const DURABLE: ReadonlySet<PaymentState> = new Set(["deferred", "settling", "settled", "failed", "unknown"]);

/** Whether a power failure must not undo a change. Often only the next time of a deferred payment changes. */
export function isDurable({ state, deferral, lease }: Change): boolean {
  return DURABLE.has(state) && (state !== "deferred" || deferral !== undefined || lease);
}

/** Columns that a payment keeps when it is reserved again after money was, or may have been, transferred. */
export const KEPT_COLUMNS: readonly string[] =
  "token scheme payload amount pay_to route consumer counted tx reason payer facilitator body_digest deferral due_at".split(
    " ",
  );

/** Maximum number of rows that one deletion takes, so that it never blocks for long. @bound */
export const REAP_ROWS = 1000;
/** Seconds for which an unsettled payment is kept after its `validBefore`, because clocks differ. @bound */
export const REAP_GRACE_S = 120;

/**
 * Milliseconds for which a charge waits at most until it is due (`Change.dueInMs`). One that waits longer does so because the clock
 * was set back, so it is due.
 */
export const MAX_DUE_MS = 900_000;

/** The time between two checks of a payment whose outcome is open, in milliseconds. */
export const RECHECK_MS = 30_000;

/** Milliseconds after which a lease expires unless its process renews it. @bound */
export const LEASE_MS = 15_000;

/** Cut-off responses after which a paid request is refused: cut just before the end, they are nearly whole. */
export const MAX_CUTS = 10;
