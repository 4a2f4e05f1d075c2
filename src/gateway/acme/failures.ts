import { AcmeError } from "./acme-error.ts";
import { type FailureRecord } from "./records.ts";

/** Pauses after failed orders, in milliseconds: the first, doubled each time up to the longest, and the most that a directory may ask for. @bound */
export const FAILURES = { firstMs: 60_000, longestMs: 6 * 3_600_000, longestAskedMs: 24 * 3_600_000 } as const;

/** What is kept of a further failure. `random` is from 0 to 1. */
export function failedAgain(
  before: FailureRecord | undefined,
  {
    settings,
    error,
    now,
    random,
    firstMs,
  }: { settings: string; error: unknown; now: number; random: number; firstMs: number },
): FailureRecord {
  const count = before?.settings === settings ? before.count + 1 : 1;
  const grown = Math.min(firstMs * 2 ** (count - 1), FAILURES.longestMs);
  // Gateways that failed together do not come back together.
  const pause = grown * (0.75 + random / 2);
  const asked = error instanceof AcmeError ? Math.min(error.retryAfterMs, FAILURES.longestAskedMs) : 0;
  return { settings, count, next_at: Math.ceil(now + Math.max(pause, asked)) };
}

/** True where the failure is one of these settings: others are tried at once. */
export function isWaiting(failure: FailureRecord | undefined, settings: string): failure is FailureRecord {
  return failure?.settings === settings;
}
