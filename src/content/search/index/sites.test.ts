import { expect, test } from "bun:test";
import { PageIndex } from "./page-index.ts";
import { Sites } from "./sites.ts";

const SETTINGS = { depth: 2, maxPages: 10, sitemap: true, sameHost: false };

test("a site is changed by adding it again, and removed with its pages", () => {
  const index = PageIndex.open(":memory:");
  const sites = new Sites(index, () => 7);
  const [a, b] = ["https://a.test/", "https://b.test/"].map((url) => sites.add({ url, ...SETTINGS }));
  const changed = sites.add({ url: "https://a.test/", ...SETTINGS, maxPages: 20, sitemap: false, sameHost: true });
  expect(changed).toMatchObject({ id: a?.id ?? 0, depth: 2, maxPages: 20, sitemap: false, sameHost: true, pages: 0 });
  for (const path of ["1", "2"]) index.put({ url: `https://a.test/${path}`, title: path, text: "Text", site: a?.id });
  index.put({ url: "https://b.test/", title: "B", text: "Text", site: b?.id });
  expect(sites.list().map(({ pages }) => pages)).toEqual([2, 1]);
  expect([sites.remove("https://none.test/"), sites.remove("https://a.test/")]).toEqual([undefined, 2]);
  expect(sites.list()).toMatchObject([{ url: "https://b.test/", pages: 1 }]);
  expect(sites.remove("https://a.test/")).toBeUndefined();
  index.close();
});
