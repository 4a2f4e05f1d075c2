import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserPrograms } from "../browser/program/find.ts";
import { inTestCache } from "../../lib/testing/test-cache.ts";

/** Browser and fonts are unpacked once for all tests of a checkout: this takes 1.7 s of CPU time and 234 MB. */
const SHARED = inTestCache("browser");
// Without a browser for this machine, nothing else creates it.
mkdirSync(SHARED, { recursive: true, mode: 0o700 });
await browserPrograms(undefined, SHARED).next();

export interface StateFolder {
  readonly path: string;
  remove(): void;
}

/** A state folder of a test file's own, with the shared browser in it and in its folder of browsers. */
export function createStateFolder(): StateFolder {
  const path = withBrowser(mkdtempSync(join(tmpdir(), "turnpike-test-")));
  linkBrowser(path);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Gives a service's state folder, which may be absent, the shared browser. Returns the folder. */
export function withBrowser(state: string): string {
  linkBrowser(join(state, "browser"));
  return state;
}

function linkBrowser(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(SHARED)) {
    const link = join(folder, name);
    if (/^(?:chromium|fonts)-\w+(?:\.\d+)*$/.test(name) && !existsSync(link)) symlinkSync(join(SHARED, name), link);
  }
}
