import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shellQuoted } from "../text/shell-quoted.ts";

/** Prefix of the paths of files inside the program that is one file. */
export const INSIDE_ONE_FILE = "/$bunfs/";

/** True in the program that is one file; false if the source runs. */
export function isOneFile(): boolean {
  return Bun.main.startsWith(INSIDE_ONE_FILE);
}

const LAUNCHER = fileURLToPath(new URL("../../../bin/turnpike", import.meta.url));

/**
 * The command that starts this program in a shell whose folder is `folder`. Elsewhere than in the package's own folder, npx could fetch a
 * package of that name from a registry, so the command is a path there.
 */
export function commandName(folder = process.cwd()): string {
  if (isOneFile()) return "turnpike";
  return join(folder, "bin/turnpike") === LAUNCHER ? "npx turnpike" : shellQuoted(LAUNCHER);
}
