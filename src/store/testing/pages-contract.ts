import { afterAll, describe, expect, test } from "bun:test";
import { type PageStore, type PageStoreOptions, type StoredPage } from "../page-store.ts";

const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Opens a store of the space `name`; two with one name share their pages. */
type Open = (options: PageStoreOptions) => PageStore;

const page = (at: number, length = 3): StoredPage => ({
  at,
  head: `{"at":${at}}`,
  body: new Uint8Array(length).fill(at % 256),
});

/** The tests that each store of pages passes. */
export function testPages(name: string, begin: () => Promise<Open>): void {
  describe(`pages in ${name}`, () => {
    const opened: PageStore[] = [];
    const log: string[] = [];
    let open: Promise<Open> | undefined;
    const store = async (space: string, limits: { maxBytes?: number; versions?: number } = {}) => {
      open ??= begin();
      const made = (await open)({ name: space, maxBytes: 1e6, versions: 3, log: (line) => log.push(line), ...limits });
      opened.push(made);
      return made;
    };
    afterAll(async () => {
      for (const one of opened) await one.close();
      expect(log).toEqual([]);
    });

    test("keeps the newest versions of a page, and finds the one of a time", async () => {
      const pages = await store("a");
      for (const at of [10, 20, 40, 30]) await pages.put("x", page(at));
      expect(await pages.get("x")).toEqual(page(40));
      expect(await pages.get("x", 39)).toEqual(page(30));
      expect(await pages.get("x", 20)).toEqual(page(20));
      expect(await pages.get("x", 19)).toBeUndefined();
      await pages.put("x", { ...page(40), head: "{}" });
      expect(await pages.get("x")).toEqual({ ...page(40), head: "{}" });
      expect(await pages.get("x", 20)).toEqual(page(20));
    });

    test("two services share their pages, and other spaces have their own", async () => {
      const [one, two, other] = [await store("b"), await store("b"), await store("c")];
      await one.put("x", page(1));
      expect(await two.get("x")).toEqual(page(1));
      expect(await other.get("x")).toBeUndefined();
      await two.remove("x");
      expect(await one.get("x")).toBeUndefined();
    });

    test("keeps a page of the greatest length, with its key and its head, and none that is longer", async () => {
      const pages = await store("e", { maxBytes: 2 * MAX_PAGE_BYTES });
      const longest = page(1, MAX_PAGE_BYTES - "x".length - page(1).head.length);
      await pages.put("xy", longest);
      expect(await pages.get("xy")).toBeUndefined();
      await pages.put("x", longest);
      expect((await pages.get("x"))?.body.length).toBe(longest.body.length);
      await pages.put("x", { ...longest, at: 2, head: `${longest.head} ` });
      expect((await pages.get("x"))?.at).toBe(1);
    });

    test("removes the pages that were put longest ago if it is full, and keeps no page that is too long", async () => {
      const pages = await store("d", { maxBytes: 100_000, versions: 1 });
      for (let n = 0; n < 128; n += 1) await pages.put(String(n), page(n, 5_000));
      const kept = await Promise.all(
        Array.from({ length: 128 }, async (_, n) => (await pages.get(String(n))) !== undefined),
      );
      expect(kept.lastIndexOf(false)).toBe(kept.indexOf(true) - 1);
      expect(kept.filter((isKept) => isKept).length).toBeGreaterThan(16);
      expect(kept.filter((isKept) => isKept).length).toBeLessThan(21);
      await pages.put("long", page(1, 9 * 1024 * 1024));
      expect(await pages.get("long")).toBeUndefined();
      // It takes the place of no other page.
      expect(await pages.get("127")).toEqual(page(127, 5_000));
    });
  });
}
