/** Times of `pollUntil` in milliseconds. `pause` waits for a time; `clock` returns monotonic milliseconds. */
export interface Polling {
  readonly everyMs: number;
  readonly mostMs: number;
  readonly pause?: (ms: number) => Promise<void>;
  readonly clock?: () => number;
}

/**
 * Calls `isDone` until it returns true, with pauses of `everyMs` between the calls. Resolves to false if it still
 * returns false after `mostMs`. Rejects if `isDone` or `pause` rejects.
 */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { everyMs, mostMs, pause = Bun.sleep, clock = () => performance.now() }: Polling,
): Promise<boolean> {
  const end = clock() + mostMs;
  while (!(await isDone())) {
    if (clock() >= end) return false;
    await pause(everyMs);
  }
  return true;
}
