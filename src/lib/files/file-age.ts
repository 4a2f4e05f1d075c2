import { stat } from "node:fs/promises";

/**
 * Milliseconds since a file or folder was last changed, by the system's clock `now`; undefined if it cannot be read.
 * Negative for a time in the future.
 */
export async function fileAge(path: string, now: () => number = Date.now): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && now() - stats.mtimeMs;
}
