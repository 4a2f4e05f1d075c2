/** Free requests of payers, who sign a payment that is not settled. */
import { afterEach, expect, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { until } from "../../../../lib/testing/until.ts";
import { type FreeQuota } from "../../rate-limit/quota.ts";
import { closeShops, counted, openShop, type ShopOptions } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

afterEach(closeShops);

/** A shop whose payers, or addresses, have `left` free requests. */
function open(left: number, upstream?: ShopOptions["upstream"], key: FreeQuota["key"] = "payer") {
  const gifts = { left, returned: 0 };
  const quota = {
    key,
    requests: left,
    take: async () => (gifts.left-- > 0 ? () => void (gifts.returned += 1) : undefined),
  } as unknown as FreeQuota; // Nothing else of it is read.
  const shop = openShop({ quota, ...(upstream === undefined ? {} : { upstream }) });
  return { shop, gifts };
}

test("a free request is served without a settlement, and its payment buys the next one", async () => {
  const { shop, gifts } = open(1);
  const payment = shop.payment();
  const free = await shop.send(payment);
  expect([free.status, await free.text(), free.headers.get("payment-response")]).toEqual([200, "the goods", null]);
  expect(free.headers.get("cache-control")).toContain("private");
  await until(async () => (await shop.recorded(payment))?.state === "released");
  expect([shop.settlements, gifts.returned, counted(shop)]).toEqual([
    0,
    0,
    { stages: { signed: 1, verified: 1, free: 1 }, losses: {} },
  ]);
  const paid = await shop.send(payment);
  expect([paid.status, await paid.text(), shop.settlements]).toEqual([200, "the goods", 1]);
});

test("a payment is settled although the address of its client has free requests", async () => {
  const { shop, gifts } = open(1, undefined, "address");
  expect([(await shop.send(shop.payment())).status, shop.settlements, gifts.left]).toEqual([200, 1, 1]);
});

test.each([
  ["fails", 500, 1],
  // The client is at fault.
  ["is refused", 404, 0],
])("a free request that %s, with status %d, comes back %d times", async (_what, status, returned) => {
  const { shop, gifts } = open(1, (exchange) => respondWith(exchange, status, "sorry"));
  expect((await shop.send(shop.payment())).status).toBe(status);
  expect([gifts.returned, shop.settlements]).toEqual([returned, 0]);
});

test("a free request whose response breaks off or cannot be sold comes back", async () => {
  const { shop, gifts } = open(2, (exchange) => {
    if (exchange.head.query === "?breaks")
      exchange.response.abort(new TurnpikeError("upstream-failed", "it broke off"));
    else respondWith(exchange, 200, "data: 1", fieldLine("Content-Type", "text/event-stream"));
  });
  expect((await shop.send(shop.payment(), { path: "/goods?breaks" })).status).toBe(502);
  expect([gifts.returned, shop.settlements]).toEqual([1, 0]);
  expect((await shop.send(shop.payment())).status).toBe(501);
  expect([gifts.returned, shop.settlements]).toEqual([2, 0]);
});

test("a free request whose work goes on is not charged later", async () => {
  const { shop } = open(1, (exchange) =>
    respondWith(exchange, 202, "job", fieldLine("Settlement-Deferral", '{"path":"/charges/1"}')),
  );
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect([response.status, response.headers.get("settlement-deferral")]).toEqual([202, null]);
  expect(shop.lastUpstreamFields).not.toContain("Settlement-Deferral");
  await until(async () => (await shop.recorded(payment))?.state === "released");
  expect(await shop.store.ledger.claimDue(1)).toEqual([]);
});
