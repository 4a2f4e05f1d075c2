/** The requests of each provider to its server, and the statuses and pages that it takes for failures. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { ANYWHERE } from "../../egress/guard.ts";
import { Extractor } from "../../extractor/extractor.ts";
import { askProvider } from "../ask-provider.ts";
import { createProviders } from "../providers.ts";
import { ProviderError, type SearchFilters } from "../web/provider.ts";

type Name = "searxng" | "brave" | "duckduckgo" | "mojeek";

const extractor = new Extractor();
afterAll(() => extractor.close());

interface Asked {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Headers;
}

const asked: Asked[] = [];
let respond: (n: number, origin: string) => Response = () => new Response();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { searchParams, origin } = new URL(request.url);
    const form = request.method === "POST" ? new URLSearchParams(await request.text()) : searchParams;
    asked.push({ fields: Object.fromEntries(form), headers: request.headers });
    return respond(asked.length, origin);
  },
});
afterAll(() => server.stop(true));
afterEach(() => void asked.splice(0));

const endpoint = new URL("/find", server.url).href;
const providers = createProviders({
  egress: { policy: ANYWHERE },
  extractor,
  userAgent: "Test/1",
  searxngUrl: server.url.href.slice(0, -1),
  braveKey: "key",
  index: { hasPages: () => false, search: async () => [] },
  endpoints: { brave: endpoint, duckduckgo: endpoint, mojeek: endpoint },
});

const HTML = { headers: { "content-type": "text/html" } };
const html = (body: string): Response => new Response(`<html><body>${body}</body></html>`, HTML);
const address = (n: number): string => `https://made.test/${n}`;
const addresses = (from: number, count: number): string[] => Array.from({ length: count }, (_, n) => address(from + n));

/** A page of each engine with these results, and with a next page or not. */
const PAGES: Readonly<Record<Name, (urls: readonly string[], next?: string) => Response>> = {
  searxng: (urls) => Response.json({ results: urls.map((url) => ({ url, title: "t", content: "c" })) }),
  brave: (urls, next) =>
    Response.json({
      query: { more_results_available: next !== undefined },
      web: { results: urls.map((url) => ({ url, title: "t", description: "c" })) },
    }),
  duckduckgo: (urls, next) =>
    html(
      urls.map((url) => `<div class="result web-result"><a class="result__a" href="${url}">t</a></div>`).join("") +
        (next === undefined
          ? ""
          : `<div class="nav-link"><form><input type="submit" value="Next">${next}</form></div>`),
    ),
  mojeek: (urls, next) =>
    html(
      `<ul class="results">${urls.map((url) => `<li><h2><a href="${url}">t</a></h2></li>`).join("")}</ul>` +
        (next === undefined ? "" : `<div class="pagination"><a href="${next}">Next</a></div>`),
    ),
};

function search(
  name: Name,
  { query = "high tide", filters = {}, count = 5 }: { query?: string; filters?: SearchFilters; count?: number },
) {
  const signal = AbortSignal.timeout(60_000);
  return askProvider(providers[name], { query, filters, count, policy: ANYWHERE, signal });
}

/** The fields of the only request. */
async function fieldsOf(name: Name, what: Parameters<typeof search>[1]): Promise<unknown> {
  respond = () => PAGES[name]([address(0)]);
  await search(name, what);
  return asked.splice(0).map(({ fields }) => fields)[0];
}

const SITES: SearchFilters = { site: "a.test", exclude_site: ["b.a.test", "c.test"] };
const BY_SITE = "high tide site:a.test -site:b.a.test -site:c.test";
const AFTER: SearchFilters = { after: "2026-02-01" };
const BEFORE: SearchFilters = { before: "2026-02-28" };
const FIRST = {
  brave: { count: "5", offset: "0", text_decorations: "false" },
  duckduckgo: { b: "", kl: "wt-wt" },
  searxng: { format: "json", pageno: "1" },
};

