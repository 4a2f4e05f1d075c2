import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "../lib/caught.ts";
import { StartError } from "./start-error.ts";

/** The path of the state folder: `named`, else $TURNPIKE_HOME, else ~/.turnpike. */
export function statePath(named: string | undefined): string {
  return resolve(named ?? (process.env["TURNPIKE_HOME"] || join(homedir(), ".turnpike")));
}

/** The state folder of `statePath`. Creates it with mode 0700 if it does not exist. */
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
