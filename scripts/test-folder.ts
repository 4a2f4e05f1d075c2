import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, if it is mounted. */
const MEMORY = "/dev/shm";
/** Bytes that must be free there. */
const ENOUGH_BYTES = 4 * 1024 ** 3;
/** Tries to remove the folder, and milliseconds between two of them. */
const MAX_REMOVALS = 100;
const REMOVE_EVERY_MS = 50;

/**
 * Creates the folder for all temporary files of a test run: in memory if there is room, unless the caller has set TMPDIR. Tests
 * create and remove many files, and a database has a thousand: on a disk, the file system takes a tenth of their CPU time.
 */
export function createTestFolder(): string {
  const isChosen = process.env["TMPDIR"] !== undefined;
  const folder = mkdtempSync(join(!isChosen && isFit() ? MEMORY : tmpdir(), "tests-"));
  // Databases run as another user.
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folder, although processes of the last tests may still write and remove files in it. */
export async function removeTestFolder(folder: string): Promise<void> {
  for (let tries = MAX_REMOVALS; tries > 0 && existsSync(folder); tries--) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A file was added meanwhile.
    }
    if (existsSync(folder)) await Bun.sleep(REMOVE_EVERY_MS);
  }
}

function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync("/proc/mounts", "latin1")
      .split("\n")
      .find((line) => line.split(" ")[1] === MEMORY);
    // Tests start programs from their folders.
    return mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
