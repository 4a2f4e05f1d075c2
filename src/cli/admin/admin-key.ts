import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { isAlive } from "../../lib/process/is-alive.ts";
import { MIN_KEY_LENGTH } from "../../gateway/config/schema/admin.ts";
import { createWholeFile, replaceWholeFile } from "../../lib/files/whole-file.ts";

/** Bytes of a new key; the file has them as base64url. */
const KEY_BYTES = 32;
/** Characters of a key, and bytes that are read from its file. A longer key is refused. */
export const MAX_KEY_LENGTH = 1024;

/** The address of the admin interface of a running `turnpike start`, and the process that serves it. */
export interface AdminAddress {
  readonly url: string;
  readonly pid: number;
}

/** The path of the admin key in a state folder. */
export function adminKeyPath(stateDir: string): string {
  return join(stateDir, "admin-key");
}

/** The path of the file with the address of the admin interface. @internal */
export function adminAddressPath(stateDir: string): string {
  return join(stateDir, "admin-address");
}

/** The admin key of a state folder, created on first use. Throws `Cannot use the admin key ...`. */
export function openAdminKey(stateDir: string): string {
  const path = adminKeyPath(stateDir);
  const present = readAdminKey(path);
  if (present !== undefined) return present;
  const made = randomBytes(KEY_BYTES).toString("base64url");
  try {
    createWholeFile(path, `${made}\n`);
  } catch (error) {
    // Another process was faster; its key is used.
    if (codeOf(error) !== "EEXIST") throw keyError(path, codeOf(error) ?? messageOf(error), error);
  }
  const key = readAdminKey(path);
  if (key === undefined) throw keyError(path, "it disappeared while it was read");
  return key;
}

/** The key in a file that only this user can read; undefined if there is no file. Throws `Cannot use the admin key ...`. */
export function readAdminKey(path: string): string | undefined {
  const text = readOwn(path);
  if (text === undefined) return undefined;
  const key = text.trim();
  const problem = keyProblem(key);
  if (problem !== undefined) throw keyError(path, problem);
  if (key.length < MIN_KEY_LENGTH) {
    throw keyError(path, `it has fewer than ${MIN_KEY_LENGTH} characters; remove the file to have a new key made`);
  }
  return key;
}

/** Why a text is not a valid key; undefined if it is valid. The reason never contains the text. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "it is empty";
  if (key.length > MAX_KEY_LENGTH) return `it has more than ${MAX_KEY_LENGTH} characters`;
  return /^[\x21-\x7e]+$/.test(key) ? undefined : "a key is one line of visible ASCII characters without spaces";
}

/** Writes the address of this process's admin interface to its file. Throws if the file cannot be written. */
export function writeAdminAddress(stateDir: string, url: string): void {
  const path = adminAddressPath(stateDir);
  try {
    replaceWholeFile(path, `${url}\n${process.pid}\n`);
  } catch (error) {
    throw new Error(`Cannot write "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
}

/** Removes the file of `writeAdminAddress`, unless another process has written it since. */
export function removeAdminAddress(stateDir: string): void {
  const path = adminAddressPath(stateDir);
  try {
    if (parseAddress(readOwn(path) ?? "")?.pid === process.pid) rmSync(path, { force: true });
  } catch {
    // This process did not write a file that it cannot read.
  }
}

/** The admin interface of a state folder; undefined if none is served. Throws if other users can access the file. */
export function readAdminAddress(stateDir: string): AdminAddress | undefined {
  const path = adminAddressPath(stateDir);
  const text = readOwn(path);
  if (text === undefined) return undefined;
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`Cannot use "${path}": it has no address of an admin interface`);
  // A killed process leaves its file behind. Another program may use its port now, and must not receive the key.
  return isAlive(address.pid) ? address : undefined;
}

function parseAddress(text: string): AdminAddress | undefined {
  const match = /^(https?:\/\/[\x21-\x7e]+)\n([1-9]\d{0,9})\n$/.exec(text);
  return match === null ? undefined : { url: match[1] ?? "", pid: Number(match[2]) };
}

/** The text of a file of this user that others cannot read, and not of a link; undefined without a file. */
function readOwn(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    const why = code === "ELOOP" ? "it is a symbolic link, which is not followed" : (code ?? messageOf(error));
    throw keyError(path, why, error);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw keyError(path, "it is not a regular file");
    if (stat.uid !== process.getuid?.()) throw keyError(path, "it belongs to another user");
    if ((stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, "0");
      throw keyError(path, `other users can read it (mode ${mode}); protect it with: chmod 600 "${path}"`);
    }
    const bytes = Buffer.alloc(MAX_KEY_LENGTH + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    if (length > MAX_KEY_LENGTH) throw keyError(path, `it has more than ${MAX_KEY_LENGTH} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

function keyError(path: string, why: string, cause?: unknown): Error {
  return new Error(`Cannot use the file "${path}": ${why}`, { cause });
}
