import { afterEach, expect, spyOn, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { until } from "../../../../lib/testing/until.ts";
import { deferralOf } from "../../../../payments/settlement/deferral.ts";
import { type ChannelSettlement } from "../../../../payments/x402/channel-facilitator.ts";
import { RECHECK_MS } from "../../../../store/ledger.ts";
import { opened, outcome, recorded, ScriptedChannel } from "../channels/testing/scripted-channel.ts";
import { closeShops, decoded } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";

afterEach(closeShops);

const REFUSED = "invalid_batch_settlement_evm_deposit_transaction_failed";
const TRANSACTION = `0x${"ab".repeat(32)}`;

/** Works on after its response. */
const workOn = (exchange: TestExchange): void =>
  respondWith(exchange, 200, "the goods", fieldLine("Settlement-Deferral", '{"path":"/charges/1"}'));

/** A channel without money. */
function unfunded(upstream: (exchange: TestExchange) => void): ScriptedChannel {
  const channel = new ScriptedChannel({ shop: { upstream } });
  channel.state = { ...channel.state, balance: 0n };
  return channel;
}

test("a deposit for work that is charged later is made before the client has the response, and only once", async () => {
  const channel = unfunded(workOn);
  const response = await channel.deposit(1000, 10_000);
  expect([response.status, await response.text(), response.headers.get("payment-response")]).toEqual([
    200,
    "the goods",
    null,
  ]);
  expect(channel.orders.map(({ payload }) => payload.type)).toEqual(["deposit"]);
  expect(await channel.row()).toMatchObject({ balance: "10000", base: "1000", charged: "0" });
  await until(async () => (await recorded(channel, "0"))?.delivered === true);
  const row = await recorded(channel, "0");
  expect(row).toMatchObject({ state: "deferred", facilitator: "", bodyDigest: "0:" });
  expect(row && deferralOf(row)).toMatchObject({ path: "/charges/1", quote: "1000", due: "0" });
  expect(channel.counts()).toEqual({
    stages: { signed: 1, verified: 1, settled: 1, delivered: 1 },
    losses: {},
  });
});

test.each(["later", "with its response"])(
  "a deposit that is refused sells no work that is charged %s, and its channel is free",
  async (when) => {
    const channel = unfunded(when === "later" ? workOn : (exchange) => respondWith(exchange, 200, "the goods"));
    channel.made = () => ({ kind: "refused", reason: REFUSED });
    const refused = await channel.deposit(1000, 10_000);
    expect([refused.status, decoded(refused, "payment-response")]).toMatchObject([
      402,
      { success: false, errorReason: REFUSED },
    ]);
    expect(await recorded(channel, "0")).toMatchObject({ state: "failed", reason: REFUSED, amount: "1000" });
    expect(await channel.row()).toMatchObject({ base: "0", charged: "0", holder: "" });
    channel.made = () => undefined;
    expect(await outcome(await channel.deposit(1000, 10_000))).toBe(200);
    expect(channel.shop.runs).toBe(2);
  },
);

test.each([
  ["later", 2],
  // Its response is stored.
  ["with its response", 1],
])(
  "a deposit without a result for work that is charged %s pays for the body that it came with, and no other",
  async (when, runs) => {
    const sold: string[] = [];
    const channel = unfunded((exchange) => {
      const read: Buffer[] = [];
      exchange.body.readTo({
        data: (chunk, start = 0, end = chunk.length) => read.push(Buffer.from(chunk.subarray(start, end))) > 0,
        end() {
          sold.push(Buffer.concat(read).toString());
          if (when === "later") workOn(exchange);
          else respondWith(exchange, 200, "the goods");
        },
        abort() {},
      });
    });
    channel.made = () => ({ kind: "unknown", cause: "no response", transaction: TRANSACTION });
    const payment = channel.depositPayment(1000, 10_000);
    const send = async (body: string): Promise<unknown> =>
      outcome(await channel.shop.send(payment, { method: "POST", body }));
    expect(await send("cheap")).toEqual([503, "settlement-pending", "5"]);
    expect(await recorded(channel, "0")).toMatchObject({ state: "unknown", transaction: TRANSACTION });
    channel.state = { ...channel.state, balance: 10_000n };
    channel.shop.clock.now += RECHECK_MS + 1;
    for (const body of ["other", "dearer", ""]) expect(await send(body)).toEqual([409, "Payment required", null]);
    expect(await send("cheap")).toBe(200);
    expect([sold.filter((body) => body === "cheap").length, channel.orders.length]).toEqual([runs, 1]);
    await until(async () => (await recorded(channel, "0"))?.delivered === true);
    const charged = when === "later" ? "0" : "1000";
    expect(await channel.row()).toMatchObject({ charged, base: "1000", holder: "" });
  },
);

test("the channel has the chain's state after a deposit; without it, its money and the deposit, as old as it was", async () => {
  const channel = await opened();
  const { clock } = channel.shop;
  const openedAt = clock.now;
  channel.made = (): ChannelSettlement => ({ kind: "settled", transaction: TRANSACTION, amount: "10000" });
  clock.now += 1000;
  expect(await outcome(await channel.deposit(1000, 10_000))).toBe(200);
  expect(await channel.row()).toMatchObject({ balance: "15000", syncedAt: openedAt, charged: "1000" });
  channel.made = () => undefined;
  channel.state = { ...channel.state, balance: 20_000n };
  expect(await outcome(await channel.deposit(2000, 10_000))).toBe(200);
  expect(await channel.row()).toMatchObject({ balance: "30000", syncedAt: openedAt + 1000, charged: "2000" });
});

test("a deposit that the ledger does not record has no result yet, and its response is owed", async () => {
  const channel = unfunded((exchange) => respondWith(exchange, 200, "the goods"));
  const failing = spyOn(channel.shop.store.channels, "sync").mockRejectedValueOnce(new Error("disk full"));
  const payment = channel.depositPayment(1000, 10_000);
  expect(await outcome(await channel.shop.send(payment))).toEqual([503, "settlement-pending", "5"]);
  failing.mockRestore();
  expect(channel.shop.logged.join()).toContain("the settlement failed unexpectedly");
  channel.shop.clock.now += RECHECK_MS + 1;
  expect(await outcome(await channel.shop.send(payment))).toBe(200);
  expect([channel.orders.length, (await channel.row()).charged]).toEqual([1, "1000"]);
});

test("a facilitator without channels takes no deposit, and says nothing about one without a result", async () => {
  const channel = await opened();
  const without = new ScriptedChannel({ of: channel, shop: { facilitator: () => ({ channels: undefined }) } });
  expect(await outcome(await without.deposit(1000, 10_000))).toEqual([503, "facilitator-unavailable", "5"]);
  expect([await recorded(channel, "0"), without.shop.runs]).toEqual([undefined, 0]);
  expect(without.shop.logged.join()).toContain("the facilitator knows no channels");
  channel.made = () => ({ kind: "unknown", cause: "no response", transaction: "" });
  const payment = channel.depositPayment(1000, 10_000);
  expect(await outcome(await channel.shop.send(payment))).toEqual([503, "settlement-pending", "5"]);
  for (const { shop } of [channel, without]) shop.clock.now += RECHECK_MS + 1;
  expect(await outcome(await without.shop.send(payment))).toEqual([503, "settlement-pending", "5"]);
  expect(await recorded(channel, "0")).toMatchObject({ state: "unknown" });
  expect(await outcome(await channel.shop.send(payment))).toBe(200);
});
