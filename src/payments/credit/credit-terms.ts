import { type Credit, CREDIT_BOOK, MAX_CREDIT_DIGITS } from "../../store/credits.ts";

const CHAINS = "eip155:";
const CREDITS = "credit:";

/** The token of charges of a pass. */
export const CALLS = "calls";

/** The state of a credit at `now` (Unix milliseconds). */
export function standingOf({ revokedAt, expiresAt }: Credit, now: number): "active" | "revoked" | "expired" {
  if (revokedAt > 0) return "revoked";
  return expiresAt > 0 && expiresAt <= now ? "expired" : "active";
}

/**
 * The network and the asset of a credit's charges in the ledger. The network differs from the chain of the credit, so that
 * sums by network count no money twice: when the credit is bought, and when it is spent.
 */
export function bookOf({ id, unit, network }: Pick<Credit, "id" | "unit" | "network">): {
  readonly network: string;
  readonly asset: string;
} {
  return {
    network: CREDITS + (unit === "money" ? network.slice(CHAINS.length) : CALLS),
    asset: CREDIT_BOOK + id,
  };
}

/** True if a balance can be changed by this amount: decimal, above zero, and not too large for every store. */
export function isCreditAmount(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && text.length < MAX_CREDIT_DIGITS;
}
