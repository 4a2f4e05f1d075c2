import { beforeEach, expect, test } from "bun:test";
import { REQUIREMENTS } from "../testing/payment.ts";
import { SoldResources } from "./sold-resources.ts";

const START = 1_800_000_000_000;

interface Page {
  readonly items: readonly { readonly resource: string; readonly accepts: readonly { readonly amount: string }[] }[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
}

let now: number;
let resources: SoldResources;
beforeEach(() => {
  now = START;
  resources = new SoldResources(() => now);
});

/** A payment for a resource, with the extension that describes it. */
function sold(url: string, { type = "http", ...described }: Record<string, unknown> = {}) {
  const bazaar = { info: { input: { type, method: "GET" } } };
  return { resource: { url, description: "", mimeType: "", ...described }, extensions: { bazaar } };
}

function sell(url: string, described: Record<string, unknown> = {}, change: object = {}, caller = "caller"): boolean {
  return resources.add(caller, sold(url, described), { ...REQUIREMENTS, ...change });
}

function page(query: Record<string, string> = {}): Page {
  return resources.page(new URLSearchParams(query)) as Page;
}

function urls(query: Record<string, string> = {}): readonly string[] {
  return page(query).items.map(({ resource }) => resource);
}

test("resources of HTTP and MCP are listed, the newest first, and each of a caller once", () => {
  expect([sell("https://a.test/"), sell("mcp://b.test/", { type: "mcp" }), sell("http://c.test/")]).toEqual([
    true,
    true,
    true,
  ]);
  expect(urls()).toEqual(["http://c.test/", "mcp://b.test/", "https://a.test/"]);
  sell("https://a.test/");
  sell("http://c.test/", {}, {}, "another");
  expect(urls()).toEqual(["http://c.test/", "https://a.test/", "http://c.test/", "mcp://b.test/"]);
  expect([urls({ type: "mcp" }), urls({ type: "http" }).length]).toEqual([["mcp://b.test/"], 3]);
});

test.each([
  ["a script", "javascript:alert(1)"],
  ["a URL with a password", "https://a:b@c.test/"],
  ["a URL with a user", "https://a@c.test/"],
  ["no URL", "c.test"],
])("%s is not listed", (_what, url) => {
  expect([sell(url), urls()]).toEqual([false, []]);
});

function add(payment: object): boolean {
  return resources.add("caller", payment, REQUIREMENTS);
}

test("a payment without a description, or with one of another kind, lists nothing", () => {
  const { resource, extensions } = sold("https://a.test/");
  expect([add({ resource }), add({ extensions }), add({ resource, extensions: { bazaar: "x" } })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(sell("https://a.test/", { type: "other" })).toBe(false);
});

test("an entry has the newest terms of each token, eight at most", () => {
  sell("https://a.test/", {}, { amount: "1" });
  sell("https://a.test/", {}, { amount: "2" });
  expect(page().items[0]?.accepts.map(({ amount }) => amount)).toEqual(["2"]);
  for (const change of [{ scheme: "upto" }, { network: "eip155:1" }, { asset: "0x01" }])
    sell("https://a.test/", {}, { amount: "3", ...change });
  expect(page().items[0]?.accepts.map(({ amount }) => amount)).toEqual(["3", "3", "3", "2"]);
  for (let at = 0; at < 8; at++) sell("https://a.test/", {}, { amount: "4", asset: `0x1${at}` });
  expect(page().items[0]?.accepts.map(({ amount }) => amount)).toEqual(Array.from({ length: 8 }, () => "4"));
});

test("an entry may have 4096 characters", () => {
  const listed = (length: number): boolean => sell("https://a.test/", { description: "x".repeat(length) });
  sell("https://a.test/");
  const empty = JSON.stringify(page().items[0]).length;
  expect([listed(4096 - empty), listed(4097 - empty)]).toEqual([true, false]);
});

test("the list keeps 10,000 resources, those that were sold last", () => {
  for (let at = 0; at <= 10_000; at++) sell(`https://a.test/${at}`);
  expect([page().pagination.total, urls({ query: "a.test/0" })]).toEqual([10_000, []]);
});

test("a page has 20 entries, or as many as are asked for, up to 100", () => {
  for (let at = 0; at < 120; at++) sell(`https://a.test/${at}`);
  expect(page().pagination).toEqual({ limit: 20, offset: 0, total: 120 });
  expect([urls().length, urls({ limit: "3" }).length, urls({ limit: "500" }).length]).toEqual([20, 3, 100]);
  expect(urls({ limit: "2", offset: "1" })).toEqual(["https://a.test/118", "https://a.test/117"]);
  expect(page({ limit: "-1", offset: "x" }).pagination).toEqual({ limit: 20, offset: 0, total: 120 });
  expect(resources.shown()).toHaveLength(100);
  expect(resources.shown()[0]).toEqual({ resource: "https://a.test/119", verification: undefined });
});

test("each word of a query is in the URL, the description, the name or the tags", () => {
  sell("https://a.test/weather", { description: "Rain and SUN", serviceName: "Sky", tags: ["hourly"] });
  sell("https://b.test/");
  const found = ["weather", "sun rain", "sky HOURLY", "a.test sun"].map((query) => urls({ query }).length);
  expect([found, urls({ query: "sun snow" }), urls({ query: " " }).length]).toEqual([[1, 1, 1, 1], [], 2]);
});

test("the resource that was tried the longest ago is due, and the result of a try does not change the order", () => {
  sell("https://a.test/");
  sell("mcp://m.test/", { type: "mcp" });
  now += 1;
  sell("https://b.test/");
  const due = (restMs: number, wanted = "") => resources.due(restMs, (url) => url.includes(wanted));
  expect(due(1000)).toEqual({
    key: "caller https://a.test/",
    url: "https://a.test/",
    input: { type: "http", method: "GET" },
  });
  const [a, b] = [due(1000), due(1000, "b.test")];
  if (a === undefined || b === undefined) throw new Error("both are due");
  resources.verified(b, { verified: false, result: "refused" });
  now += 1000;
  resources.verified(a, { verified: true, result: "sold" });
  expect([due(0)?.url, due(1000)?.url, due(1001)]).toEqual(["https://b.test/", "https://b.test/", undefined]);
  now -= 86_400_000;
  expect(due(1001)?.url).toBe("https://b.test/");
  now += 86_400_000;
  expect(urls()).toEqual(["https://b.test/", "mcp://m.test/", "https://a.test/"]);
  expect([urls({ verified: "true" }), urls({ verified: "false" })]).toEqual([
    ["https://a.test/"],
    ["https://b.test/", "mcp://m.test/"],
  ]);
  // A further sale keeps the result, and a resource that is gone gets none.
  sell("https://a.test/");
  expect(resources.shown()[0]?.verification).toEqual({
    at: new Date(now).toISOString(),
    verified: true,
    result: "sold",
  });
  resources.verified({ key: "caller https://gone.test/", url: "", input: {} }, { verified: true, result: "sold" });
  expect(urls()).toHaveLength(3);
});
