import { type PaymentRequirements } from "../x402/messages.ts";
import { type Transfer } from "../x402/transfer.ts";

/** The remaining validity that an authorization needs so that it can be settled in time, in seconds. */
export const SETTLEMENT_GUARD_S = 6;
/** Extra validity that is accepted beyond the requested time, because clocks differ, in seconds. */
const CLOCK_SLACK_S = 60n;

/**
 * `over`: the authorization ends too soon to be settled, or later than requested. Without the upper limit, its nonce
 * would have to be remembered forever. `early`: its validity has not begun. `now` is in Unix seconds.
 */
export function checkValidity(
  { validAfter, validBefore }: Transfer,
  { maxTimeoutSeconds }: PaymentRequirements,
  now: number,
): "over" | "early" | undefined {
  const time = BigInt(Math.floor(now));
  const end = BigInt(validBefore);
  const latest = time + BigInt(maxTimeoutSeconds) + CLOCK_SLACK_S;
  if (end < time + BigInt(SETTLEMENT_GUARD_S) || end > latest) return "over";
  return BigInt(validAfter) > time ? "early" : undefined;
}
