import { afterEach, expect, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { type ChannelSettlement, type ChannelVerification } from "../../../../payments/x402/channel-facilitator.ts";
import { closeShops, decoded, errorOf } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { outcome, ScriptedChannel } from "./testing/scripted-channel.ts";

afterEach(closeShops);

const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
const NO_BALANCE = "invalid_batch_settlement_evm_refund_no_balance";
const INVALID = "invalid_batch_settlement_evm_refund_amount_invalid";
const ABSENT = "invalid_batch_settlement_evm_channel_not_found";
const REVERTED = "invalid_batch_settlement_evm_refund_transaction_failed";

/** A channel with 5,000 of which 2,000 are charged. */
async function charged(options: ConstructorParameters<typeof ScriptedChannel>[0] = {}): Promise<ScriptedChannel> {
  const channel = new ScriptedChannel(options);
  await channel.open();
  for (const most of [1000, 2000]) expect((await channel.buy(most)).status).toBe(200);
  return channel;
}

const refundsOf = ({ orders }: ScriptedChannel): unknown[] =>
  orders.map(({ payload }) => (payload.type === "refund" ? payload.amount : payload.type));

test.each([
  [undefined, 3000],
  [3000, 3000],
  [1, 1],
])("a refund of %p pays %d back, claims the charges, and is confirmed with the new state", async (asked, paid) => {
  const channel = await charged();
  channel.shop.clock.now += 1000;
  const response = await channel.refund(2000, asked);
  expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-store",
  ]);
  expect(await response.json()).toEqual({ message: "Refund acknowledged", channelId: channel.id });
  expect(refundsOf(channel)).toEqual([String(paid)]);
  const balance = String(5000 - paid);
  expect(decoded(response, "payment-response")).toMatchObject({
    success: true,
    transaction: `0x${"ab".repeat(32)}`,
    network: "eip155:84532",
    payer: channel.payer.address.toLowerCase(),
    amount: String(paid),
    extra: { channelState: { balance, totalClaimed: "2000", refundNonce: "1", chargedCumulativeAmount: "2000" } },
  });
  const row = { standing: "open", balance, claimed: "2000", refundNonce: "1", syncedAt: channel.shop.clock.now };
  expect(await channel.row()).toMatchObject(row);
  // A refund is not a sale.
  expect(channel.counts()).toMatchObject({ stages: { free: 1, delivered: 2 }, losses: {} });
  if (paid === 1) expect((await channel.buy(3000)).status).toBe(200);
});

test.each([
  [0, INVALID],
  [3001, INVALID],
])("a refund of %d is refused, and the channel is open again", async (amount, reason) => {
  const channel = await charged();
  expect(await outcome(await channel.refund(2000, amount))).toEqual([402, reason, null]);
  expect([channel.orders, (await channel.row()).standing]).toEqual([[], "open"]);
  expect(channel.counts().losses).toEqual({ refused: 1 });
  expect((await channel.buy(3000)).status).toBe(200);
});

test("a channel whose money is all charged pays nothing back", async () => {
  const channel = await charged();
  channel.state = { ...channel.state, balance: 2000n };
  for (const amount of [undefined, 1]) {
    expect(await outcome(await channel.refund(2000, amount))).toEqual([402, NO_BALANCE, null]);
  }
  expect(await channel.row()).toMatchObject({ standing: "open", balance: "2000" });
  expect(channel.orders).toEqual([]);
});

test.each([1000, 3000])("a refund at the old or invented state %d is corrected, and sends nothing", async (most) => {
  const channel = await charged();
  const response = await channel.refund(most);
  expect([response.status, errorOf(response)]).toEqual([402, MISMATCH]);
  expect(decoded(response, "payment-required")).toMatchObject({
    accepts: [{ extra: { channelState: { chargedCumulativeAmount: "2000" } } }],
  });
  expect([channel.orders, channel.counts().losses]).toEqual([[], { terms: 1 }]);
  expect((await channel.row()).standing).toBe("open");
});

