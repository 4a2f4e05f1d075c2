import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOldFile } from "./is-old-file.ts";

test("a file is old after a time without a change, and if the clock was set back by that time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "old-file-"));
  const path = join(folder, "file");
  writeFileSync(path, "");
  utimesSync(path, 100, 100);
  for (const [now, isOld] of [
    [159_999, false],
    [160_000, true],
    [40_001, false],
    [40_000, true],
  ] as const) {
    expect(await isOldFile(path, 60_000, () => now)).toBe(isOld);
  }
  expect(await isOldFile(join(folder, "other"), 60_000, () => 160_000)).toBe(false);
  rmSync(folder, { recursive: true });
});
