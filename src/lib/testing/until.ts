import { patient } from "./patience.ts";

const LOOK_MS = 10;

/**
 * Checks `condition` every few milliseconds until it is true. After `ms` milliseconds, longer on a busy machine, it
 * throws an Error that names `what`.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 10_000,
  what = "the condition",
): Promise<void> {
  const end = performance.now() + patient(ms);
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Cannot go on: not within ${patient(ms)} ms: ${what}`);
    await Bun.sleep(LOOK_MS);
  }
}
