import { AcmeError } from "./acme-error.ts";
import { type FailureRecord } from "./records.ts";

/**
 * Pauses after failed orders, in milliseconds: the first one, the longest (each pause is twice the previous one), and
 * the longest that a directory may ask for. @bound
 */
export const FAILURES = { firstMs: 60_000, longestMs: 6 * 3_600_000, longestAskedMs: 24 * 3_600_000 } as const;

/** The record of a further failure. `random` is from 0 to 1. */
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
  // Random, so that gateways that failed together do not try again together.
  const pause = grown * (0.75 + random / 2);
  const asked = error instanceof AcmeError ? Math.min(error.retryAfterMs, FAILURES.longestAskedMs) : 0;
  return { settings, count, next_at: Math.ceil(now + Math.max(pause, asked)) };
}

/** True if these settings failed. Other settings are tried at once. */
export function isWaiting(failure: FailureRecord | undefined, settings: string): failure is FailureRecord {
  return failure?.settings === settings;
}
