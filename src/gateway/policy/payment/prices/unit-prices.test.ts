import { afterEach, expect, test } from "bun:test";
import { type RouteX402Config } from "../../../config/config.ts";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

type Rule = RouteX402Config["rules"][number];
const HOUR_MS = 3_600_000;

function shopOf(...rules: readonly Partial<Rule>[]): Shop {
  const all = { match: { methods: [], headers: [], query: [] }, consumers: [], payers: [], body: [] };
  return openShop({ terms: { rules: rules.map((rule) => ({ ...all, ...rule })) } });
}

/** The price that a request with this body gets in its challenge, in atomic units; else its status. */
async function priceOf(shop: Shop, value: unknown): Promise<number> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
  const response = await fetch(`${shop.gateway.url}/goods`, init);
  if (response.status !== 402) return response.status;
  const { accepts } = decoded(response, "payment-required") as { accepts: readonly { readonly amount: string }[] };
  return Number(accepts[0]?.amount);
}

function urls(count: number): object {
  return { urls: Array.from({ length: count }, (_, at) => at) };
}

test("a price for each item has its least and its most", async () => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/urls", min: "$0.004", max: "$0.01" } });
  const prices = await Promise.all([1, 2, 3, 5, 6, 100].map((count) => priceOf(shop, urls(count))));
  expect(prices).toEqual([4000, 4000, 6000, 10_000, 10_000, 10_000]);
});

test("without bounds, one item is the least, and there is no most", async () => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/urls" } });
  expect(await Promise.all([0, 1, 1000].map((count) => priceOf(shop, urls(count))))).toEqual([2000, 2000, 2_000_000]);
});

test("a number counts as that many items, and a part of one as a whole one", async () => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/pages" } });
  expect([await priceOf(shop, { pages: 3 }), await priceOf(shop, { pages: 2.1 })]).toEqual([6000, 6000]);
});

test.each<[string, unknown, number]>([
  ["a number as text", { pages: "3" }, 400],
  ["an object", { pages: { 0: "a" } }, 400],
  ["another spelling of the name", { Pages: 3 }, 400],
  ["two spellings of the name", { pages: 3, PAGES: 1 }, 400],
  ["an amount with more digits than a token has", { pages: 1e80 }, 400],
  ["other text, which counts as one", { pages: "many" }, 2000],
  ["null, which counts as one", { pages: null }, 2000],
  ["a number below zero", { pages: -5 }, 400],
])("%s, never has the price of a later rule: %j", async (_what, body, price) => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/pages" } }, { price: "$0.000001" });
  expect(await priceOf(shop, body)).toBe(price);
});

test("a number that no number can hold is refused", async () => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/pages" } });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"pages":1e400}' };
  expect((await fetch(`${shop.gateway.url}/goods`, init)).status).toBe(400);
});

test.each([
  ["text", 400],
  [["pdf", 7], 400],
  [[], 5000],
  [null, 400],
] as const)("things that are named by %j are priced only if their names are clear", async (formats, price) => {
  const items = { pointer: "/formats", prices: { pdf: "$0.01" }, share_percent: 10 };
  const shop = shopOf({ unit_price: { price: "$0.005", items } }, { price: "$0.000001" });
  expect(await priceOf(shop, { formats })).toBe(price);
});

test("of several named things, the most expensive is paid whole, and a share of each other one, rounded up", async () => {
  const prices = { pdf: "$0.01", text: "$0.000333" };
  const items = { pointer: "/formats", prices, share_percent: 10 };
  const shop = shopOf({ unit_price: { price: "$0.005", count: "/urls", items } });
  const of = (formats: readonly string[], count = 1) => priceOf(shop, { ...urls(count), formats });
  expect(await of([])).toBe(5000);
  expect(await of(["pdf"])).toBe(10_000);
  expect(await of(["PDF", "html"])).toBe(10_500);
  // 10 % of 5333 are 533.3.
  expect(await of(["text", "pdf", "html"], 2)).toBe(2 * 10_534);
});

test("a price by the body is refused without JSON, and a request without a body costs the least", async () => {
  const shop = shopOf({ unit_price: { price: "$0.002", count: "/urls", min: "$0.001" } });
  const url = `${shop.gateway.url}/goods`;
  const body = JSON.stringify(urls(3));
  const statuses: number[] = [];
  for (const headers of [
    { "content-type": "text/plain" },
    { "content-type": "application/json", "content-encoding": "gzip" },
    { "content-type": "application/json" },
  ]) {
    statuses.push((await fetch(url, { method: "POST", headers, body })).status);
  }
  expect(statuses).toEqual([415, 415, 402]);
  const broken = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
  expect((await fetch(url, broken)).status).toBe(400);
  const none = await fetch(url);
  expect(decoded(none, "payment-required")).toMatchObject({ accepts: [{ amount: "1000" }] });
});

test("a rule for bodies of some sizes fits from the least to the most bytes", async () => {
  const shop = shopOf({ body_bytes: { min: 4, max: 6 }, price: "$0.02" });
  const prices = await Promise.all(["x", "xx", "xxx", "xxxx", "xxxxx"].map((text) => priceOf(shop, text)));
  expect(prices).toEqual([10_000, 20_000, 20_000, 20_000, 10_000]);
});

test("a rule that does not depend on the body does not wait for its end", async () => {
  const { gateway } = shopOf({ price: "$0.02" });
  const leaving = new AbortController();
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      controller.enqueue(Buffer.from("begun"));
      await new Promise(() => {});
    },
  });
  const response = await fetch(`${gateway.url}/goods`, { method: "POST", body, signal: leaving.signal });
  expect(decoded(response, "payment-required")).toMatchObject({ accepts: [{ amount: "20000" }] });
  leaving.abort();
});

test.each([
  [{ from: 9, to: 17 }, [8.99, 9, 16.99, 17], [false, true, true, false]],
  [{ from: 22, to: 6 }, [21.99, 22, 23, 5.99, 6], [false, true, true, true, false]],
  // It ends on the next day.
  [{ from: 9, to: 9 }, [8.99, 9, 23, 0], [true, true, true, true]],
] as const)("a rule for the hours %j fits from the first to before the last one", async (hours, times, fits) => {
  const shop = shopOf({ utc_hours: hours, price: "$0.02" });
  const found: boolean[] = [];
  for (const hour of times) {
    shop.clock.now = 20_000 * 24 * HOUR_MS + hour * HOUR_MS;
    found.push((await priceOf(shop, {})) === 20_000);
  }
  expect(found).toEqual([...fits]);
});
