import { expect, test } from "bun:test";
import { type PageStore, type StoredPage } from "../../store/page-store.ts";
import { Extractors } from "./extractors.ts";

const LEARNED = { schema: { type: "object" }, rules: { "/price": { label: "price" } } };

function extractors(): Extractors {
  const pages = new Map<string, StoredPage>();
  const store: PageStore = {
    get: async (key) => pages.get(key),
    put: async (key, page) => void pages.set(key, page),
    remove: async (key) => void pages.delete(key),
    close: () => undefined,
  };
  let names = 0;
  return new Extractors(
    store,
    () => 0,
    () => `name ${names++}`,
  );
}

test("a payer has one name for what is learned again, and no two clients have the same name", async () => {
  const kept = extractors();
  const keep = async (payer: string): Promise<string> => await kept.keep(LEARNED, payer);
  const own = await keep("0xa");
  expect(await keep("0xa")).toBe(own);
  const names = [own, await keep("0xb"), await keep(""), await keep("")];
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(await kept.find(name)).toEqual(LEARNED);
  expect(kept.find(`${own.slice(0, -1)}_`)).rejects.toThrow("There is no such extractor");
});
