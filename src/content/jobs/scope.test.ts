import { expect, test } from "bun:test";
import { type CrawlOrder, givenOnly } from "./crawl-order.ts";
import { Scope, SITEMAPS } from "./scope.ts";

const SITE = "https://site.example/";
const itemLink = (n: number) => `${SITE}item/${String(n).padStart(24, "0")}`;
const NOW = Date.UTC(2026, 5, 1);

function scopeOf(change: Partial<CrawlOrder> = {}): Scope {
  const order = { ...givenOnly([SITE]), given: false, max_depth: 3, ...change };
  return new Scope(order, NOW);
}

/** The address of a link, or the bounds that it exceeds. */
function chosen(scope: Scope, link: string, depth = 1): unknown {
  const leftOut = {};
  const [address] = scope.choose([link], SITE, depth, leftOut);
  return address?.url ?? leftOut;
}

test.each([
  ["/a".repeat(2), undefined],
  ["/a/b/a/c/a", "repeated-segments"],
  [`/${Array.from({ length: 20 }, (_, i) => i).join("/")}`, undefined],
  [`/${Array.from({ length: 21 }, (_, i) => i).join("/")}`, "path-depth"],
  ["/?1&2&3&4&5&6&7&8", undefined],
  ["/?1&1&2&3&4&5&6&7&8", undefined],
  ["/?1&2&3&4&5&6&7&8&9", "query-keys"],
  ["/calendar/2028-12", undefined],
  ["/calendar/2029-01", "calendar"],
  ["/calendar?month=2029/1", "calendar"],
  ["/archive/1998/02", undefined],
  ["/model/2999-12", "calendar"],
  ["/model/3000-12", undefined],
  ["/code/2029-13", undefined],
])("a crawl leaves out %s by the bound %s", (link, bound) => {
  const expected = bound === undefined ? new URL(link, SITE).href : { [bound]: 1 };
  expect(chosen(scopeOf(), link)).toEqual(expected);
});

test("a crawl follows links to its depth, and counts those below", () => {
  const scope = scopeOf();
  expect([chosen(scope, "/a", 3), chosen(scope, "/a", 4)]).toEqual([`${SITE}a`, { depth: 1 }]);
});

test("of one path with the same parameters, a crawl visits 200 combinations", () => {
  const scope = scopeOf();
  for (let i = 0; i < 200; i++) expect(chosen(scope, `/list?b=${i}&a=1`)).toBe(`${SITE}list?b=${i}&a=1`);
  expect(chosen(scope, "/list?a=2&b=1")).toEqual({ "query-combinations": 1 });
  expect(chosen(scope, "/list?b=1")).toBe(`${SITE}list?b=1`);
  expect(chosen(scope, "/other?a=2&b=1")).toBe(`${SITE}other?a=2&b=1`);
});

test.each([
  ["https://other.example/a", {}, false],
  ["https://other.example/a", { external: true }, true],
  ["https://www.site.example/a", {}, true],
  ["https://sub.site.example/a", {}, false],
  ["https://sub.site.example/a", { subdomains: true }, true],
  ["/a.pdf", {}, true],
  ["/a.png", {}, false],
  ["mailto:a@site.example", {}, false],
  ["/docs/a", { include_paths: ["^/docs"] }, true],
  ["/a", { include_paths: ["^/docs"] }, false],
  ["/docs/a", { exclude_paths: ["^/docs"] }, false],
  ["/docs/a", { below: true, urls: [`${SITE}docs/`] }, true],
  ["/a", { below: true, urls: [`${SITE}docs/`] }, false],
] as const)("the link %s in an order with %j: %p", (link, change, isChosen) => {
  const scope = scopeOf(change);
  // A link that is simply not of the crawl exceeds no bound.
  expect(chosen(scope, link)).toEqual(isChosen ? new URL(link, SITE).href : {});
});

test("links to one page are one address, without fragments and the names of visits, and without queries if those are ignored", () => {
  const links = ["/a#1", "/a?sid=1", "/a", "/a?q=%20"];
  const urls = (scope: Scope) => scope.choose(links, SITE, 1, {}).map(({ url }) => url);
  expect(urls(scopeOf())).toEqual([`${SITE}a`, `${SITE}a?q=%20`]);
  expect(urls(scopeOf({ ignore_query: true }))).toEqual([`${SITE}a`]);
});

test("a crawl begins at its pages and at the sitemaps of their sites, as the order wants", () => {
  const urls = [`${SITE}a`, `${SITE}b`, "https://two.example/c"];
  const seeds = (change: Partial<CrawlOrder>) => scopeOf({ urls, ...change }).seeds();
  const pages = urls.map((url) => ({ url, task: 0, depth: 0 }));
  const maps = [SITE, "https://two.example/"].map((url) => ({ url, task: SITEMAPS, depth: 0 }));
  expect(seeds({ sitemap: "skip" })).toEqual(pages);
  expect(seeds({ sitemap: "only" })).toEqual(maps);
  expect(seeds({ sitemap: "include" })).toEqual([...maps, ...pages]);
  expect(seeds({ sitemap: "include", given: true })).toEqual(pages);
});

test.each([
  ["equal to others ten times", 10, 9, true],
  ["equal to others nine times", 9, 0, false],
  ["as often another one", 10, 10, false],
])("pages whose addresses differ in codes are left out if they were %s", (_what, equal, other, isLeftOut) => {
  const scope = scopeOf();
  for (let i = 0; i < equal + other; i++) scope.learn(new URL(itemLink(i)), i < equal);
  expect(chosen(scope, itemLink(99))).toEqual(isLeftOut ? { "session-ids": 1 } : itemLink(99));
});

test("the forms of addresses that a service counts are bounded, and those that it knows are counted on", () => {
  const many = 10_000;
  const scope = scopeOf();
  for (let i = 0; i < many; i++) chosen(scope, `/list${i}?a=1&b=1`);
  for (let i = 0; i < 200; i++) chosen(scope, `/new?a=${i}&b=1`);
  for (let i = 0; i < 199; i++) chosen(scope, `/list0?a=${i}&b=1`);
  expect(chosen(scope, "/new?a=x&b=1")).toBe(`${SITE}new?a=x&b=1`);
  expect(chosen(scope, "/list0?a=x&b=1")).toEqual({ "query-combinations": 1 });
  for (let i = 0; i < many; i++) scope.learn(new URL(`${SITE}item${i}/${"0".repeat(24)}`), true);
  for (let i = 0; i < 20; i++) {
    scope.learn(new URL(`${SITE}new/${"1".repeat(24)}`), true);
    scope.learn(new URL(`${SITE}item0/${"1".repeat(24)}`), true);
  }
  expect(chosen(scope, `/new/${"2".repeat(24)}`)).toBe(`${SITE}new/${"2".repeat(24)}`);
  expect(chosen(scope, `/item0/${"2".repeat(24)}`)).toEqual({ "session-ids": 1 });
});
