import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { codeOf, messageOf } from "../../lib/caught.ts";

/** Opens a path without opening its file, so FIFOs and devices are not affected (Linux; Node has no name). */
const O_PATH = 0o10_000_000;

/** The result for a path: an open regular file, whose descriptor the caller closes, or the reason for its absence. */
export type Found =
  | { readonly kind: "file"; readonly fd: number; readonly stats: Stats }
  | { readonly kind: "directory" | "absent" | "no-descriptors" };

const ABSENT: Found = { kind: "absent" };

/**
 * Opens the file at `path` if it is inside `root`, after all symbolic links. The check uses the open file itself, so a
 * link that changes meanwhile has no effect. Special files, and files that this user cannot read, count as absent.
 */
export function openInside(root: string, path: string): Found {
  // For missing files this check saves the cost of an exception, about half. A change in between is found below.
  if (!existsSync(path)) return ABSENT;
  let named = -1;
  try {
    named = openSync(path, O_PATH);
    const self = `/proc/self/fd/${named}`;
    if (!isInside(root, readlinkSync(self))) return ABSENT;
    const stats = fstatSync(named);
    if (stats.isDirectory()) return { kind: "directory" };
    if (!stats.isFile()) return ABSENT;
    return { kind: "file", fd: openSync(self, constants.O_RDONLY), stats };
  } catch (error) {
    return lacksDescriptors(error) ? { kind: "no-descriptors" } : ABSENT;
  } finally {
    if (named !== -1) closeSync(named);
  }
}

/** Whether this process or the system had no file descriptor left. */
export function lacksDescriptors(error: unknown): boolean {
  const code = codeOf(error);
  return code === "EMFILE" || code === "ENFILE";
}

function isInside(root: string, path: string): boolean {
  return root === "/" || path === root || path.startsWith(`${root}/`);
}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "there is no such directory"],
  ["ENOTDIR", "it is not a directory"],
  ["EACCES", "this user may not read it"],
]);

/** The real path of the served folder. Throws an error with the reason if it cannot be served. */
export function resolveRoot(folder: string): string {
  try {
    const root = realpathSync(folder);
    const fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      accessSync(root, constants.X_OK);
      // Each file is checked through /proc: without /proc, all files would count as absent.
      readlinkSync(`/proc/self/fd/${fd}`);
    } finally {
      closeSync(fd);
    }
    return root;
  } catch (error) {
    const why = REASONS.get(codeOf(error)) ?? messageOf(error);
    throw new Error(`Cannot serve static files from "${folder}": ${why}`, { cause: error });
  }
}
