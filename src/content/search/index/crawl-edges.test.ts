/** Crawls of small sites, each with one case, whose pages and times the tests choose. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { PUBLIC_WEB } from "../../egress/guard.ts";
import { Extractor } from "../../extractor/extractor.ts";
import { crawlMadeSite } from "../testing/crawl-made-site.ts";
import { type CrawlDeps, type CrawlReport } from "./crawl.ts";
import { PageIndex } from "./page-index.ts";
import { type SiteOptions, Sites } from "./sites.ts";

setDefaultTimeout(patient(30_000));

const extractor = new Extractor();
const closing: (() => void | Promise<void>)[] = [];
afterAll(() => extractor.close());
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Route = (request: Request) => Response | Promise<Response>;

/** A page with these words, and links to these addresses. */
function page(words: string, links: readonly string[] = [], head = ""): Response {
  const anchors = links.map((href) => `<a href="${href}">${href}</a>`).join(" ");
  const text = `<article><h1>${words}</h1><p>${`${words} of a page. `.repeat(20)}</p></article>`;
  return new Response(
    `<html><head><title>${words}</title>${head}</head><body><main>${text}</main>${anchors}</body></html>`,
    {
      headers: { "content-type": "text/html" },
    },
  );
}

const status = (code: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: code, headers });
const NOINDEX = `<meta name="robots" content="noindex">`;

/** A site on every loopback address. `asked` has the path of each request, except those for robots.txt. */
function setUp(routes: Record<string, Route>) {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/robots.txt") asked.push(pathname);
      return routes[pathname]?.(request) ?? status(404);
    },
  });
  const clock = { now: 1000 };
  const index = PageIndex.open(":memory:", () => clock.now);
  const sites = new Sites(index, () => clock.now);
  closing.push(
    () => server.stop(true),
    () => index.close(),
  );
  const url = `http://127.0.0.1:${server.port}`;
  const outcomes: Record<string, string> = {};
  const crawl = (options: Partial<SiteOptions> = {}, deps: Partial<CrawlDeps> = {}): Promise<CrawlReport> => {
    for (const path of Object.keys(outcomes)) delete outcomes[path];
    asked.length = 0;
    const progress: CrawlDeps["progress"] = (address, outcome, reason) => {
      outcomes[address.replace(url, "")] = reason === undefined ? outcome : `${outcome}: ${reason}`;
    };
    return crawlMadeSite({ url }, { index, sites, extractor, progress, ...deps }, { sitemap: false, ...options });
  };
  const indexed = () =>
    index
      .search({ count: 100 })
      .map(({ url: address }) => address.replace(url, ""))
      .toSorted();
  return { url, port: server.port, routes, asked, clock, index, sites, outcomes, crawl, indexed };
}

test("each status has its outcome, and only failures have a reason", async () => {
  const codes = [201, 300, 304, 307, 399, 400, 404, 410, 500];
  const links = codes.map((code) => `/${code}`);
  const site = setUp({
    ...Object.fromEntries(codes.map((code) => [`/${code}`, () => status(code)])),
    "/": () => page("home", links),
    "/300": () => status(300, { location: "/moved" }),
    "/moved": () => page("moved"),
  });
  const report = await site.crawl();
  expect(site.outcomes).toEqual({
    "/": "indexed",
    "/201": "failed: the server responded with 201",
    "/300": "redirect",
    "/304": "redirect",
    "/307": "redirect",
    "/399": "redirect",
    "/400": "failed: the server responded with 400",
    "/404": "dead link",
    "/410": "dead link",
    "/500": "failed: the server responded with 500",
    "/moved": "indexed",
  });
  expect(Object.fromEntries(report.outcomes)).toEqual({ indexed: 2, failed: 3, redirect: 4, "dead link": 2 });
  expect(site.indexed()).toEqual(["/", "/moved"]);
});

test.each([429, 503])("the status %d ends the requests to its host", async (code) => {
  const site = setUp({ "/": () => page("home", ["/a", "/b"]), "/a": () => status(code), "/b": () => page("b") });
  await site.crawl();
  expect([site.asked, site.outcomes["/a"]]).toEqual([["/", "/a"], `failed: the server responded with ${code}`]);
});

