/** Replaces a file in one step. After any failure the file is either unchanged or completely new. */
import { randomBytes } from "node:crypto";
import { access, constants, type FileHandle, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../lib/caught.ts";
import { isOldFile } from "../../../lib/files/is-old-file.ts";

/** The mode of a new file, which can hold secrets. */
const NEW_MODE = 0o600;

/** The end of a temporary file's name, and the age in milliseconds after which no program is writing it any more. */
const TEMPORARY_END = /^[0-9a-f]{12}\.tmp$/;
const LEFTOVER_MS = 60_000;

/** The properties that a new file takes over from the old one. */
interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Writes `bytes` to `path`. A symbolic link stays, and its target is replaced. Mode and owner stay. `confirm` is called
 * after all bytes are written and before the file is replaced. Resolves to false if `confirm` returns false. Rejects
 * with the error of the system call that failed; the old file is then unchanged, and no other file is left.
 */
export async function replaceFile(path: string, bytes: Uint8Array, confirm: () => boolean): Promise<boolean> {
  const { target, owned } = await targetOf(path);
  const folder = dirname(target);
  await removeLeftovers(target);
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(temporary, "wx", NEW_MODE);
  try {
    await fill(handle, bytes, owned);
    if (!confirm()) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
  return true;
}

/** A crash leaves a temporary file, which can hold secrets. A young one may belong to another process. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const begin = `.${basename(target)}.`;
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (!name.startsWith(begin) || !TEMPORARY_END.test(name.slice(begin.length))) continue;
    const path = join(folder, name);
    if (await isOldFile(path, LEFTOVER_MS)) await unlink(path).catch(() => {});
  }
}

async function targetOf(path: string): Promise<{ target: string; owned: Owned | undefined }> {
  let target: string;
  try {
    target = await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return { target: path, owned: undefined };
  }
  // A rename needs no permission for the file itself, but a read-only file is meant to stay.
  await access(target, constants.W_OK);
  return { target, owned: await stat(target) };
}

async function fill(handle: FileHandle, bytes: Uint8Array, owned: Owned | undefined): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (owned !== undefined) {
      const own = await handle.stat();
      if (own.uid !== owned.uid || own.gid !== owned.gid) await handle.chown(owned.uid, owned.gid);
      await handle.chmod(owned.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the rename survive a power failure. The file is replaced already, so errors are ignored. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