test.each<[Name, SearchFilters, fields: object]>([
  ["searxng", SITES, { ...FIRST.searxng, q: BY_SITE }],
  ["searxng", { lang: "de" }, { ...FIRST.searxng, q: "high tide", language: "de" }],
  ["brave", SITES, { ...FIRST.brave, q: BY_SITE }],
  ["brave", { lang: "de" }, { ...FIRST.brave, q: "high tide", search_lang: "de" }],
  ["brave", { lang: "ja" }, { ...FIRST.brave, q: "high tide", search_lang: "jp" }],
  ["brave", AFTER, { ...FIRST.brave, q: "high tide", freshness: "2026-02-01to2099-12-31" }],
  ["brave", BEFORE, { ...FIRST.brave, q: "high tide", freshness: "1970-01-01to2026-02-28" }],
  ["duckduckgo", SITES, { ...FIRST.duckduckgo, q: BY_SITE }],
  ["duckduckgo", { ...AFTER, ...BEFORE }, { ...FIRST.duckduckgo, q: "high tide", df: "2026-02-01..2026-02-28" }],
  ["mojeek", SITES, { q: BY_SITE }],
  ["mojeek", AFTER, { q: "high tide", since: "20260201" }],
  ["mojeek", BEFORE, { q: "high tide", before: "20260301" }],
])("%s applies %j", async (name, filters, fields) => {
  expect(await fieldsOf(name, { filters })).toEqual(fields);
});

const q = async (name: Name, query: string, filters: SearchFilters): Promise<string> =>
  Object(await fieldsOf(name, { query, filters })).q;

test("queries are cut to the lengths that servers accept, and never the operators for sites", async () => {
  const operators = " site:a.test -site:b.a.test -site:c.test";
  const long = "x".repeat(1000);
  expect(await q("brave", long, SITES)).toBe(`${"x".repeat(400 - operators.length)}${operators}`);
  expect(await q("duckduckgo", long, SITES)).toBe(`${"x".repeat(499 - operators.length)}${operators}`);
  expect(await q("mojeek", long, SITES)).toBe(`${long}${operators}`);
  const many = "w ".repeat(60).trim();
  expect([(await q("brave", many, {})).split(" ").length, (await q("brave", many, SITES)).split(" ").length]).toEqual([
    49, 50,
  ]);
  const excluded = { exclude_site: Array.from({ length: 40 }, (_, n) => `${n}.excluded.test`) };
  expect((await q("brave", long, excluded)).startsWith(" -site:")).toBe(true);
});

const sent = () => asked.splice(0).map(({ fields }) => [fields["count"], fields["offset"]]);

test("Brave's pages have the same length, and there are no more than it has or than are wanted", async () => {
  respond = (n) => PAGES.brave(addresses(20 * n, 20), "more");
  expect((await search("brave", { count: 20 })).results.length).toBe(20);
  expect(sent()).toEqual([["20", "0"]]);
  expect((await search("brave", { count: 45 })).results.length).toBe(60);
  expect(sent()).toEqual([
    ["20", "0"],
    ["20", "1"],
    ["20", "2"],
  ]);
  expect((await search("brave", { count: 500 })).results.length).toBe(200);
  expect(sent().at(-1)).toEqual(["20", "9"]);
  respond = (n) => PAGES.brave(addresses(20 * n, 20));
  expect((await search("brave", { count: 45 })).results.length).toBe(20);
});

test("requests for pages name the program, and a language that engines know", async () => {
  for (const name of ["duckduckgo", "mojeek"] as const) {
    await fieldsOf(name, {});
    respond = () => PAGES[name]([address(0)]);
    await search(name, {});
    const { headers } = asked.splice(0)[0] ?? { headers: new Headers() };
    const names = ["user-agent", "accept", "accept-language", "referer"];
    const referer = name === "duckduckgo" ? endpoint : null;
    expect(names.map((field) => headers.get(field))).toEqual(["Test/1", "text/html", "en-US,en;q=0.8", referer]);
  }
});

