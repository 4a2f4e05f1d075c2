import { patient } from "./patience.ts";

/** The first and the longest pause between two checks, and the share of the time so far that a pause takes. */
const LOOK_MS = 10;
const LONGEST_LOOK_MS = 200;
const LOOK_SHARE = 0.05;

/** Milliseconds to the next check of a condition: a longer wait has fewer of them, because they take CPU time. */
export function untilNextLook(startedAt: number): number {
  return Math.min(Math.max(LOOK_MS, LOOK_SHARE * (performance.now() - startedAt)), LONGEST_LOOK_MS);
}

/**
 * Checks `condition` every few milliseconds, later less often, until it is true. After `ms` milliseconds, longer on a busy machine, it
 * throws an Error that names `what`.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 10_000,
  what = "the condition",
): Promise<void> {
  const startedAt = performance.now();
  const end = startedAt + patient(ms);
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Cannot go on: not within ${patient(ms)} ms: ${what}`);
    await Bun.sleep(untilNextLook(startedAt));
  }
}
