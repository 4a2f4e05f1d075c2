import { type Credit, MAX_CREDIT_DIGITS } from "../../store/credits.ts";

/** The token of charges of a pass. */
export const CALLS = "calls";

/** The state of a credit at `now` (Unix milliseconds). */
export function standingOf({ revokedAt, expiresAt }: Credit, now: number): "active" | "revoked" | "expired" {
  if (revokedAt > 0) return "revoked";
  return expiresAt > 0 && expiresAt <= now ? "expired" : "active";
}

/** True if a balance can be changed by this amount: decimal, above zero, and not too large for every store. */
export function isCreditAmount(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && text.length < MAX_CREDIT_DIGITS;
}
