import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PageStoreOptions } from "../page-store.ts";
import { descriptorsOf } from "../testing/descriptors.ts";
import { testPages } from "../testing/pages-contract.ts";
import { SqlitePages } from "./sqlite-pages.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

testPages("SQLite", async () => (options) => new SqlitePages({ ...options, path: join(folder, `${options.name}.db`) }));

function open(path: string, limits: Partial<PageStoreOptions> = {}): { pages: SqlitePages; log: string[] } {
  const log: string[] = [];
  const options = { name: "pages", maxBytes: 1e6, versions: 1, log: (line: string) => log.push(line), ...limits, path };
  return { pages: new SqlitePages(options), log };
}

/** Puts a page that has this many bytes with its key and its head. */
const put = (pages: SqlitePages, key: string, bytes: number): Promise<void> =>
  pages.put(key, { at: 1, head: "{}", body: new Uint8Array(bytes - 2 - key.length) });

test.each([
  [100, 10, 9],
  [100, 20, 18],
  // A byte too many is left after nine pages are removed.
  [101, 100, 89],
])(
  "a store that a page of %d bytes makes longer than %d pages of 100 keeps the newest %d",
  async (last, most, kept) => {
    const { pages } = open(join(folder, `full-${last}-${most}.db`), { maxBytes: 100 * most });
    const keys = Array.from({ length: most }, (_, at) => String(at));
    const found = async (): Promise<string[]> => {
      const all = await Promise.all([...keys, "last"].map(async (key) => ((await pages.get(key)) ? [key] : [])));
      return all.flat();
    };
    for (const key of keys) await put(pages, key, 100);
    expect(await found()).toEqual(keys);
    await put(pages, "last", last);
    expect(await found()).toEqual([...keys, "last"].slice(-kept));
    pages.close();
  },
);

test("a file that cannot be opened is reported once, and the store counts as empty", async () => {
  const path = join(folder, "later", "pages.db");
  const { pages, log } = open(path);
  expect(await pages.get("x")).toBeUndefined();
  expect(log).toEqual([
    `Cannot read the pages: Cannot open the pages "${path}": its folder does not exist; create it first`,
  ]);
  mkdirSync(join(folder, "later"));
  await put(pages, "x", 10);
  expect([await pages.get("x"), log.length]).toEqual([undefined, 1]);
  pages.close();
});

test("a write that fails is reported and changes nothing, and the next one is made", async () => {
  const path = join(folder, "fails.db");
  const { pages, log } = open(path);
  await put(pages, "old", 10);
  const file = new Database(path);
  file.run("CREATE TRIGGER full AFTER INSERT ON pages_2 BEGIN SELECT RAISE(ABORT, 'no room'); END");
  await put(pages, "new", 10);
  expect(log).toEqual(["Cannot write the pages: no room"]);
  expect([await pages.get("new"), (await pages.get("old"))?.at]).toEqual([undefined, 1]);
  file.run("DROP TRIGGER full");
  await put(pages, "new", 10);
  expect((await pages.get("new"))?.at).toBe(1);
  expect(log).toHaveLength(1);
  file.close();
  pages.close();
});

test("a closed store has no open file, counts as empty, and reports nothing", async () => {
  const path = join(folder, "closed.db");
  const { pages, log } = open(path);
  await put(pages, "x", 10);
  expect(descriptorsOf(path)).toBeGreaterThan(0);
  pages.close();
  expect(descriptorsOf(path)).toBe(0);
  await put(pages, "x", 10);
  expect(await pages.get("x")).toBeUndefined();
  pages.close();
  expect(log).toEqual([]);
  const { pages: never } = open(join(folder, "never.db"));
  never.close();
  expect(await never.get("x")).toBeUndefined();
});
