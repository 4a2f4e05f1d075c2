import { type Claim, type Payment, type PaymentKey, type Reservation } from "./ledger.ts";

/**
 * A prepaid balance, which its token spends. The balance changes in the transaction that changes the payment of a charge
 * (`Reservation.scheme` `credit`), by triggers of the database: a reservation takes the amount, a release or a deletion
 * returns it. So a crash at any time neither loses nor creates credit.
 */
export interface Credit {
  readonly id: string;
  /** SHA-256 of the token, base64url. */
  readonly hash: string;
  /** The wallet that bought it, lower case. Its charges have this payer. */
  readonly owner: string;
  /** `time`: requests cost nothing until it expires. */
  readonly unit: "money" | "calls" | "time";
  /** The name of the pass; empty for money. */
  readonly name: string;
  /** The chain and the token of the money; of a pass, those in which it was bought. */
  readonly network: string;
  readonly token: string;
  /** Names of the routes that it pays for. Empty: all. */
  readonly routes: readonly string[];
  /** Atomic units of the token, or calls; decimal. */
  readonly balance: string;
  /** Unix milliseconds; 0: never. */
  readonly expiresAt: number;
  /** Unix milliseconds; 0: not revoked. */
  readonly revokedAt: number;
  readonly createdAt: number;
}

export type NewCredit = Omit<Credit, "balance" | "revokedAt" | "createdAt">;

/** A change of a balance that is not a charge. */
export interface Grant {
  /** A second grant with the same id changes nothing. */
  readonly id: string;
  /** `refunded`: it was given back by other means. `sent`: it was taken for a refund, or returned as that failed. */
  readonly kind: "bought" | "issued" | "refunded" | "sent";
  /** Decimal; negative if it was taken. */
  readonly amount: string;
  /** The nonce of the payment that bought it, or empty. */
  readonly payment: string;
}

export interface StoredGrant extends Grant {
  readonly at: number;
}

/** Records prepaid balances. Each method is atomic over all processes that share the store. */
export interface Credits {
  find(id: string): Promise<Credit | undefined>;
  /**
   * Creates a credit with its first grant. If the grant was made before, the credit that has it gets the new hash, so
   * that only the last token is valid. Returns the id of the credit with the grant. Undefined: its payment was refunded.
   * Rejects if the balance would have more than `MAX_CREDIT_DIGITS`.
   */
  open(credit: NewCredit, grant: Grant): Promise<string | undefined>;
  /**
   * Adds to a balance, and moves its end to `expiresAt` if that is later. False: the grant was made before, or its payment
   * was refunded. Rejects if the balance would have more than `MAX_CREDIT_DIGITS`; then nothing was changed.
   */
  add(id: string, grant: Grant, expiresAt: number): Promise<boolean>;
  /** Gives a credit that is not revoked another token. False: it is revoked or does not exist. */
  rekey(id: string, hash: string): Promise<boolean>;
  /** False: it was revoked before, or does not exist. */
  revoke(id: string): Promise<boolean>;
  /** Takes `amount` from a balance. False: the grant was made before, or the balance is smaller. */
  take(id: string, grant: Grant): Promise<boolean>;
  /** Newest first. `before`: the last credit of the page before. */
  list(filter: CreditFilter, limit: number): Promise<readonly Credit[]>;
  /** Newest first. */
  grants(id: string, limit: number): Promise<readonly StoredGrant[]>;
  /** True if a grant with this id was made. */
  isGranted(grant: string): Promise<boolean>;
  /** The payments of its charges, newest first. */
  charges(id: string, limit: number): Promise<readonly Payment[]>;
}

/** Selects credits that match all members. */
export interface CreditFilter {
  /** Lower case. */
  readonly owner?: string | undefined;
  readonly before?: Pick<Credit, "id" | "createdAt"> | undefined;
}

/** The id of the grant that a payment buys. */
export function purchaseOf({ network, asset, from, nonce }: PaymentKey): string {
  return `${PURCHASE}${[network, asset, from, nonce].join(" ")}`;
}

/** SQL for the id of the grant that a row of payments buys. */
export function purchaseIn(row: string): string {
  const parts = ["network", "asset", "payer_from", "nonce"].map((column) => `${row}.${column}`);
  return `'${PURCHASE}' || ${parts.join(" || ' ' || ")}`;
}

/** SQL: `credit` is a pass that pays for nothing any more, so its price can be given back. */
export function isEndedPass(credit: string): string {
  return `(${credit}.unit <> 'money' AND ${credit}.revoked_at > 0)`;
}

const PURCHASE = "bought:";
/** The scheme of charges in the ledger. */
export const CREDIT_SCHEME = "credit";
/** The beginning of `Reservation.asset` of a charge; the id of the credit follows. */
export const CREDIT_BOOK = "credit:";
/** Digits of the largest balance and charge. @bound */
export const MAX_CREDIT_DIGITS = 30;

/** The error of a change that a balance has no digits for. */
export function balanceTooLarge(id: string, cause?: unknown): Error {
  return new Error(`Cannot add to the credit ${id}: its balance would have more than ${MAX_CREDIT_DIGITS} digits`, {
    cause,
  });
}

/** `Payment.reason` of a charge that its credit or channel does not cover, or whose credit has ended. Nothing was recorded. */
export const UNCOVERED = "credit_uncovered";

/** The result of a reservation that a credit does not cover. */
export function uncovered(reservation: Reservation): Claim {
  const payment: Payment = {
    ...reservation,
    state: "failed",
    attempt: 0,
    transaction: "",
    reason: UNCOVERED,
    payer: "",
    facilitator: "",
    delivered: false,
    cuts: 0,
    partials: 0,
    repeats: 0,
    bodyDigest: "",
    refunded: "0",
    deferral: "",
    createdAt: 0,
    updatedAt: 0,
  };
  return { leased: false, payment };
}
