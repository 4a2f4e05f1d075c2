import { afterEach, expect, spyOn, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { until } from "../../../../lib/testing/until.ts";
import { REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { answerTo, challengesOf } from "../../../../payments/testing/mpp.ts";
import { opened, outcome, recorded } from "../channels/testing/scripted-channel.ts";
import { closeShops, counted, decoded, openShop, type Shop } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

afterEach(closeShops);

const BROKEN = new TurnpikeError("upstream-failed", "it broke off");

test("a response is sent again for as long as its payment lasts, and no millisecond longer", async () => {
  const shop = openShop();
  const startedAt = shop.clock.now;
  const payment = shop.payment();
  expect(await (await shop.send(payment)).text()).toBe("the goods");
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  shop.clock.now = startedAt + REQUIREMENTS.maxTimeoutSeconds * 1000 - 1;
  expect(await (await shop.send(payment)).text()).toBe("the goods");
  shop.clock.now += 1;
  const late = await shop.send(payment);
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("is not sent again")]);
  expect(shop.runs).toBe(1);
});

/** Pays by a credential of the `Payment` scheme. */
async function payByScheme(shop: Shop): Promise<Response> {
  const [challenge] = challengesOf(await fetch(`${shop.gateway.url}/goods`));
  if (challenge === undefined) throw new Error("no challenge");
  return fetch(`${shop.gateway.url}/goods`, { headers: { authorization: answerTo(challenge) } });
}

test("a failure after a settlement has the receipt, except by the Payment scheme, which forbids it", async () => {
  const shop = openShop({
    mpp: true,
    terms: { settle: "before" },
    upstream: (exchange) => respondWith(exchange, 500, "sorry"),
  });
  const failed = await shop.send(shop.payment());
  expect([failed.status, decoded(failed, "payment-response")]).toMatchObject([500, { success: true }]);
  const response = await payByScheme(shop);
  expect([response.status, response.headers.get("payment-receipt"), shop.settlements]).toEqual([500, null, 2]);
  expect(response.headers.get("payment-response")).toBeNull();
});

test("a client that breaks off has counted as one that left, and one whose upstream broke off has not", async () => {
  const shop = openShop({
    terms: { ...TERMS, settle: "before" },
    upstream({ response, head }) {
      response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
      response.data(Buffer.from("half of"));
      if (head.query === "?breaks") shop.gateway.last()?.abort(BROKEN);
    },
  });
  const leaving = new AbortController();
  const response = await shop.send(shop.payment(), { signal: leaving.signal });
  leaving.abort();
  await response.text().catch(() => "gone");
  await until(() => counted(shop).losses.gone === 1);
  const broken = await shop
    .send(shop.payment(), { path: "/goods?breaks" })
    .then((sent) => sent.text())
    .catch(() => "broken");
  expect(broken).toBe("broken");
  await until(() => counted(shop).losses.upstream === 1);
  expect(counted(shop)).toEqual({
    stages: { signed: 2, verified: 2, settled: 2 },
    losses: { gone: 1, upstream: 1 },
  });
});

test("a client that leaves before it has a part of the response is not charged from its channel, and can buy again", async () => {
  const channel = await opened();
  const { shop } = channel;
  const [storing, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const keeping = spyOn(shop.responses, "keep").mockImplementationOnce(async () => {
    storing.resolve();
    await stored.promise;
  });
  const leaving = new AbortController();
  const lost = shop.send(channel.payment("voucher", 1000), { signal: leaving.signal }).catch(() => "gone");
  await storing.promise;
  leaving.abort();
  expect(await lost).toBe("gone");
  await until(() => shop.gateway.last()?.gone === true);
  stored.resolve();
  await until(async () => (await recorded(channel, "0"))?.state === "released");
  expect(await channel.row()).toMatchObject({ base: "0", charged: "0", holder: "" });
  keeping.mockRestore();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect(await channel.row()).toMatchObject({ base: "1000", charged: "1000" });
});
