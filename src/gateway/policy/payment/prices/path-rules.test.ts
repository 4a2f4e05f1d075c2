/** Rules for paths: no other spelling of a path costs less than the path itself. */
import { afterEach, expect, test } from "bun:test";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

/** A shop in which `/goods/dear` costs $1. */
function open(): Shop {
  const match = { methods: [], headers: [], query: [], path_pattern: "/goods/dear" };
  return openShop({ terms: { rules: [{ match, consumers: [], payers: [], body: [], price: "$1" }] } });
}

/** The price of a path in atomic units; else the status and the type of its problem. */
async function priceOf(shop: Shop, path: string): Promise<unknown> {
  const response = await fetch(shop.gateway.url + path);
  if (response.status !== 402) return [response.status, ((await response.json()) as { type: string }).type];
  const { accepts } = decoded(response, "payment-required") as { accepts: readonly { readonly amount: string }[] };
  return Number(accepts[0]?.amount);
}

const BAD_PATH = [400, "urn:turnpike:error:bad-path"];

test.each<[string, unknown]>([
  ["/goods/dear", 1_000_000],
  ["/goods/dear?query", 1_000_000],
  ["/goods/dear/", BAD_PATH],
  ["/goods/DEAR", BAD_PATH],
  ["/Goods/Dear/", BAD_PATH],
  ["/goods/de%61r", BAD_PATH],
  ["/goods/dear/more", 10_000],
  ["/goods/dearer", 10_000],
  ["/goods/", 10_000],
  ["/goods/cheap", 10_000],
  ["/", 10_000],
])("the price of %s is %j", async (path, price) => {
  expect(await priceOf(open(), path)).toEqual(price);
});
