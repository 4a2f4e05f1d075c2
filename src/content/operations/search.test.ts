import { Uploads } from "./upload.ts";
import { LearnedTemplates } from "../page-reader/learned-templates.ts";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unknownPrices } from "../api/price-list.ts";
import { idleJobs } from "../testing/idle-jobs.ts";
import { NO_EXTRACTORS } from "../testing/no-extractors.ts";
import { createApp } from "../app.ts";
import { ANYWHERE, type EgressOptions, PUBLIC_WEB } from "../egress/guard.ts";
import { Extractor } from "../extractor/extractor.ts";
import { FairSemaphore } from "../page/fair-semaphore.ts";
import { createResolver } from "../resolve/create-resolver.ts";
import { PageIndex } from "../search/index/page-index.ts";
import { RememberingReader } from "../search/remembering-reader.ts";
import { createSearchService, indexPath, SEARCH_DEFAULTS, type SearchOptions } from "../search/search-service.ts";
import { startEngine } from "../search/testing/engines.ts";
import { fetchDocument } from "../static/fetch-document.ts";
import { patient } from "../../lib/testing/patience.ts";
import { steps } from "../testing/steps.ts";

// Many pages, on a machine that may be busy.
setDefaultTimeout(patient(30_000));

const state = mkdtempSync(join(tmpdir(), "turnpike-search-"));
const extractor = new Extractor();
const engine = startEngine("duckduckgo");
const ANYWHERE_EGRESS: EgressOptions = { policy: ANYWHERE };
const closing: (() => void)[] = [];
const clock = { now: 0 };

afterAll(async () => {
  for (const close of closing) close();
  extractor.close();
  await engine.close();
  rmSync(state, { recursive: true, force: true });
});

/** The HTTP interface of a service with these search options. The tests need no browser. */
function setUp(options: Partial<SearchOptions>, egress = ANYWHERE_EGRESS) {
  const { search, close, remember } = createSearchService(
    { ...SEARCH_DEFAULTS, endpoints: { duckduckgo: engine.endpoint }, ...options },
    { stateDir: state, egress, extractor, log: () => undefined, now: () => clock.now },
  );
  closing.push(close);
  const browser = { visit: () => Promise.reject(new Error("there is no browser")) };
  const semaphore = new FairSemaphore(1, 1, 1_000);
  const learned = new LearnedTemplates({ folder: undefined, log: () => undefined });
  const pages = new RememberingReader({ browser, fetchDocument, semaphore, extractor, egress, learned }, remember);
  const app = createApp(
    {
      pages,
      search,
      resolver: createResolver(undefined, { pages, search, log: () => undefined }),
      extractors: NO_EXTRACTORS,
      uploads: new Uploads(1),
      files: pages,
      fileChargeOf: () => undefined,
      chargeOf: () => undefined,
      versions: undefined,
      sites: { links: () => expect.unreachable() },
      ...idleJobs(),
      browser: { name: "none", version: "0", sandboxed: true },
      browserHealth: () => Promise.resolve({ failure: undefined, missingFonts: [] }),
      log: () => undefined,
      now: steps(),
    },
    { prices: unknownPrices },
  );
  return async (path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app(new Request(`http://localhost${path}`, init));
    const json: unknown = await response.json();
    // Every JSON response of the service is an object.
    return { status: response.status, headers: response.headers, json: json as Readonly<Record<string, unknown>> };
  };
}

