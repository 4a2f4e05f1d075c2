import { mkdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../../node_modules/.cache/turnpike-tests");

/**
 * The path of a file or folder that tests make once for a checkout, because that takes CPU-seconds. The name changes with all
 * that decides its content. Make it under another name, and rename it: several processes may do this at a time.
 */
export function inTestCache(name: string): string {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  return join(FOLDER, name);
}
