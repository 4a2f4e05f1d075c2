import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ResponseIndex } from "./response-index.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const WRITER_STALE_MS = 90_000;

const NOW = 1_000_000;
const BLOCK = 4096;
const MOST_RESPONSES = 100_000;

const folder = mkdtempSync(join(tmpdir(), "turnpike-index-"));
let index = new ResponseIndex(folder);

afterEach(() => {
  index.close();
  rmSync(folder, { recursive: true });
  index = new ResponseIndex(folder);
});

/** Sets the number of responses in the account. */
function pretend(responses: number): void {
  const other = new Database(join(folder, "index.db"));
  other.run("UPDATE account SET answers = ?", [responses]);
  other.close();
}

function keep(name: string, bytes: number, limit = 1e9, until = NOW + 1): boolean {
  index.keepBodies([{ name, whole: new Uint8Array(bytes), until }], limit);
  return index.find(name, until - 1) !== undefined;
}

test("writing takes whole blocks, and can take more or fewer later", () => {
  const reserve = (bytes: number) => index.reserve("a.part", bytes, { now: NOW, limit: 3 * BLOCK });
  for (const [bytes, blocks] of [
    [1, 1],
    [BLOCK, 1],
    [BLOCK + 1, 2],
    [3 * BLOCK, 3],
    [10, 1],
  ] as const) {
    expect(reserve(bytes)).toBe(true);
    expect(index.account).toEqual({ bytes: blocks * BLOCK, responses: 1 });
  }
  expect(reserve(3 * BLOCK + 1)).toBe(false);
  expect(index.account).toEqual({ bytes: BLOCK, responses: 1 });
});

test("kept responses can take the whole limit, the oldest are displaced, and unfinished ones are not", () => {
  expect([keep("a", 100, 300), keep("b", 100, 300), keep("c", 100, 300)]).toEqual([true, true, true]);
  expect(index.account).toEqual({ bytes: 300, responses: 3 });
  expect(keep("d", 1, 300)).toBe(true);
  expect(["a", "b", "c", "d"].map((name) => index.find(name, NOW) !== undefined)).toEqual([false, true, true, true]);
  expect(keep("e", 301, 300)).toBe(false);
  expect(index.account.responses).toBe(3);
  const limit = BLOCK + 201;
  expect(index.reserve("x.part", 1, { now: NOW, limit })).toBe(true);
  expect(keep("e", 202, limit)).toBe(false);
  expect(["b", "c", "d"].map((name) => index.find(name, NOW) !== undefined)).toEqual([true, true, true]);
  expect(keep("e", 201, limit)).toBe(true);
  expect(index.account).toEqual({ bytes: limit, responses: 2 });
});

test("a response replaces the one with its name", () => {
  keep("a", 100);
  keep("a", 7);
  expect(index.account).toEqual({ bytes: 7, responses: 1 });
});

test("there are at most a hundred thousand responses, unfinished or kept", () => {
  keep("a", 10);
  keep("b", 10);
  pretend(MOST_RESPONSES - 1);
  expect(keep("c", 10)).toBe(true);
  expect(["a", "b"].map((name) => index.find(name, NOW) !== undefined)).toEqual([true, true]);
  expect(index.reserve("w.part", 1, { now: NOW, limit: 1e9 })).toBe(true);
  expect(["a", "b"].map((name) => index.find(name, NOW) !== undefined)).toEqual([false, true]);
  // More blocks of the same file do not count as another response.
  expect(index.reserve("w.part", 9 * BLOCK, { now: NOW, limit: 1e9 })).toBe(true);
  expect(index.find("b", NOW)).toBeDefined();
});

test("a new response displaces at most 256 others", () => {
  for (let i = 0; i < 300; i++) keep(`name ${i}`, 10);
  pretend(MOST_RESPONSES + 255);
  expect(keep("new", 10)).toBe(true);
  expect(index.account.responses).toBe(MOST_RESPONSES);
  pretend(MOST_RESPONSES + 256 + 44);
  for (let i = 0; i < 256; i++) keep(`more ${i}`, 0);
  pretend(MOST_RESPONSES + 256);
  expect(keep("one more", 10)).toBe(false);
});

