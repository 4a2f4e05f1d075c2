import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { FileTable } from "./file-table.ts";
import { type OpenFile } from "./open-file.ts";

const MIB = 1024 * 1024;

let root: string;
let clock: FakeClock;
let wheel: TimerWheel;
let table: FileTable;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "turnpike-table-"));
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
});
afterEach(() => {
  table.close();
  wheel.close();
  rmSync(root, { recursive: true, force: true });
});

function fill(count: number, bytes: number): void {
  for (let n = 0; n < count; n++) writeFileSync(join(root, `${n}.bin`), Buffer.alloc(bytes, n));
}

function fileAt(path: string): OpenFile {
  const served = table.get(path);
  if (typeof served === "string") throw new Error(`Cannot serve "${path}": ${served}`);
  return served.plain.file;
}

test("small files stay in memory within their bound, and each is what it should be", () => {
  fill(400, 65_536);
  table = new FileTable({ root, caches: false, maxOpen: 1024 }, wheel);
  for (let n = 0; n < 400; n++) {
    const file = fileAt(`/${n}.bin`);
    table.keepSmall(file);
    expect(file.read(0, file.size)?.every((byte) => byte === (n & 0xff))).toBe(true);
    expect(table.usage.contentBytes).toBeLessThanOrEqual(16 * MIB);
  }
  expect(table.usage.contentBytes).toBeGreaterThan(15 * MIB);
  expect(table.usage.descriptors).toBe(0);
});

test("with a cache, larger files are in memory at once, and stay there without requests", () => {
  fill(70, MIB);
  table = new FileTable({ root, caches: true, maxOpen: 1024 }, wheel);
  for (let n = 0; n < 70; n++) expect(fileAt(`/${n}.bin`).hasContent).toBe(true);
  expect(table.usage.contentBytes).toBe(64 * MIB);
  clock.advance(20_000);
  expect(table.usage).toEqual({ contentBytes: 64 * MIB, descriptors: 0 });
});

test("no more descriptors are taken than the bound, and files that are being sent keep theirs", () => {
  fill(1100, 1);
  table = new FileTable({ root, caches: false, maxOpen: 1024 }, wheel);
  const held = fileAt("/7.bin");
  held.retain();
  for (let n = 0; n < 1100; n++) {
    fileAt(`/${n}.bin`);
    expect(table.usage.descriptors).toBeLessThanOrEqual(1024);
  }
  expect(held.read(0, 1)).toEqual(Buffer.of(7));
  held.release();
});

test("where all descriptors are in use, a file that is known is served and another is not", () => {
  fill(1100, 1);
  table = new FileTable({ root, caches: false, maxOpen: 1024 }, wheel);
  const held: OpenFile[] = [];
  for (let n = 0; table.get(`/${n}.bin`) !== "busy" && n < 1100; n++) {
    const file = fileAt(`/${n}.bin`);
    file.retain();
    held.push(file);
  }
  expect(held.length).toBeGreaterThan(1000);
  expect(held.length).toBeLessThanOrEqual(1024);
  clock.advance(1500);
  expect(typeof table.get("/0.bin")).toBe("object");
  expect(table.get("/1099.bin")).toBe("busy");
  for (const file of held) file.release();
  expect(typeof table.get("/1099.bin")).toBe("object");
});

test("files without requests are closed; files that are being sent are closed after the table", () => {
  fill(10, 100_000);
  table = new FileTable({ root, caches: false, maxOpen: 1024 }, wheel);
  for (let n = 0; n < 10; n++) fileAt(`/${n}.bin`);
  expect(table.usage.descriptors).toBe(10);
  clock.advance(10_000);
  expect(table.usage.descriptors).toBe(0);
  const sent = fileAt("/0.bin");
  sent.retain();
  table.close();
  expect(table.usage.descriptors).toBe(1);
  sent.release();
  expect(table.usage.descriptors).toBe(0);
});

test("an unchanged file is the same one after a second, a changed one is another", () => {
  fill(1, 10);
  table = new FileTable({ root, caches: false, maxOpen: 1024 }, wheel);
  const first = fileAt("/0.bin");
  clock.advance(1500);
  expect(fileAt("/0.bin")).toBe(first);
  writeFileSync(join(root, "0.bin"), "changed");
  expect(fileAt("/0.bin")).toBe(first);
  clock.advance(1500);
  expect(fileAt("/0.bin").read(0, 7)?.toString()).toBe("changed");
});
