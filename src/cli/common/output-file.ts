import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { codeOf, messageOf } from "../../lib/caught.ts";

/** A result, and the name of its file. */
export interface NamedBytes {
  readonly bytes: string | Uint8Array;
  readonly name: string;
}

/** Throws an error that names `path` if it cannot become a file, or with `isFolder` a folder: no one pays for a result without a place. */
export function refuseUnwritable(path: string, isFolder = false): void {
  let place = resolve(path);
  if (!isFolder && statSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`Cannot write to "${path}": it is a folder`);
  if (!existsSync(place)) place = isFolder ? existingAbove(place) : dirname(place);
  try {
    // A folder, unless it is the file itself.
    accessSync(place === resolve(path) ? place : `${place}/.`, constants.W_OK);
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? `there is no folder "${place}"` : codeOf(error);
    throw new Error(`Cannot write to "${path}": ${why}`, { cause: error });
  }
}

function existingAbove(path: string): string {
  const above = dirname(path);
  return existsSync(above) ? above : existingAbove(above);
}

/**
 * Resolves to the result of `write`. If it fails, `result` was paid for already: it is kept in a new folder for temporary
 * files, which the error names.
 */
export async function orKept<T>(result: NamedBytes, place: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const kept = keepElsewhere(result);
    const where = kept === undefined ? "" : `; the result is in "${kept}"`;
    throw cannotWrite(place, error, where);
  }
}

/** The error of a result that cannot be written to `place`. `more` ends its message. */
export function cannotWrite(place: string, cause: unknown, more = ""): Error {
  return new Error(`Cannot write to ${place}: ${codeOf(cause) ?? messageOf(cause)}${more}`, { cause });
}

/** The path of the file; undefined if it cannot be written either. */
function keepElsewhere({ bytes, name }: NamedBytes): string | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "turnpike-result-"));
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
