import { AcmeError } from "./acme-error.ts";
import { type FailureRecord } from "./records.ts";

/**
 * Pauses after failed orders, in milliseconds: the first one, the longest (each pause is twice the previous one), and
 * the longest that a directory may ask for. @bound
 */
export const FAILURES = { firstMs: 60_000, longestMs: 6 * 3_600_000, longestAskedMs: 24 * 3_600_000 } as const;

/** The pause after failures in a row, in milliseconds. `random` is from 0 to 1. */
export function pauseAfter(count: number, { random, firstMs }: { random: number; firstMs: number }): number {
  const grown = Math.min(firstMs * 2 ** (count - 1), FAILURES.longestMs);
  // Random, so that gateways that failed together do not try again together.
  return grown * (0.75 + random / 2);
}

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
  const pause = pauseAfter(count, { random, firstMs });
  const asked = error instanceof AcmeError ? Math.min(error.retryAfterMs, FAILURES.longestAskedMs) : 0;
  return { settings, count, next_at: Math.ceil(now + Math.max(pause, asked)) };
}

/**
 * The record of an order that begins, and that stays if the process is killed during the order. The first order after
 * that begins at once, each further one after a pause.
 */
export function begunAgain(
  before: FailureRecord | undefined,
  { settings, now, random, firstMs }: { settings: string; now: number; random: number; firstMs: number },
): FailureRecord {
  const count = before?.settings === settings ? before.count + 1 : 1;
  const pause = count === 1 ? 0 : pauseAfter(count - 1, { random, firstMs });
  return { settings, count, next_at: Math.ceil(now + pause) };
}

/**
 * The time until which a failure delays orders with these settings, in Unix milliseconds; 0: they begin at once. A time
 * beyond the longest pause was written while the machine's clock was wrong, and does not count.
 */
export function waitsUntil(failure: FailureRecord | undefined, settings: string, now: number): number {
  if (failure?.settings !== settings) return 0;
  return failure.next_at > now + FAILURES.longestAskedMs ? 0 : failure.next_at;
}
