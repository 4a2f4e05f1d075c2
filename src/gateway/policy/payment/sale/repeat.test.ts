import { afterEach, expect, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { closeShops, openShop } from "../testing/shop.ts";

afterEach(closeShops);

test("clients that replay a payment at the same time get its response as often as the route allows", async () => {
  let asked = 0;
  const all = Promise.withResolvers<void>();
  const shop = openShop({
    terms: { max_repeats: 2 },
    ledger: (real) => ({
      async repeat(payment, most) {
        asked += 1;
        if (asked === 3) all.resolve();
        await all.promise;
        return real.repeat(payment, most);
      },
    }),
  });
  const payment = shop.payment();
  await (await shop.send(payment)).text();
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  const replays = await Promise.all([1, 2, 3].map(() => shop.send(payment)));
  const texts = await Promise.all(replays.map((response) => response.text()));
  expect(replays.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 409]);
  expect(texts.filter((text) => text === "the goods")).toHaveLength(2);
  expect(texts.join()).toContain("its response was delivered, and is not sent again");
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a repeated response counts as delivered, although the first request has not recorded its own delivery", async () => {
  const recording = Promise.withResolvers<void>();
  const shop = openShop({
    ledger: (real) => ({
      async move(payment, change) {
        if (change.delivered !== undefined) await recording.promise;
        return real.move(payment, change);
      },
    }),
  });
  const payment = shop.payment();
  await (await shop.send(payment)).text();
  expect(await (await shop.send(payment)).text()).toBe("the goods");
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  recording.resolve();
});
