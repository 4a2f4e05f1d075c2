import { type NewNotice } from "./outbox.ts";

/**
 * A payment's life:
 *
 *             reserve             verify ok            answer is there
 *   (none) ───────────▶ reserved ───────────▶ verified ───────────────▶ settling ──┬──▶ settled   money moved
 *     ▲                    │                     │                                 ├──▶ failed    nothing moved
 *     └────── released ◀───┴─────────────────────┘                                 └──▶ unknown   to be reconciled
 *
 * Each state is written before the act it stands for, so a crash leaves `settling` at worst where money may have moved (decision 0801).
 */
export type PaymentState = "reserved" | "verified" | "settling" | "settled" | "released" | "failed" | "unknown";

/** What makes a payment unique on its chain. All lower case. */
export interface PaymentKey {
  readonly network: string;
  /** The contract that spends the nonce: the token itself under EIP-3009, Permit2 under Permit2. */
  readonly asset: string;
  readonly from: string;
  readonly nonce: string;
}

export interface Reservation extends PaymentKey {
  /** The token that moves, lower case. */
  readonly token: string;
  readonly scheme: string;
  /** Atomic units, decimal. Under `upto` the most that may be charged, until the charge is known. */
  readonly amount: string;
  readonly payTo: string;
  readonly route: string;
  /** Who was let in, by the name that authentication gave; empty where nobody asked. */
  readonly consumer: string;
  /** Digest of payment and request: only the very same request with the very same payment may take over what is unfinished. */
  readonly fingerprint: string;
  /** Unix seconds after which the payment cannot be used any more. */
  readonly validBefore: number;
  /** The payment as JSON, to ask again what became of it; empty once that is known. */
  readonly payload: string;
}

export interface Payment extends Reservation {
  readonly state: PaymentState;
  /** Counts the holders one after another; a change by an earlier holder is refused. */
  readonly attempt: number;
  /** The transaction's hash, or empty. */
  readonly transaction: string;
  /** Why it failed, one of a fixed list, or empty. */
  readonly reason: string;
  readonly payer: string;
  /** The answer was handed to the client. Settled and not delivered is a debt. */
  readonly delivered: boolean;
  /** How often its answer was begun and not taken whole. */
  readonly cuts: number;
  /** How often the upstream was run for an answer of which a part, and not the whole, went out. */
  readonly partials: number;
  /** What the body of the request was that it was spent on, once that is known; empty until then. */
  readonly bodyDigest: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * `held`: this caller, and no other, now works on the payment, which stands as `payment.state` says: `reserved` is fresh,
 * `unknown` wants reconciling, `settled` is paid and owed. Not held: another holds it, or it is over.
 */
export interface Claim {
  readonly held: boolean;
  readonly payment: Payment;
}

export interface Change {
  readonly state: PaymentState;
  /** Keep working on it. Otherwise the hold ends with this change. */
  readonly hold: boolean;
  readonly transaction?: string;
  readonly reason?: string;
  readonly payer?: string;
  /** Under `upto`: what is charged. */
  readonly amount?: string;
  /** Written down with the change, both or neither: to be posted to the operator. */
  readonly notice?: NewNotice;
  /** False: the answer was begun, and cut off. It stays true once it was. */
  readonly delivered?: boolean;
  /** Refused as well if the answer was delivered before: another request may have had it. */
  readonly ifUndelivered?: boolean;
  /** True: a part of an answer that the upstream was run for went out, and not the whole. */
  readonly partial?: boolean;
  /** Only a request with the same body may have what is owed. */
  readonly bodyDigest?: string;
}

/** Where payments are written down. Every method is atomic over all processes that share the ledger. */
export interface Ledger {
  /**
   * Takes hold of a payment, in one step: a new one, a freed one, or an unfinished one whose holder is gone. One that is owed is
   * not to be had after `maxPartials` answers of which a part went out.
   */
  reserve(reservation: Reservation, maxPartials?: number): Promise<Claim>;
  /** False: the hold was lost to another, nothing was changed, and the caller must not act. */
  move(payment: Payment, change: Change): Promise<boolean>;
  /**
   * Notes that a request that does not hold the payment has had the whole answer. False: it was delivered before, or is not
   * settled, and nothing was changed.
   */
  deliver(payment: PaymentKey): Promise<boolean>;
  find(key: PaymentKey): Promise<Payment | undefined>;
  /**
   * Takes hold of payments whose outcome is open and that nobody works on, `limit` at most, those first that were looked at
   * longest ago, none that were within `RECHECK_MS`.
   */
  claimOpen(limit: number): Promise<readonly Payment[]>;
  close(): Promise<void>;
}

/** How long a payment whose outcome is open is left alone between two looks, in milliseconds. */
export const RECHECK_MS = 30_000;

/** How long a hold lasts without a sign of life of its process. @bound */
export const HOLD_MS = 15_000;

/** How often an answer may be cut off before a paid request is not worked on again: who leaves just before the end has it. */
export const MAX_CUTS = 10;
