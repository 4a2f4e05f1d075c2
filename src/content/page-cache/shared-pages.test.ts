import { expect, test } from "bun:test";
import { SqlitePages } from "../../store/sqlite/sqlite-pages.ts";
import { type PageRequest } from "../page/page.ts";
import { PageCache } from "./page-cache.ts";
import { type Loaded, SharedPages } from "./shared-pages.ts";

const URL = "https://a.test/";

test("a page is shown for as long as its caller accepts, and loaded again after a jump of the clock", async () => {
  let now = 1_800_000_000_000;
  let loads = 0;
  const options = { path: ":memory:", maxBytes: 1e6, versions: 1, name: "page cache", log: () => undefined };
  const pages = new SharedPages({ cache: new PageCache(new SqlitePages(options)), reach: "", now: () => now });
  const load = async (): Promise<Loaded<number>> => {
    loads += 1;
    const document = {
      body: "",
      contentType: "text/html",
      finalUrl: URL,
      statusCode: 200,
      headers: [],
      complete: true,
    };
    const source = { ...document, engine: "static" } as const;
    return { page: loads, source, fetched: { ...document, redirects: [] } as never };
  };
  const ages: (number | undefined)[] = [];
  const show = async (source: { readonly ageMs?: number | undefined }): Promise<number> => {
    ages.push(source.ageMs);
    return loads;
  };
  // Nothing else of it is read.
  const request = { url: URL, engine: "auto", timeoutMs: 1000, maxAgeMs: 60_000 } as unknown as PageRequest;
  const read = async (passed: number): Promise<number> => {
    now += passed;
    return await pages.read(request, { kind: "html" } as never, { show, load });
  };
  expect([await read(0), await read(59_999), await read(1)]).toEqual([1, 1, 2]);
  expect([await read(-59_999), await read(59_999)]).toEqual([2, 2]);
  expect(ages).toEqual([59_999, 0, 0]);
  expect([await read(-86_400_000), await read(59_999), await read(86_400_000)]).toEqual([3, 3, 4]);
});