test.each<[what: string, outcome: string, route: Route]>([
  ["gone", "removed", () => status(410)],
  ["not found", "removed", () => status(404)],
  ["redirected", "redirect", () => status(302, { location: "/" })],
  ["not to be indexed", "noindex", () => page("a", [], NOINDEX)],
  ["a copy of another page", "duplicate", () => page("home", ["/a"])],
  ["a picture", "not a page", () => new Response("PNG", { headers: { "content-type": "image/png" } })],
  [
    "made by a script",
    "needs a browser",
    () =>
      new Response(
        `<html><head><title>App</title><script src="/app.js"></script></head><body><div id="root"></div></body></html>`,
        { headers: { "content-type": "text/html" } },
      ),
  ],
])("a page that is %s now is removed, and leaves room for another", async (_what, outcome, route) => {
  const site = setUp({ "/": () => page("home", ["/a"]), "/a": () => page("a") });
  await site.crawl({ maxPages: 2 });
  expect(site.indexed()).toEqual(["/", "/a"]);
  site.routes["/a"] = route;
  site.routes["/z"] = () => page("z");
  site.sites.discover(site.sites.list()[0] as never, [`${site.url}/z`], 1);
  await site.crawl({ maxPages: 2 });
  expect([site.outcomes["/a"], site.indexed()]).toEqual([outcome, ["/", "/z"]]);
});

test("a page is asked for by its validators, and counts as fetched if it has not changed", async () => {
  const fields: Record<string, string | null>[] = [];
  const validators = { etag: `"1"`, "last-modified": "Mon, 02 Feb 2026 08:00:00 GMT" };
  const site = setUp({
    "/": ({ headers }) => {
      fields.push({ match: headers.get("if-none-match"), since: headers.get("if-modified-since") });
      const response = fields.length < 3 ? page("home") : status(304);
      for (const [name, value] of Object.entries(fields.length < 2 ? {} : validators))
        response.headers.set(name, value);
      return response;
    },
  });
  const said: unknown[] = [];
  for (const now of [1000, 2000, 3000]) {
    site.clock.now = now;
    await site.crawl();
    const [{ crawledAt } = { crawledAt: 0 }] = site.sites.list();
    const row = site.index.database.query("SELECT fetched_at FROM pages").get();
    said.push([site.outcomes["/"], row, crawledAt]);
  }
  expect(fields).toEqual([
    { match: null, since: null },
    { match: null, since: null },
    { match: validators.etag, since: validators["last-modified"] },
  ]);
  expect(said).toEqual([
    ["indexed", { fetched_at: 1000 }, 1000],
    ["unchanged", { fetched_at: 2000 }, 2000],
    ["unchanged", { fetched_at: 3000 }, 3000],
  ]);
});

test("a failure has a reason that says what happened", async () => {
  const site = setUp({
    "/": () => new Response("x".repeat(10 * 1024 * 1024 + 1), { headers: { "content-type": "text/html" } }),
  });
  await site.crawl();
  expect(site.outcomes["/"]).toBe("failed: the response is over 10 MiB");
  await site.crawl({}, { egress: { policy: PUBLIC_WEB } });
  expect(site.outcomes["/"]).toBe("failed: the address is private, or its port is not allowed");
  site.routes["/robots.txt"] = () => status(500);
  await site.crawl();
  expect(site.outcomes["/"]).toBe("failed: the robots.txt of its host cannot be fetched");
});

test("three addresses for each page that a site may have, and a hundred more, are fetched in one round", async () => {
  const links = Array.from({ length: 120 }, (_, n) => `/none/${n}`);
  const site = setUp({ "/": () => page("home", links, NOINDEX) });
  expect((await site.crawl({ maxPages: 1 })).stopped).toBe("fetch limit");
  expect(site.asked.length).toBe(103);
});