test("a channel without a row is looked up on the chain", async () => {
  const channel = new ScriptedChannel();
  channel.state = { ...channel.state, totalClaimed: 2000n };
  expect((await channel.refund(2000)).status).toBe(200);
  expect(refundsOf(channel)).toEqual(["3000"]);
});

const NO_CHANNEL: readonly (readonly [string, ChannelVerification, unknown[], object])[] = [
  ["that the chain does not have", { kind: "refused", reason: ABSENT }, [402, ABSENT, null], { refused: 1 }],
  [
    "on a chain that cannot be asked",
    { kind: "unavailable", cause: "no response" },
    [503, "facilitator-unavailable", "5"],
    { facilitator: 1 },
  ],
];

test.each(NO_CHANNEL)("a refund of a channel %s gets the reason", async (_what, said, expected, losses) => {
  const channel = new ScriptedChannel();
  channel.said = () => said;
  expect(await outcome(await channel.refund(0))).toEqual(expected);
  expect([channel.orders, channel.counts().losses]).toEqual([[], losses]);
});

test.each(NO_CHANNEL)("a known channel %s stays open, as it was", async (_what, said, expected, losses) => {
  const channel = await charged();
  channel.shop.clock.now += 1000;
  const before = await channel.row();
  channel.said = () => said;
  expect(await outcome(await channel.refund(2000))).toEqual(expected);
  expect(await channel.row()).toMatchObject({ standing: "open", balance: "5000", syncedAt: before.syncedAt });
  expect([channel.orders, channel.counts().losses]).toEqual([[], losses]);
});

test("a failure of the question to the chain leaves the channel open", async () => {
  const channel = await charged();
  channel.said = () => Promise.reject(new Error("broken"));
  expect(await outcome(await channel.refund(2000))).toEqual([503, "facilitator-unavailable", "5"]);
  expect((await channel.row()).standing).toBe("open");
});

const UNPROVEN: ChannelVerification = { kind: "refused", reason: "invalid_batch_settlement_evm_voucher_signature" };

test.each([true, false])(
  "after 100 refused questions to the chain, no refund is looked up (known: %p)",
  async (known) => {
    const channel = known ? await charged() : new ScriptedChannel();
    channel.said = () => UNPROVEN;
    for (let i = 0; i < 100; i++) expect((await channel.refund(2000)).status).toBe(402);
    channel.said = () => undefined;
    channel.looks = 0;
    expect(await outcome(await channel.refund(2000))).toEqual([503, "overloaded", "5"]);
    expect([channel.looks, channel.counts().losses]).toEqual([0, { refused: 100, overloaded: 1 }]);
    if (known) expect((await channel.row()).standing).toBe("open");
  },
);

test("no refund is made while a request or another refund uses the channel", async () => {
  let finish: (() => void) | undefined;
  const upstream = (exchange: TestExchange): void => {
    if (exchange.head.query === "?3000") finish = () => respondWith(exchange, 200, "the goods");
    else respondWith(exchange, 200, "the goods");
  };
  const channel = await charged({ shop: { upstream } });
  const slow = channel.buy(3000);
  await until(() => finish !== undefined);
  expect(await outcome(await channel.refund(3000))).toEqual([503, "overloaded", "5"]);
  expect([channel.orders, channel.counts().losses]).toEqual([[], { overloaded: 1 }]);
  finish?.();
  expect((await slow).status).toBe(200);

  await channel.shop.store.channels.refund(channel.id);
  expect(await outcome(await channel.refund(3000))).toEqual([503, "overloaded", "5"]);
  const { balance, claimed, withdrawAt, refundNonce } = await channel.row();
  const { now } = channel.shop.clock;
  await channel.shop.store.channels.done(channel.id, { balance, claimed, withdrawAt, refundNonce }, now);
  expect((await channel.refund(3000)).status).toBe(200);
  expect(refundsOf(channel)).toEqual(["2000"]);
});

