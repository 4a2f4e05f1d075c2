import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { type FileLock, lockFile } from "../../lib/files/file-lock.ts";
import { StartError } from "./start-error.ts";
import { sayWarning } from "./terminal.ts";

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

/** Milliseconds between two attempts to lock the folder of a gateway that is replaced. */
const AGAIN_MS = 100;

/**
 * Keeps other processes of `turnpike start` out of the state folder until this process ends. `predecessor` may have it:
 * then this process gets the folder when that one ends. Throws StartError if another process has it.
 */
export function lockStateFolder(folder: string, predecessor: number | undefined): void {
  const holder = tryLock(folder);
  if (holder === "locked") return;
  if (holder === "unsupported") {
    sayWarning(`the file system of "${folder}" has no locks; start only one gateway with this state folder`);
    return;
  }
  if (holder !== predecessor) {
    const who = holder === 0 ? "another process" : `process ${holder}`;
    const replace = holder === 0 ? "" : `, replace it with --take-over ${holder}`;
    throw new StartError(
      `Cannot start: ${who} uses the state folder "${folder}"; stop it${replace}, or name another folder with --state-dir`,
    );
  }
  let other: FileLock = predecessor;
  const again = setInterval(() => {
    try {
      const now = tryLock(folder);
      if (now === "locked") clearInterval(again);
      else if (now !== other) sayWarning(`process ${now} took the state folder "${folder}" before this one; stop it`);
      other = now;
    } catch {
      // The folder is gone, or the process has no free descriptor: it tries again.
    }
  }, AGAIN_MS).unref();
}

function tryLock(folder: string): FileLock {
  const path = join(folder, "lock");
  try {
    return lockFile(path);
  } catch (error) {
    throw new StartError(`Cannot open "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
}
