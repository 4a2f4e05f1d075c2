import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Creates a file of mode 0600 that is complete from the first moment. Throws EEXIST if the name exists: a link is not
 * followed, and a file that another process has created stays.
 */
export function createWholeFile(path: string, text: string): void {
  withDraft(path, text, (draft) => {
    // Unlike a rename, a link never replaces a file.
    linkSync(draft, path);
    rmSync(draft);
  });
}

/** As `createWholeFile`, by `write`, which fills an empty file that exists. */
export function createFileBy(path: string, write: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    write(draft);
    fsyncSync(file);
    linkSync(draft, path);
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/** Replaces a file by one of mode 0600 in one step: readers see the old text or the new. */
export function replaceWholeFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path));
}

function withDraft(path: string, text: string, finish: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeDraft(draft, text, finish);
  } catch (error) {
    // The random name would make each error of the same trouble a different one.
    if (error instanceof Error) error.message = error.message.replaceAll(draft, path);
    throw error;
  }
}

function writeDraft(draft: string, text: string, finish: (draft: string) => void): void {
  const file = openSync(draft, "wx", 0o600);
  try {
    try {
      // A single write stops without an error where the disk is full.
      writeFileSync(file, text);
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