describe("/search", () => {
  const call = setUp({ providers: ["duckduckgo"] });

  test("returns ten results unless the request asks for another number, with their metadata", async () => {
    const { status, json } = await call("/search", { query: "tides" });
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(["query", "results", "metadata"]);
    const results = Array.isArray(json["results"]) ? json["results"] : [];
    expect(results.length).toBe(10);
    expect(results[0]).toEqual({
      title: "tides & 0",
      url: "https://example-duckduckgo.test/page/0",
      snippet: "About tides, number 0",
    });
    expect(json["metadata"]).toEqual({
      content_length: Buffer.byteLength(JSON.stringify(results)),
      elapsed_ms: 5,
      truncated: false,
      providers: ["duckduckgo"],
      cached: false,
    });
    expect((await call("/search", { query: "tides" })).json["metadata"]).toMatchObject({ cached: true });
  });

  test("honours the count, by paging, and reports what was cut", async () => {
    const { json } = await call("/search", { query: "paged", count: 33 });
    expect([json["results"]].flat().length).toBe(33);
    expect(json["metadata"]).toMatchObject({ truncated: true });
    expect([(await call("/search", { query: "one", count: 1 })).json["results"]].flat().length).toBe(1);
  });

  const REFUSED: readonly (readonly [body: unknown, path: string, message: string])[] = [
    [{}, "query", "is required"],
    [{ query: "" }, "query", "must not be empty"],
    [{ query: " \t\n\u200b" }, "query", "must not be empty"],
    [{ query: 5 }, "query", "must be of type string"],
    [{ query: "x".repeat(501) }, "query", "must be at most 500 characters"],
    [{ query: "x", count: 0 }, "count", "must be at least 1"],
    [{ query: "x", count: 51 }, "count", "must be at most 50"],
    [{ query: "x", count: 1.5 }, "count", "must be of type int"],
    [{ query: "x", timeout: 0 }, "timeout", "must be at least 1"],
    [{ query: "x", timeout: 121 }, "timeout", "must be at most 120"],
    [{ query: "x", colour: 1 }, "colour", "is not a field of this operation"],
    [{ query: "x", content: "markdown" }, "content", "is not a field of this operation"],
    [{ query: "x", page: 5, count: 50 }, "page", "must be at most 4 with this count"],
    [{ query: "x", site: "a b.test" }, "site", "must be a host name such as example.com"],
    [{ query: "x", site: "https://a.test/" }, "site", "must be a host name such as example.com"],
    [{ query: "x", site: "a.test:80" }, "site", "must be a host name such as example.com"],
    [{ query: "x", site: "router" }, "site", "must be a host name such as example.com"],
    [{ query: "x", exclude_site: [] }, "exclude_site", "must not be empty"],
    [{ query: "x", exclude_site: ["a.test", "a_b.test"] }, "exclude_site.1", "must be a host name such as example.com"],
    [{ query: "x", after: "2026-02-30" }, "after", "must be a day such as 2026-01-31"],
    [{ query: "x", after: "2026" }, "after", "must be a day such as 2026-01-31"],
    [{ query: "x", after: "2026-02-02", before: "2026-02-01" }, "before", "must not be earlier than after"],
    [{ query: "x", lang: "german" }, "lang", "must be a language code of ISO 639-1 such as de"],
    [{ query: "x", lang: "de" }, "lang", "is supported by none of the search providers (duckduckgo)"],
    [
      { query: "x", page: 5 },
      "page",
      "is too high: the search providers that can apply the request (duckduckgo) have at most 40 results",
    ],
  ];
  test.each(REFUSED)("rejects %j", async (body, path, message) => {
    const { status, json } = await call("/search", body);
    expect([status, json["type"], json["errors"]]).toEqual([
      400,
      "urn:turnpike:error:invalid-parameters",
      [{ path, message }],
    ]);
  });

  test("returns an empty list if the search finds nothing, and an error if the provider failed", async () => {
    engine.mode = "nothing";
    expect(await call("/search", { query: "empty" })).toMatchObject({ status: 200, json: { results: [] } });
    engine.mode = "challenge";
    expect(await call("/search", { query: "failing" })).toMatchObject({
      status: 500,
      json: {
        type: "urn:turnpike:error:search-failed",
        detail: "Cannot search: no provider responded (duckduckgo: it shows a CAPTCHA)",
      },
    });
    engine.mode = "hangs";
    expect(await call("/search", { query: "hanging", timeout: 1 })).toMatchObject({
      status: 500,
      json: { type: "urn:turnpike:error:search-timeout" },
    });
    engine.mode = "answers";
  });

  test("passes restrictions on, and returns the pages of results one after the other", async () => {
    engine.asked.length = 0;
    const restricted = {
      query: "site:evil.test !g tides",
      site: "WWW.Example-DuckDuckGo.test",
      exclude_site: ["bücher.test"],
      after: "2026-01-01",
      count: 10,
    };
    const titles: unknown[] = [];
    for (const page of [1, 2, 3]) {
      const { json } = await call("/search", { ...restricted, page });
      titles.push(...[json["results"]].flat().map((result): unknown => Reflect.get(Object(result), "url")));
    }
    expect(new Set(titles).size).toBe(30);
    const [first] = engine.asked;
    expect(first?.parameters.get("q")).toBe(
      "site evil.test g tides site:example-duckduckgo.test -site:xn--bcher-kva.test",
    );
    expect(first?.parameters.get("df")).toBe("2026-01-01..2099-12-31");
    expect((await call("/search", { query: "tides", site: "other.test" })).json["results"]).toEqual([]);
  });

  test("is down, as /health reports, once the only provider failed three times, until it works again", async () => {
    engine.mode = "limited";
    for (let n = 0; n < 3; n += 1) await call("/search", { query: `limited ${n}` });
    // The probe runs in the background.
    while ((await call("/health")).status === 200) await Bun.sleep(1);
    const down = { status: 503, json: { type: "urn:turnpike:error:search-unavailable" } };
    expect(await call("/search", { query: "more" })).toMatchObject(down);
    expect(await call("/health")).toMatchObject(down);
    clock.now += 60_000;
    engine.mode = "answers";
    expect((await call("/search", { query: "more" })).status).toBe(200);
    const search = [{ name: "duckduckgo", state: "closed" }];
    expect(await call("/health")).toMatchObject({ status: 200, json: { search } });
  });
});

