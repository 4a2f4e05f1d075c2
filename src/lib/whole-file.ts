import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/**
 * Makes a file of mode 0600 that has all of its text from the first moment. Throws EEXIST where something has the name: a link
 * is not followed, and what another process made meanwhile stays.
 */
export function createWholeFile(path: string, text: string): void {
  withDraft(path, text, (draft) => {
    // A link never replaces, unlike a rename.
    linkSync(draft, path);
    rmSync(draft);
  });
}

/** Puts a file of mode 0600 in the place of what has the name, at once: readers see the old text or the new. */
export function replaceWholeFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path));
}

function withDraft(path: string, text: string, finish: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    finish(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
