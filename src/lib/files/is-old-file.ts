import { stat } from "node:fs/promises";
import { isWithin } from "../time/is-within.ts";

/** True if a file or folder last changed more than `ms` milliseconds ago, by the clock `now`. False if it is unreadable. */
export async function isOldFile(path: string, ms: number, now: () => number = Date.now): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && !isWithin(stats.mtimeMs, ms, now());
}
