import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRegularFile } from "./read-regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-read-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a regular file is read whole, also behind a link", () => {
  writeFileSync(join(folder, "file"), "content");
  symlinkSync("file", join(folder, "link"));
  for (const name of ["file", "link"]) expect(readRegularFile(join(folder, name), 7).toString()).toBe("content");
  expect(() => readRegularFile(join(folder, "file"), 6)).toThrow("it has more than 6 bytes");
});

test("a pipe, a device and a folder are refused at once", () => {
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  symlinkSync(pipe, join(folder, "to-pipe"));
  for (const path of [pipe, join(folder, "to-pipe"), "/dev/zero"]) {
    expect(() => readRegularFile(path, 100)).toThrow("it is not a regular file");
  }
  expect(() => readRegularFile(folder, 100)).toThrow("it is a folder");
});
