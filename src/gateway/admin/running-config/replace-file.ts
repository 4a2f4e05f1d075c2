/** Replaces a file in one step: whatever happens, it is as before or whole and new. */
import { randomBytes } from "node:crypto";
import { access, constants, type FileHandle, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../lib/caught.ts";

/** For a file that is not there yet: it may hold secrets. */
const NEW_MODE = 0o600;

/** What ends the name of a temporary file, and the age in milliseconds at which nobody writes it any more. */
const TEMPORARY_END = /^[0-9a-f]{12}\.tmp$/;
const LEFTOVER_MS = 60_000;

/** What a new file takes over from the one in its place. */
interface Owned {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Writes `bytes` to `path`. A symbolic link stays one, and the file that it leads to is replaced; mode and owner stay. `confirm` is
 * asked when all is written and nothing is replaced yet. Resolves to false if it says no, and rejects with the error of the system
 * call that failed; the old file is there as before then, and no other.
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

/** A crash in the middle leaves a temporary file, which may hold secrets. One that is young may be another process's. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const begin = `.${basename(target)}.`;
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (!name.startsWith(begin) || !TEMPORARY_END.test(name.slice(begin.length))) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > LEFTOVER_MS) await unlink(path).catch(() => {});
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
  // A rename asks for no right to the file itself: one that is read-only is meant to stay.
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

/** Has the rename survive a power cut. The file is replaced by now: a system that cannot flush folders is no failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
