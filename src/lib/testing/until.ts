import { patient } from "./patience.ts";

const LOOK_MS = 10;

/** Asks every few milliseconds until `condition` holds; an Error that names `what` after `ms`, longer on a busy machine. */
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