test("a response is found until it expires, and is then removed, the earliest first and some at a time", () => {
  for (const [name, until] of [
    ["late", NOW + 3],
    ["soon", NOW + 1],
    ["next", NOW + 2],
  ] as const)
    keep(name, 5, 1e9, until);
  expect(index.find("soon", NOW)).toEqual({ body: new Uint8Array(5) });
  expect(index.find("soon", NOW + 1)).toBeUndefined();
  expect(index.find("none", NOW)).toBeUndefined();
  expect(index.sweep(NOW, 9)).toBe(0);
  expect(index.sweep(NOW + 3, 2)).toBe(2);
  expect(index.find("late", NOW)).toBeDefined();
  expect(index.sweep(NOW + 3, 2)).toBe(1);
});

/** Free pages of the index that have not been returned to the file system. */
function freePages(): number {
  const other = new Database(join(folder, "index.db"));
  const count = other.query<{ freelist_count: number }, []>("PRAGMA freelist_count").get()?.freelist_count ?? -1;
  other.close();
  return count;
}

test("swept space is free for the file system", () => {
  for (let i = 0; i < 100; i++) keep(`name ${i}`, 10 * BLOCK);
  const left: number[] = [];
  for (; index.sweep(NOW + 1, 25) > 0; ) left.push(freePages());
  expect(left).toHaveLength(4);
  expect(left[0]).toBeLessThan(25 * 11);
});

test("the space of a displaced response is free for the file system after the next sweep, which removes nothing", () => {
  keep("old", 10 * BLOCK);
  index.remove("old");
  expect(freePages()).toBeGreaterThanOrEqual(10);
  expect([index.sweep(NOW, 25), freePages()]).toEqual([0, 0]);
});

function path(name: string): string {
  return join(folder, name);
}

test("a file is kept under another name, and is removed with its row", () => {
  expect(index.keepFile("a.part", "a.answer", NOW + 9)).toBe(false);
  index.reserve("a.part", 10, { now: NOW, limit: 1e9 });
  writeFileSync(path("a.part"), "0123456789");
  expect(index.find("a.part", NOW)).toBe("file");
  expect(index.keepFile("a.part", "a.answer", NOW + 9)).toBe(true);
  expect([existsSync(path("a.part")), existsSync(path("a.answer"))]).toEqual([false, true]);
  expect([index.find("a.answer", NOW + 8), index.find("a.answer", NOW + 9)]).toEqual(["file", undefined]);
  // A response without a file is not kept.
  index.reserve("b.part", 10, { now: NOW, limit: 1e9 });
  expect(() => index.keepFile("b.part", "b.answer", NOW + 9)).toThrow("ENOENT");
  expect(index.find("b.answer", NOW)).toBeUndefined();
  index.remove("a.answer");
  index.remove("a.answer");
  expect([existsSync(path("a.answer")), index.account.responses]).toEqual([false, 1]);
});

test("an unknown file is removed, and a known one is not", () => {
  for (const name of ["known.part", "unknown.part"]) writeFileSync(join(folder, name), "");
  index.reserve("known.part", 1, { now: NOW, limit: 1e9 });
  for (const name of ["known.part", "unknown.part", "absent.part"]) index.removeUnknown(name);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual(["known.part"]);
});

test("an unfinished file is kept while its process gives signs of life", () => {
  const other = new ResponseIndex(folder);
  index.reserve("a.part", 1, { now: NOW, limit: 1e9 });
  expect(other.sweep(NOW + WRITER_STALE_MS - 1, 9)).toBe(0);
  other.renew(NOW + WRITER_STALE_MS - 1);
  index.renew(NOW + 1);
  expect(other.sweep(NOW + WRITER_STALE_MS, 9)).toBe(0);
  expect(other.sweep(NOW + 1 + WRITER_STALE_MS, 9)).toBe(1);
  other.close();
});

test("only this user can read the folder and its files", () => {
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("a damaged index is created again, and one that cannot be opened is an error", () => {
  keep("a", 10);
  index.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `index.db${suffix}`), { force: true });
  writeFileSync(join(folder, "index.db"), "no database, but as long as one has to be at least".repeat(99));
  index = new ResponseIndex(folder);
  expect(index.account).toEqual({ bytes: 0, responses: 0 });
  index.close();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  expect(() => new ResponseIndex(folder)).toThrow("EEXIST");
  rmSync(folder);
  index = new ResponseIndex(folder);
});

test("another file in the place of an index is an error, and is not changed", () => {
  index.close();
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "index.db"), { recursive: true });
  try {
    expect(() => new ResponseIndex(folder)).toThrow(expect.objectContaining({ code: "EISDIR" }));
    expect(readdirSync(folder)).toEqual(["index.db"]);
  } finally {
    rmSync(folder, { recursive: true });
    index = new ResponseIndex(folder);
  }
});