/** Whether a request for the channel has its turn at once. */
async function isFree({ shop: { desk }, id }: ScriptedChannel): Promise<boolean> {
  const tick = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([desk?.turns.enter(id, "next", 60_000) ?? false, tick]);
}

test("a refund gives its turn back, and gets none if too many requests wait", async () => {
  const channel = await charged();
  expect((await channel.refund(2000, 1000)).status).toBe(200);
  expect(await isFree(channel)).toBe(true);
  const turns = channel.shop.desk?.turns;
  const waiting = Array.from({ length: 64 }, async (_, i) => {
    await turns?.enter(channel.id, `${i}`, 60_000);
    turns?.leave(channel.id, `${i}`);
  });
  expect(await outcome(await channel.refund(2000))).toEqual([503, "overloaded", "5"]);
  expect(channel.counts().losses).toEqual({ overloaded: 1 });
  turns?.leave(channel.id, "next");
  await Promise.all(waiting);
  expect((await channel.refund(2000)).status).toBe(200);
  expect(refundsOf(channel)).toEqual(["1000", "2000"]);
});

test("a refund is refused if the chain has claimed more than the row knows", async () => {
  const channel = await charged();
  channel.state = { ...channel.state, totalClaimed: 2500n };
  expect(await outcome(await channel.refund(2000))).toEqual([402, MISMATCH, null]);
  expect(await channel.row()).toMatchObject({ standing: "open", base: "2500", claimed: "2500" });
  expect([channel.orders, channel.counts().losses]).toEqual([[], { refused: 1 }]);
});

const UNSURE = { kind: "unknown", cause: "no response", transaction: "" } as const;
const OPEN = "payment: a refund of a channel on /goods is open: no response";

const PENDING = [503, "settlement-pending", "5"];

test.each<{
  readonly result: string;
  readonly made: () => ChannelSettlement;
  readonly expected: unknown[];
  readonly losses: object;
  readonly standing: string;
  readonly logged?: string[];
}>([
  {
    result: "refused",
    made: () => ({ kind: "refused", reason: ABSENT }),
    expected: [402, ABSENT, null],
    losses: { refused: 1 },
    standing: "open",
  },
  {
    // Anyone can send the signed order of a failed transaction.
    result: "reverted",
    made: () => ({ kind: "refused", reason: REVERTED }),
    expected: [402, REVERTED, null],
    losses: { refused: 1 },
    standing: "refunding",
  },
  {
    result: "not known",
    made: () => UNSURE,
    expected: PENDING,
    losses: { unknown: 1 },
    standing: "refunding",
    logged: [OPEN],
  },
  {
    result: "not sent",
    made: () => ({ ...UNSURE, isUnsent: true }),
    expected: PENDING,
    losses: { unknown: 1 },
    standing: "open",
    logged: [OPEN],
  },
  {
    result: "lost by a defect",
    made: () => {
      throw new Error("broken");
    },
    expected: PENDING,
    losses: { unknown: 1 },
    standing: "refunding",
  },
])("the order of a refund is $result", async ({ made, expected, losses, standing, logged = [] }) => {
  const channel = await charged();
  channel.shop.clock.now += 1000;
  channel.made = made;
  expect(await outcome(await channel.refund(2000))).toEqual(expected);
  expect([channel.orders.length, channel.counts().losses, channel.shop.logged]).toEqual([1, losses, logged]);
  expect(await channel.row()).toMatchObject({ standing, balance: "5000", refundNonce: "0" });
  // Money that may be on its way back pays for nothing.
  expect((await channel.buy(3000)).status).toBe(standing === "open" ? 200 : 503);
});

test("a refund whose new state is not known is confirmed, and its channel stays closed until it is", async () => {
  const channel = await charged();
  channel.made = () => ({ kind: "settled", transaction: "0x1", amount: "3000", state: undefined });
  const response = await channel.refund(2000);
  expect(decoded(response, "payment-response")).toMatchObject({
    amount: "3000",
    extra: { channelState: { balance: "5000" } },
  });
  expect(await channel.row()).toMatchObject({ standing: "refunding", balance: "5000" });
});
