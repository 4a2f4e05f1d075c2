import { statfsSync } from "node:fs";
import { codeOf, FULL_DISK } from "../caught.ts";

/** Bytes. SQLite reports a full disk as other errors too, if it has no space for the file that its processes share. */
const LITTLE_BYTES = 256 * 1024;

/** True if an operation on a file in `folder` failed because its disk is full. */
export function isDiskFull(error: unknown, folder: string): boolean {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined) ?? "";
  if (FULL_DISK.has(code)) return true;
  if (!code.startsWith("SQLITE_IOERR") && code !== "SQLITE_CANTOPEN") return false;
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return false;
  }
}
