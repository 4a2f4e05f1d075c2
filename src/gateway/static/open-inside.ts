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

/** Names a file without opening it: neither a FIFO nor a device notices. Linux; Node has no name for it. */
const O_PATH = 0o10_000_000;

/** What is at a path: a regular file, open for reading, whose descriptor is the caller's; or why there is none. */
export type Found =
  | { readonly kind: "file"; readonly fd: number; readonly stats: Stats }
  | { readonly kind: "directory" | "absent" | "no-descriptors" };

const ABSENT: Found = { kind: "absent" };

/**
 * Opens the file at `path` if it lies in `root`, after all symbolic links. What is checked is the very file that is
 * opened: a link that is changed in between leads nowhere. Special files, and what this user may not read, are absent.
 */
export function openInside(root: string, path: string): Found {
  // Most of what is not there costs half as much when nothing has to be thrown; who comes in between is checked below.
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

/** Whether this process, or the system, had no descriptor left. */
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

/** The real path of the folder that files are served from. Throws with what is wrong where it cannot be. */
export function resolveRoot(folder: string): string {
  try {
    const root = realpathSync(folder);
    const fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      accessSync(root, constants.X_OK);
      // Each file is checked by way of /proc: without it, all would be absent.
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