test("an index that has reached its size takes nothing", async () => {
  const site = setUp({ "/": () => page("home", ["/a"]), "/a": () => page("a") });
  const bytes = site.index.bytes();
  expect([(await site.crawl({}, { maxBytes: bytes })).stopped, site.asked]).toEqual(["full", []]);
  expect((await site.crawl({}, { maxBytes: bytes + 1 })).stopped).toBe(site.index.bytes() > bytes ? "full" : undefined);
  expect(site.asked[0]).toBe("/");
});

test("a page that was fetched outside of a crawl counts as one of the site from then on", async () => {
  const site = setUp({ "/": () => page("home", ["/a", "/b"], NOINDEX), "/a": () => page("a"), "/b": () => page("b") });
  site.index.put({ url: `${site.url}/a`, title: "old", text: "old", site: undefined });
  expect((await site.crawl({ maxPages: 1 })).stopped).toBe("page limit");
  expect([site.indexed(), site.sites.pages(1), site.asked]).toEqual([["/a"], 1, ["/", "/a"]]);
  // Its removal makes room; that of a page which belongs to no site does not.
  site.index.put({ url: `${site.url}/b`, title: "old", text: "old", site: undefined });
  site.routes["/b"] = () => status(404);
  site.sites.discover(site.sites.list()[0] as never, [`${site.url}/c`], 1);
  site.routes["/c"] = () => page("c");
  expect((await site.crawl({ maxPages: 1 })).stopped).toBe("page limit");
  expect([site.indexed(), site.outcomes["/c"]]).toEqual([["/a"], undefined]);
});

test("at most four hosts are asked at the same time, and a page that has no room any more is left out", async () => {
  let waiting = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const site = setUp({
    "/robots.txt": async () => {
      waiting += 1;
      most = Math.max(most, waiting);
      if (waiting >= 4) setImmediate(() => setImmediate(gate.resolve));
      await gate.promise;
      waiting -= 1;
      return status(404);
    },
    "/one": () => page("one"),
    "/two": () => page("two"),
    "/three": () => page("three"),
    "/four": () => page("four"),
    "/five": () => page("five"),
    "/six": () => page("six"),
  });
  const options = { url: `${site.url}/one`, depth: 0, maxPages: 1, sitemap: false, sameHost: false };
  const others = ["two", "three", "four", "five", "six"];
  const hosts = others.map((path, n) => `http://127.0.0.${n + 2}:${site.port}/${path}`);
  site.sites.discover(site.sites.add(options), hosts, 0);
  const { stopped, outcomes } = await site.crawl(options);
  expect([most, stopped, outcomes.get("indexed"), outcomes.get("left out")]).toEqual([4, "page limit", 1, 3]);
  expect(site.indexed().length).toBe(1);
});

test("links are followed to the depth of the site, and those of other hosts only if it allows them", async () => {
  const site = setUp({
    "/": () => page("home", ["/1#top", "http://127.0.0.2:1/else", "mailto:a@b.test"]),
    "/1": () => page("one", ["/2"]),
    "/2": () => page("two", ["/3"]),
    "/3": () => page("three"),
  });
  await site.crawl({ depth: 2 });
  expect(site.outcomes).toEqual({ "/": "indexed", "/1": "indexed", "/2": "indexed" });
});

const canonical = (to: string): string => `<link rel="canonical" href="${to}">`;

test("a page leads to its canonical address, unless that leads to no page", async () => {
  const site = setUp({
    "/": () => page("home", ["/copy", "/lost"], canonical("/")),
    "/copy": () => page("copy", [], canonical("/original")),
    "/original": () => page("original"),
    "/lost": () => page("lost", [], canonical("/a-nothing")),
  });
  site.sites.discover(
    site.sites.add({ url: `${site.url}/`, depth: 3, maxPages: 9, sitemap: false, sameHost: true }),
    [`${site.url}/a-nothing`],
    0,
  );
  site.routes["/a-nothing"] = () => page("nothing", [], NOINDEX);
  await site.crawl();
  expect(site.outcomes).toEqual({
    "/": "indexed",
    "/a-nothing": "noindex",
    "/copy": "duplicate",
    "/original": "indexed",
    "/lost": "indexed",
  });
});
