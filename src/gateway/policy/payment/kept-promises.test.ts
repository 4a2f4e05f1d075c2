import { afterEach, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { closeShops, counted, openShop } from "./testing/shop.ts";

afterEach(closeShops);

test("a client that disconnects while the ledger records the begin of its settlement is not charged", async () => {
  const writing = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const shop = openShop({
    ledger: (real) => ({
      async move(payment, change) {
        const moved = await real.move(payment, change);
        if (change.state === "settling") {
          writing.resolve();
          await gate.promise;
        }
        return moved;
      },
    }),
  });
  const payment = shop.payment();
  const client = new AbortController();
  const sent = shop.send(payment, { signal: client.signal }).catch(() => "gone");
  await writing.promise;
  client.abort();
  await until(() => shop.gateway.last()?.gone === true);
  gate.resolve();
  await sent;
  await until(async () => (await shop.recorded(payment))?.state === "released");
  await until(() => counted(shop).losses.gone === 1);
  expect([shop.settlements, shop.logged]).toEqual([0, []]);
  // The payment is valid again and buys the goods.
  expect(await (await shop.send(payment)).text()).toBe("the goods");
});

test("an expired payment is refused for another request than its own", async () => {
  const shop = openShop({
    terms: { settle: "before" },
    upstream: ({ response }) => response.start({ status: 500, reason: "", fields: "", bodyLength: 0 }),
  });
  const payment = shop.payment();
  void shop.send(payment).catch(() => "cut");
  await until(async () => (await shop.recorded(payment))?.state === "settled");
  shop.clock.now += 3_600_000;
  const other = await shop.send(payment, { path: "/goods?other" });
  expect([other.status, other.headers.get("payment-required")]).toEqual([402, expect.any(String)]);
});
