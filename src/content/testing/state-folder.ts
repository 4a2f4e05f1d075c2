import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface StateFolder {
  readonly path: string;
  remove(): void;
}

/** A state folder of a test file's own; the browser is unpacked into it. */
export function createStateFolder(): StateFolder {
  const path = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
