import { type PaymentRequirements } from "../x402/messages.ts";
import { type Transfer } from "../x402/transfer.ts";

/** What must be left of an authorization's time for settlement to have a chance, in seconds. */
const SETTLEMENT_GUARD_S = 6n;
/** How much longer than asked for an authorization may be valid, for clocks that differ, in seconds. */
const CLOCK_SLACK_S = 60n;

/**
 * `over`: an authorization ends too soon to be settled, or later than was asked for; without that bound its nonce would have
 * to be remembered for ever. `early`: its time has not begun. `now` is in Unix seconds.
 */
export function checkValidity(
  { validAfter, validBefore }: Transfer,
  { maxTimeoutSeconds }: PaymentRequirements,
  now: number,
): "over" | "early" | undefined {
  const time = BigInt(Math.floor(now));
  const end = BigInt(validBefore);
  const latest = time + BigInt(maxTimeoutSeconds) + CLOCK_SLACK_S;
  if (end < time + SETTLEMENT_GUARD_S || end > latest) return "over";
  return BigInt(validAfter) > time ? "early" : undefined;
}
