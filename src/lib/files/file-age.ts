import { stat } from "node:fs/promises";

/** Milliseconds since a file or folder changed, by the clock `now`; undefined if unreadable. May be negative. */
export async function fileAge(path: string, now: () => number = Date.now): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && now() - stats.mtimeMs;
}
