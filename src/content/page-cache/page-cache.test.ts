import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqlitePages } from "../../store/sqlite/sqlite-pages.ts";
import { type CachedPage, PageCache } from "./page-cache.ts";

const root = mkdtempSync(join(tmpdir(), "turnpike-page-cache-"));
afterAll(() => rmSync(root, { recursive: true }));

const log: string[] = [];
const open = (maxBytes = 1e6, folder = mkdtempSync(join(root, "x"))) => {
  const path = join(folder, "page-cache.db");
  const store = new SqlitePages({ path, maxBytes, versions: 1, name: "page cache", log: (line) => log.push(line) });
  return { folder, cache: new PageCache(store), store };
};

function page(body: string | Uint8Array<ArrayBuffer>, at = 1): CachedPage {
  const source = {
    engine: "static",
    body,
    contentType: "text/html",
    finalUrl: "https://a.test/",
    statusCode: 200,
    headers: [["ETag", "x"]],
    complete: true,
  } as const;
  return { source, at, conditions: ["If-None-Match: x"] };
}

test("keeps bytes and texts as they were, in a file of mode 0600", async () => {
  const { cache, folder } = open();
  const bytes = page(new Uint8Array([0, 255, 10]), 5);
  await cache.put("bytes", bytes);
  await cache.put("text", page("h\u00f6he \u{1f600}"));
  expect(await cache.get("bytes")).toEqual(bytes);
  expect(await cache.get("text")).toEqual(page("h\u00f6he \u{1f600}"));
  expect(await cache.get("other")).toBeUndefined();
  await cache.remove("text");
  expect(await cache.get("text")).toBeUndefined();
  expect(statSync(join(folder, "page-cache.db")).mode & 0o777).toBe(0o600);
});

test("two processes share a file, and a later start finds its pages", async () => {
  const { cache, folder, store } = open();
  const { cache: other, store: otherStore } = open(1e6, folder);
  await cache.put("a", page("1"));
  expect(await other.get("a")).toEqual(page("1"));
  await other.put("a", page("2"));
  expect(await cache.get("a")).toEqual(page("2"));
  store.close();
  otherStore.close();
  expect(await open(1e6, folder).cache.get("a")).toEqual(page("2"));
});

test("a file that is damaged counts as empty, and is reported", async () => {
  const { cache, folder } = open();
  writeFileSync(join(folder, "page-cache.db"), "nonsense".repeat(1_000));
  await cache.put("a", page("1"));
  expect(await cache.get("a")).toBeUndefined();
  expect(log.at(-1)).toStartWith("Cannot write the page cache: ");
});
