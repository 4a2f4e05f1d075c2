import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "../lib/caught.ts";
import { StartError } from "./start-error.ts";

/** Where all state is: the folder that is named, else $TURNPIKE_HOME, else ~/.turnpike. */
export function statePath(named: string | undefined): string {
  return resolve(named ?? (process.env["TURNPIKE_HOME"] || join(homedir(), ".turnpike")));
}

/** The folder of all state, as `statePath` has it. Made where absent, mode 0700. */
export function stateFolder(named: string | undefined): string {
  const folder = statePath(named);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    throw new StartError(
      `Cannot keep state in "${folder}": it is not a folder that this user can write (${code}); name another with --state-dir`,
    );
  }
  return folder;
}
