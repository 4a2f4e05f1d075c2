import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigFile } from "./config-file.ts";

const folder = mkdtempSync(join(tmpdir(), "config-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a file is compared again while it is so young that it can change within a tick, and later when it changes", () => {
  const path = join(folder, "old.json");
  writeFileSync(path, "{}");
  const bytes = Buffer.from("{}");
  let now = statSync(path).ctimeMs;
  const file = new ConfigFile(path, bytes, () => now);
  expect(file.changed).toBe(false);
  bytes[0] = 0;
  // Young: the file is compared with the bytes again.
  expect(file.changed).toBe(true);
  bytes[0] = 0x7b;
  now += 2001;
  expect(file.changed).toBe(false);
  bytes[0] = 0;
  // Old: the last result stays.
  expect(file.changed).toBe(false);
  utimesSync(path, 1, 1);
  expect(file.changed).toBe(true);
});

test("the text of a file has its byte order mark", () => {
  const text = "\uFEFF{}";
  expect(new ConfigFile(join(folder, "marked.json"), Buffer.from(text)).text).toBe(text);
});