test.each<[what: string, next: string, isFollowed: boolean]>([
  ["to the next page", "/find?q=x&s=11", true],
  ["to another server", "https://other.test/find?q=x&s=11", false],
  ["to itself", "/find?q=high+tide", false],
  ["to no address", "http://[", false],
])("a link of Mojeek %s is followed: %p", async (_what, next, isFollowed) => {
  respond = (n) => PAGES.mojeek([address(n)], n === 1 ? next : undefined);
  expect((await search("mojeek", {})).results.length).toBe(isFollowed ? 2 : 1);
  expect(asked.length).toBe(isFollowed ? 2 : 1);
});

test("DuckDuckGo's form for the next page is sent with its first twenty fields", async () => {
  const fields = Array.from({ length: 21 }, (_, n) => `<input type="hidden" name="f${n}" value="${n}">`).join("");
  respond = (n) => PAGES.duckduckgo([address(n)], n === 1 ? fields : undefined);
  await search("duckduckgo", {});
  expect(asked[1]?.fields).toEqual(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, String(n)])));
});

test("no more than a hundred results of a page are read", async () => {
  respond = (n) => PAGES.searxng(n === 1 ? addresses(0, 101) : []);
  expect((await search("searxng", { count: 101 })).results.length).toBe(100);
});

const NOT_A_LIST = () => Response.json({ results: "none" });
const REFUSALS: readonly (readonly [Name, what: string, response: () => Response, reason: string, message: string])[] =
  [
    ...(
      [
        [429, "limited"],
        [503, "limited"],
        [202, "challenge"],
        [403, "challenge"],
        [404, "refused"],
        [500, "refused"],
        [201, "refused"],
      ] as const
    ).map(
      ([status, reason]) =>
        [
          "brave",
          `the status ${status}`,
          () => new Response(null, { status }),
          reason,
          `it responded with ${status}`,
        ] as const,
    ),
    ["searxng", "no list", NOT_A_LIST, "unreadable", "its response has no results"],
    ["searxng", "a list", () => Response.json([]), "unreadable", "its response has no results"],
    ["searxng", "null", () => Response.json(null), "unreadable", "its response is not an object"],
    ["searxng", "a text", () => Response.json("x"), "unreadable", "its response is not an object"],
    ["searxng", "no JSON", () => new Response("{"), "unreadable", "its response is not JSON"],
    [
      "searxng",
      "engines that failed",
      () => Response.json({ results: [], unresponsive_engines: [1] }),
      "unreachable",
      "its engines do not respond",
    ],
    [
      "brave",
      "neither results nor the query",
      () => Response.json({ web: {} }),
      "unreadable",
      "its response has no results",
    ],
    [
      "mojeek",
      "a CAPTCHA over results",
      () => html(`<div id="captcha"></div><ul class="results"><li><h2><a href="https://a.test/">a</a></h2></li></ul>`),
      "challenge",
      "it shows a CAPTCHA",
    ],
    ["mojeek", "another page", () => html("<p>Welcome</p>"), "unreadable", "its response is not a page of results"],
    [
      "mojeek",
      "a picture",
      () => new Response("PNG", { headers: { "content-type": "image/png" } }),
      "unreadable",
      "its response cannot be read",
    ],
  ];

test.each(REFUSALS)("%s fails for %s", async (...[name, , response, reason, message]) => {
  respond = response;
  const failure = await search(name, {}).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProviderError);
  expect([Reflect.get(Object(failure), "reason"), Reflect.get(Object(failure), "message")]).toEqual([reason, message]);
});

test("SearXNG's later pages may be empty although an engine failed, and an address without a slash is a folder", async () => {
  respond = (n) => (n === 1 ? PAGES.searxng([address(0)]) : Response.json({ results: [], unresponsive_engines: [1] }));
  expect(await search("searxng", {})).toMatchObject({ results: [{ url: address(0) }], complete: true });
  expect(asked.map(({ fields }) => fields["pageno"])).toEqual(["1", "2"]);
});
