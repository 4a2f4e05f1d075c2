import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CachedPage, PageCache } from "./page-cache.ts";

const root = mkdtempSync(join(tmpdir(), "turnpike-page-cache-"));
afterAll(() => rmSync(root, { recursive: true }));

const log: string[] = [];
const open = (maxBytes = 1e6, folder = mkdtempSync(join(root, "x"))) => ({
  folder,
  cache: new PageCache({ folder, maxBytes, log: (message) => log.push(message) }),
});

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

test("keeps bytes and texts as they were, in a file of mode 0600", () => {
  const { cache, folder } = open();
  const bytes = page(new Uint8Array([0, 255, 10]), 5);
  cache.put("bytes", bytes);
  cache.put("text", page("h\u00f6he \u{1f600}"));
  expect(cache.get("bytes")).toEqual(bytes);
  expect(cache.get("text")).toEqual(page("h\u00f6he \u{1f600}"));
  expect(cache.get("other")).toBeUndefined();
  cache.remove("text");
  expect(cache.get("text")).toBeUndefined();
  expect(statSync(join(folder, "page-cache.db")).mode & 0o777).toBe(0o600);
});

test("two processes share a file, and a later start finds its pages", () => {
  const { cache, folder } = open();
  const { cache: other } = open(1e6, folder);
  cache.put("a", page("1"));
  expect(other.get("a")).toEqual(page("1"));
  other.put("a", page("2"));
  expect(cache.get("a")).toEqual(page("2"));
  cache.close();
  other.close();
  expect(open(1e6, folder).cache.get("a")).toEqual(page("2"));
});

test("removes the oldest pages when it is full, and keeps no page that is too long", () => {
  const { cache } = open(100_000);
  for (let n = 0; n < 50; n += 1) cache.put(String(n), page(crypto.getRandomValues(new Uint8Array(10_000)), n));
  const kept = Array.from({ length: 50 }, (_, n) => n).filter((n) => cache.get(String(n)) !== undefined);
  expect(kept.length).toBeGreaterThan(6);
  expect(kept.length).toBeLessThan(11);
  expect(kept).toEqual(Array.from(kept, (_, at) => 50 - kept.length + at));
  const noise = Buffer.concat(Array.from({ length: 150 }, () => crypto.getRandomValues(new Uint8Array(65_536))));
  const { cache: wide } = open(1e9);
  wide.put("long", page(new Uint8Array(noise)));
  expect(wide.get("long")).toBeUndefined();
});

test("a file that is damaged counts as empty, and is reported", () => {
  const { cache, folder } = open();
  writeFileSync(join(folder, "page-cache.db"), "nonsense".repeat(1_000));
  cache.put("a", page("1"));
  expect(cache.get("a")).toBeUndefined();
  expect(log.at(-1)).toStartWith("Cannot write the page cache: ");
});