test("an index that is built while the service runs is searched, with the others", async () => {
  const call = setUp({ providers: ["local", "duckduckgo"] });
  expect((await call("/search", { query: "before" })).json["metadata"]).toMatchObject({ providers: ["duckduckgo"] });
  const index = PageIndex.open(indexPath(state));
  index.put({ url: "https://own.test/tides", title: "Tides", text: "after the flood", site: undefined });
  index.close();
  clock.now += 10_000;
  const { json } = await call("/search", { query: "after", count: 5 });
  expect(json["metadata"]).toMatchObject({ providers: ["local", "duckduckgo"] });
  expect([json["results"]].flat().map((result) => Reflect.get(Object(result), "url"))).toContain(
    "https://own.test/tides",
  );
});

test("pages that clients read can be found by others only if the operator enables that", async () => {
  const paragraph = "The lighthouse keeper wrote down each vessel that came in on the morning tide. ".repeat(8);
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const headers = new Headers({ "content-type": "text/html" });
      if (pathname === "/noindex") headers.set("x-robots-tag", "noindex");
      const body = `<title>Log of ${pathname}</title><article><h1>Log</h1><p>${paragraph}</p><a href="/x">on</a></article>`;
      return new Response(body, { status: pathname === "/missing" ? 404 : 200, headers });
    },
  });
  const url = (path: string) => `http://127.0.0.1:${site.port}/${path}`;
  const keeps = setUp({ providers: ["local"], indexFetched: true, cacheMs: 0 });
  const keepsNot = setUp({ providers: ["local"], cacheMs: 0 });
  await keepsNot("/read", { url: url("private"), engine: "static" });
  for (const path of ["read", "noindex", "missing"]) await keeps("/read", { url: url(path), engine: "static" });
  await keeps("/scrape", { url: url("scrape#part"), format: "text", engine: "static" });
  await keeps("/scrape", { url: url("links"), format: "links", engine: "static" });
  clock.now += 10_000;
  const { json } = await keepsNot("/search", { query: "lighthouse keeper" });
  const found = [json["results"]].flat().map((result): unknown => Reflect.get(Object(result), "url"));
  expect(found.map(String).toSorted()).toEqual([url("read"), url("scrape")]);
  await site.stop(true);
});

describe("/search/content", () => {
  const paragraph = "The pilot boards each vessel outside the bar, and leaves it at the quay. ".repeat(8);
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const headers = { "content-type": "text/html" };
      if (pathname.startsWith("/missing")) return new Response(`<p>${paragraph}</p>`, { status: 404, headers });
      return new Response(`<title>Log</title><article><h1>Log of ${pathname}</h1><p>${paragraph}</p></article>`, {
        headers,
      });
    },
  });
  const call = setUp({ providers: ["local"], cacheMs: 0 });
  const content = { content: "markdown", count: 4 };

  beforeAll(() => {
    const index = PageIndex.open(indexPath(state));
    for (const [path, text] of [
      ["first", "pilot pilot pilot"],
      ["missing", "pilot pilot boards"],
      ["third", "pilot boards a ship"],
      ["missing/too", "quarantine"],
    ]) {
      index.put({ url: `http://127.0.0.1:${site.port}/${path}`, title: "Log", text: text ?? "", site: undefined });
    }
    index.close();
    clock.now += 10_000;
  });
  afterAll(async () => {
    await site.stop(true);
  });

  test("returns the content of the first results, and the error of each that fails", async () => {
    const { status, json, headers } = await call("/search/content", { query: "pilot", ...content, pages: 3 });
    expect([status, headers.get("settlement-overrides")]).toEqual([200, null]);
    const results = [json["results"]].flat().map((result) => Object(result) as Readonly<Record<string, unknown>>);
    expect(results.length).toBe(3);
    for (const { url, content: text, truncated, error_type: type } of results) {
      expect([url, type]).toEqual([
        url,
        String(url).endsWith("missing") ? "urn:turnpike:error:page-failed" : undefined,
      ]);
      if (type === undefined) expect([text, truncated]).toEqual([expect.stringContaining(paragraph.trim()), false]);
    }
    expect(json["metadata"]).toMatchObject({ pages_read: 2, providers: ["local"] });
  });

  test("reads as many results as requested, and cuts their content", async () => {
    const { json } = await call("/search/content", { query: "pilot", ...content, pages: 1, max_length: 9 });
    const contents = [json["results"]].flat().map((result): unknown => Reflect.get(Object(result), "content"));
    expect(contents).toEqual(["# Log of ", undefined, undefined]);
  });

  test("is free if no page was read: because none was found, or all failed", async () => {
    for (const query of ["zeppelin", "quarantine"]) {
      const { status, json, headers } = await call("/search/content", { query, ...content });
      expect([status, headers.get("settlement-overrides")]).toEqual([200, '{"amount":"0"}']);
      expect(json["metadata"]).toMatchObject({ pages_read: 0 });
    }
  });

  test("reads no page that the egress guard refuses", async () => {
    const guarded = setUp({ providers: ["local"], cacheMs: 0 }, { policy: PUBLIC_WEB });
    const { json } = await guarded("/search/content", { query: "pilot", ...content });
    expect(json["results"]).toEqual([]);
  });
});
