import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileAge } from "./file-age.ts";

test("a file's age is the time since its last change, by the clock", async () => {
  const folder = mkdtempSync(join(tmpdir(), "file-age-"));
  const path = join(folder, "file");
  writeFileSync(path, "");
  utimesSync(path, 100, 100);
  expect(await fileAge(path, () => 160_000)).toBe(60_000);
  expect(await fileAge(path, () => 90_000)).toBe(-10_000);
  expect(await fileAge(join(folder, "other"), () => 160_000)).toBeUndefined();
  rmSync(folder, { recursive: true });
});
