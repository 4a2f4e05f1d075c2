import { afterEach, expect, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { USDC } from "../metered/testing/metered-sale.ts";
import { closeShops } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { opened, outcome, recorded, ScriptedChannel } from "./testing/scripted-channel.ts";

afterEach(closeShops);

const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
const EXCEEDED = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
const SIGNATURE = "invalid_batch_settlement_evm_voucher_signature";

test("a voucher of a channel with a fresh state is charged without a look at the chain", async () => {
  const channel = await opened();
  channel.shop.clock.now = 1_800_000_000_500;
  await channel.open();
  const voucher = channel.payment("voucher", 1000) as { payload: { voucher: object } }; // A payment has it.
  expect((await channel.shop.send(voucher)).status).toBe(200);
  expect(await recorded(channel, "0")).toMatchObject({
    scheme: "batch-settlement",
    state: "settled",
    amount: "1000",
    token: USDC.toLowerCase(),
    payTo: channel.config.receiver.toLowerCase(),
    route: "/goods",
    consumer: channel.payer.address.toLowerCase(),
    validBefore: 1_800_000_001 + 60,
  });
  expect([channel.looks, channel.orders]).toEqual([0, []]);
  expect(await channel.row()).toMatchObject({ base: "1000", charged: "1000", signed: "1000", holder: "" });
  await until(() => channel.counts().stages.delivered === 1);
});

test.each([
  ["below the price", 999n],
  ["with too many digits", 10n ** 30n],
])("a voucher %s is corrected, although its channel is there", async (_what, most) => {
  const channel = new ScriptedChannel();
  channel.state = { ...channel.state, balance: 10n ** 30n - 1n, totalClaimed: most > 1000n ? most - 1000n : 0n };
  await channel.open();
  expect(await outcome(await channel.buy(most))).toEqual([402, MISMATCH, null]);
  expect([channel.shop.runs, channel.counts().losses]).toEqual([0, { terms: 1 }]);
});

test("a voucher with the most digits is charged", async () => {
  const channel = new ScriptedChannel();
  const most = 10n ** 30n - 1n;
  channel.state = { ...channel.state, balance: most, totalClaimed: most - 1000n };
  await channel.open();
  expect(await outcome(await channel.buy(most))).toBe(200);
  expect((await channel.row()).charged).toBe(String(most));
});

test("a voucher of exactly the price begins a channel", async () => {
  const channel = new ScriptedChannel();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect([channel.looks, (await channel.row()).charged]).toEqual([1, "1000"]);
});

test("a deposit pays with the money that it brings", async () => {
  const payloads: Promise<unknown>[] = [];
  const upstream = (exchange: TestExchange): void => {
    const base = exchange.head.query === "?1000" ? "0" : "1000";
    payloads.push(recorded(channel, base).then((payment) => JSON.parse(payment?.payload ?? "")));
    respondWith(exchange, 200, "the goods");
  };
  const channel = new ScriptedChannel({ shop: { upstream } });
  channel.state = { ...channel.state, balance: 0n };
  expect(await outcome(await channel.deposit(1000, 10_000))).toBe(200);
  expect(channel.orders.map(({ payload }) => payload.type)).toEqual(["deposit"]);
  expect(await channel.row()).toMatchObject({ balance: "10000", charged: "1000", signed: "1000" });
  expect(await outcome(await channel.buy(2000))).toBe(200);
  const { signature } = await channel.row();
  // The whole deposit is needed to look up its outcome later; of a voucher, what a claim needs.
  expect(await Promise.all(payloads)).toEqual([
    expect.objectContaining({ x402Version: 2, payload: expect.objectContaining({ type: "deposit" }) }),
    { payload: { voucher: { maxClaimableAmount: "2000", signature } } },
  ]);
});

test("a deposit too small for its voucher is refused", async () => {
  const channel = await opened();
  channel.state = { ...channel.state, balance: 0n };
  channel.shop.clock.now += 1;
  await channel.open();
  expect(await outcome(await channel.deposit(1000, 999))).toEqual([402, EXCEEDED, null]);
  expect([channel.orders, channel.shop.runs]).toEqual([[], 0]);
});

test.each([
  [{ amount: "5000" }, "price"],
  [{ network: "eip155:1" }, "network"],
])("a payment for other terms, %j, is refused as one of %s", async (change, loss) => {
  const channel = await opened();
  const payment = channel.payment("voucher", 1000) as { accepted: object }; // A payment has it.
  const response = await channel.shop.send({ ...payment, accepted: { ...payment.accepted, ...change } });
  expect(await outcome(response)).toEqual([402, "No matching payment requirements", null]);
  expect(channel.counts().losses).toEqual({ [loss]: 1 });
});

test.each([
  ["receiver", { receiver: `0x${"1".repeat(40)}` }, "invalid_batch_settlement_evm_receiver_mismatch"],
  ["token", { token: `0x${"1".repeat(40)}` }, "invalid_batch_settlement_evm_token_mismatch"],
  ["delay", { withdrawDelay: 901 }, "invalid_batch_settlement_evm_withdraw_delay_mismatch"],
] as const)("a channel with another %s than the route's is refused", async (_what, parties, reason) => {
  const channel = new ScriptedChannel({ parties });
  expect(await outcome(await channel.buy(1000))).toEqual([402, reason, null]);
  expect([channel.looks, channel.counts().losses]).toEqual([0, { terms: 1 }]);
});

test("a voucher that another key has signed is refused, before its channel is looked up", async () => {
  const channel = new ScriptedChannel();
  const other = new ScriptedChannel();
  const { payload } = channel.payment("voucher", 1000) as { payload: { voucher: object } }; // A payment has it.
  const forged = other.payment("voucher", 1000) as { payload: { voucher: { signature: string } } };
  const voucher = { ...payload.voucher, signature: forged.payload.voucher.signature };
  const response = await channel.shop.send(channel.payment("voucher", 1000, { voucher }));
  expect(await outcome(response)).toEqual([402, SIGNATURE, null]);
  expect([channel.looks, channel.counts().losses]).toEqual([0, { signature: 1 }]);
});
