import { afterEach, expect, onTestFinished, test } from "bun:test";
import { watchTimers } from "../../../../lib/testing/timers.ts";
import { until } from "../../../../lib/testing/until.ts";
import { NO_AUTHORIZER, channelNonce } from "../../../../store/channels.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { LEASE_MS, type Reservation } from "../../../../store/ledger.ts";
import { USDC } from "../metered/testing/metered-sale.ts";
import { SharedResponses } from "../responses/shared-responses.ts";
import { closeShops, decoded } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { keyOf, opened, outcome, recorded, ScriptedChannel } from "./testing/scripted-channel.ts";

afterEach(closeShops);

const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
const EXCEEDED = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
const EMPTY = "invalid_batch_settlement_evm_channel_not_found";
const WITHDRAWING = "invalid_batch_settlement_evm_insufficient_balance";
const SIGNATURE = "invalid_batch_settlement_evm_voucher_signature";
const STALE_MS = 300_000;

/** The state of the channel that a challenge shows. */
function shownState(response: Response): unknown {
  const { accepts } = decoded(response, "payment-required") as { accepts?: { extra?: { channelState?: unknown } }[] }; // A challenge.
  return accepts?.[0]?.extra?.channelState;
}

test.each(["1e3", "0x3e8", "1.0", "1 000", "", "01000", "-1000", 1000, null, String(2n ** 128n), "9".repeat(1000)])(
  "a payment with the amount %p is not read, and no channel is looked up",
  async (amount) => {
    const channel = await opened();
    const { voucher } = channel.payment("voucher", 1000).payload;
    const payments = [
      channel.payment("voucher", 1000, { voucher: { ...voucher, maxClaimableAmount: amount } }),
      channel.payment("refund", 1000, { amount }),
      channel.payment("deposit", 1000, { deposit: { amount, authorization: {} } }),
    ];
    for (const payment of payments) expect((await channel.shop.send(payment)).status).toBe(400);
    expect([channel.shop.runs, channel.looks]).toEqual([0, 0]);
  },
);

test("a state that is not fresh is read again first", async () => {
  const channel = await opened();
  channel.shop.clock.now += STALE_MS - 1;
  expect(await outcome(await channel.buy(1000))).toBe(200);
  channel.shop.clock.now += 1;
  expect([channel.looks, await outcome(await channel.buy(2000)), channel.looks]).toEqual([0, 200, 1]);
  expect(await channel.row()).toMatchObject({ syncedAt: channel.shop.clock.now, charged: "2000" });
  channel.shop.clock.now += STALE_MS;
  channel.said = () => ({ kind: "unavailable", cause: "no response" });
  expect(await outcome(await channel.buy(3000))).toEqual([503, "facilitator-unavailable", "5"]);
  expect(channel.counts().losses).toEqual({ facilitator: 1 });
  channel.said = () => ({ kind: "refused", reason: EXCEEDED });
  expect(await outcome(await channel.buy(3000))).toEqual([402, EXCEEDED, null]);
  expect(await channel.row()).toMatchObject({ base: "2000", charged: "2000", holder: "" });
});

test("a voucher that the row covers is looked up although too many payments were refused, and others are not", async () => {
  const channel = await opened();
  channel.said = () => ({ kind: "refused", reason: EXCEEDED });
  for (let i = 0; i < 100; i++) expect(await outcome(await channel.refund(0))).toEqual([402, EXCEEDED, null]);
  channel.said = () => undefined;
  channel.shop.clock.now += STALE_MS;
  // The limit counts in a window of time that this clock has left.
  for (let i = 0; i < 100; i++) channel.shop.desk?.looks.begin("127.0.0.1");
  expect(await outcome(await channel.buy(1000))).toBe(200);
  channel.state = { ...channel.state, balance: 1500n };
  await channel.open();
  expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
  expect(channel.counts().losses).toEqual({ refused: 100, overloaded: 1 });
});

test("a voucher above the known balance is charged if the chain has more", async () => {
  const channel = await opened();
  channel.state = { ...channel.state, balance: 6000n };
  for (const most of [1000, 2000, 3000, 4000, 5000]) expect(await outcome(await channel.buy(most))).toBe(200);
  expect(channel.looks).toBe(0);
  expect([await outcome(await channel.buy(6000)), channel.looks]).toEqual([200, 1]);
  expect(await outcome(await channel.buy(7000))).toEqual([402, EXCEEDED, null]);
  expect(await channel.row()).toMatchObject({ balance: "6000", charged: "6000", holder: "" });
});

test.each([
  ["0", 0n, EMPTY],
  ["0", 999n, EXCEEDED],
] as const)(
  "a channel with the refund nonce %s and %d on the chain refuses with the reason",
  async (_n, balance, why) => {
    const channel = new ScriptedChannel();
    channel.state = { ...channel.state, balance };
    await channel.open();
    expect(await outcome(await channel.buy(1000))).toEqual([402, why, null]);
    expect([channel.looks, channel.shop.runs]).toEqual([1, 0]);
  },
);

test.each([0n, 999n])(
  "after a refund that left %d, a client is corrected, because it may not know of it",
  async (balance) => {
    const channel = new ScriptedChannel();
    channel.state = { ...channel.state, balance, refundNonce: 1n };
    await channel.open();
    const response = await channel.buy(1000);
    expect(shownState(response)).toMatchObject({ balance: String(balance), refundNonce: "1" });
    expect(await outcome(response)).toEqual([402, MISMATCH, null]);
    expect(channel.counts().losses).toEqual({ terms: 1 });
    // Another reason does not come from a refund.
    channel.shop.clock.now += STALE_MS;
    channel.said = () => ({ kind: "refused", reason: SIGNATURE });
    expect(await outcome(await channel.buy(1000))).toEqual([402, SIGNATURE, null]);
  },
);

test.each([
  [EXCEEDED, true],
  [EMPTY, false],
] as const)(
  "a contract's voucher that the chain refuses by %s after a refund is corrected: %p",
  async (reason, isCorrected) => {
    const channel = new ScriptedChannel({ parties: { payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` } });
    channel.state = { ...channel.state, balance: 500n, refundNonce: 1n };
    await channel.open();
    // Only the chain can check its signature, and may not have.
    channel.said = () => ({ kind: "refused", reason });
    expect(await outcome(await channel.buy(1000))).toEqual([402, isCorrected ? MISMATCH : reason, null]);
  },
);

test("a contract's voucher is looked up each time, and a payer with written-off charges is barred", async () => {
  const channel = new ScriptedChannel({ parties: { payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` } });
  await channel.open();
  expect([await outcome(await channel.buy(1000)), channel.looks]).toEqual([200, 1]);
  expect([await outcome(await channel.buy(2000)), channel.looks]).toEqual([200, 2]);
  const { channels } = channel.shop.store;
  const due = { charges: 0, owed: "0", deniable: "0", owedBefore: 0, syncedBefore: 0 };
  expect((await channels.work(due, 1)).length).toBe(1);
  await channels.refuse(channel.id);
  await channels.writeOff(channel.id);
  expect(await outcome(await channel.buy(3000))).toEqual([402, SIGNATURE, null]);
  expect(channel.counts().losses).toEqual({ signature: 1 });
});

test("a payer that withdraws buys nothing, until the time of its withdrawal is over and the channel has money", async () => {
  const channel = await opened();
  const withdrawAt = Math.floor(channel.shop.clock.now / 1000);
  channel.state = { ...channel.state, withdrawRequestedAt: withdrawAt };
  await channel.open();
  const { clock } = channel.shop;
  for (const now of [clock.now, (withdrawAt + 900) * 1000 - 1]) {
    clock.now = now;
    expect(await outcome(await channel.buy(1000))).toEqual([402, WITHDRAWING, null]);
  }
  expect([channel.looks, channel.shop.runs]).toEqual([0, 0]);
  clock.now += 1;
  // The chain still has the withdrawal.
  expect([await outcome(await channel.buy(1000)), channel.looks]).toEqual([[402, WITHDRAWING, null], 1]);
  // Its word is fresh now.
  expect([await outcome(await channel.buy(1000)), channel.looks]).toEqual([[402, WITHDRAWING, null], 1]);
  expect(channel.counts().losses).toEqual({ unfunded: 4 });
  clock.now += STALE_MS;
  channel.said = () => ({ kind: "refused", reason: EMPTY });
  expect(await outcome(await channel.buy(1000))).toEqual([402, EMPTY, null]);
  channel.said = () => undefined;
  channel.state = { ...channel.state, withdrawRequestedAt: 0 };
  expect(await outcome(await channel.buy(1000))).toBe(200);
});

test("a voucher waits for the end of a refund", async () => {
  const channel = await opened({ keys: { wait_ms: 60_000 } });
  const { channels } = channel.shop.store;
  const { id } = channel;
  const leased = await channels.refund(id);
  if (leased === undefined) throw new Error("not leased");
  let isOver = false;
  const buying = channel.buy(1000).finally(() => (isOver = true));
  const { ledger } = channel.shop.store;
  expect(await ledger.find(keyOf(channel, "0"))).toBeUndefined();
  expect(isOver).toBe(false);
  await channels.done(id, leased, channel.shop.clock.now);
  expect(await outcome(await buying)).toBe(200);
});

test("a voucher gets 503 if the refund does not end in time", async () => {
  const channel = await opened({ keys: { wait_ms: 120 } });
  await channel.shop.store.channels.refund(channel.id);
  const startedAt = performance.now();
  expect(await outcome(await channel.buy(1000))).toEqual([503, "overloaded", "1"]);
  expect(performance.now() - startedAt).toBeGreaterThan(100);
  expect([channel.counts().losses, channel.shop.runs]).toEqual([{ overloaded: 1 }, 0]);
});

test.each(["refunding", "closing"] as const)(
  "a voucher for a %s channel counts for no risk while it waits",
  async (standing) => {
    const channel = await opened({ keys: { wait_ms: 300, max_total_risk: "3000" } });
    const { channels } = channel.shop.store;
    const { id } = channel;
    if (standing === "closing") await channels.close(id);
    else await channels.refund(id);
    expect((await channel.row()).standing).toBe(standing);
    // It looks every 50 ms whether the channel is open.
    expect(await outcome(await channel.buy(1000))).toEqual([503, "overloaded", "1"]);
    if (standing === "closing") {
      const due = { charges: 1, owed: "1", deniable: "1", owedBefore: 0, syncedBefore: 0 };
      expect((await channels.work(due, 1)).length).toBe(1);
    }
    await channels.done(id, await channel.row(), channel.shop.clock.now);
    expect(await outcome(await channel.buy(1000))).toBe(200);
  },
);

test("a request leaves no timer of its wait, served or not", async () => {
  const channel = await opened({ keys: { wait_ms: 54_321, max_risk: "1000" } });
  using timers = watchTimers();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
  expect(await outcome(await channel.buy(1500))).toEqual([402, MISMATCH, null]);
  expect(timers.pending(54_321)).toBe(0);
});

test.each([
  ["another request", "of another request", [503, "overloaded", "1"], "overloaded"],
  ["the same request", undefined, [409, "payment-conflict", "1"], "used"],
] as const)("a payment that %s takes right before is refused, and can be sent again", async (_what, by, why, loss) => {
  let isTaken = false;
  const channel = await opened({
    shop: {
      ledger: (real) => ({
        async reserve(wanted, most) {
          if (!isTaken) return real.reserve(wanted, most);
          isTaken = false;
          const taken = await real.reserve({ ...wanted, fingerprint: by ?? wanted.fingerprint }, most);
          const refused = await real.reserve(wanted, most);
          await real.move(taken.payment, { state: "released", lease: false });
          return refused;
        },
      }),
    },
  });
  isTaken = true;
  expect(await outcome(await channel.buy(1000))).toEqual([...why]);
  expect(channel.counts().losses).toEqual({ [loss]: 1 });
  expect(await outcome(await channel.buy(1000))).toBe(200);
});

test("a payment from a channel with an id of another payment is refused, and its channel is free", async () => {
  const channel = await opened();
  const extensions = { "payment-identifier": { info: { id: "an-id-of-16-chars" } } };
  const send = async (most: number, more = extensions): Promise<unknown> =>
    outcome(await channel.shop.send({ ...channel.payment("voucher", most), extensions: more }, { path: `/?${most}` }));
  expect(await send(1000)).toBe(200);
  expect(await send(2000)).toEqual([409, "Payment required", null]);
  expect(await channel.row()).toMatchObject({ base: "1000", charged: "1000", holder: "" });
  const other = { "payment-identifier": { info: { id: "another-id-of-16-chars" } } };
  expect(await send(2000, other)).toBe(200);
  const bad = { "payment-identifier": { info: { id: "short" } } };
  expect(await send(3000, bad)).toEqual([400, "Payment required", null]);
  expect([channel.shop.runs, (await channel.row()).charged]).toEqual([2, "2000"]);
});

test("charges up to the risk of a channel are taken, and no further one", async () => {
  const channel = await opened({ keys: { max_risk: "2000" } });
  for (const most of [1000, 2000]) expect(await outcome(await channel.buy(most))).toBe(200);
  expect(await outcome(await channel.buy(3000))).toEqual([503, "overloaded", "1"]);
  expect(channel.counts().losses).toEqual({ overloaded: 1 });
  expect(await channel.row()).toMatchObject({ charged: "2000", holder: "" });
});

test.each([
  ["of an account", {}],
  // The chain is asked about each of its vouchers.
  ["of a contract", { payerAuthorizer: `0x${NO_AUTHORIZER.slice(2)}` as const }],
])(
  "the first charge of a channel %s can be all that is risked, and the next one waits for a claim",
  async (_w, parties) => {
    const bounds = { max_risk: "1000", max_total_risk: "1000" };
    const channel = await opened({ keys: { ...bounds, contracts: bounds }, parties });
    expect(await outcome(await channel.buy(1000))).toBe(200);
    expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
  },
);

test("without room for the response, nothing is charged", async () => {
  const channel = await opened({ shop: { room: { bufferCount: 0 } } });
  expect(await outcome(await channel.buy(1000))).toEqual([503, "overloaded", "1"]);
  expect([await recorded(channel, "0"), channel.shop.runs]).toEqual([undefined, 0]);
  expect(channel.counts().losses).toEqual({ overloaded: 1 });
});

test("the newest voucher gets its response again for the same request, and an older one is corrected", async () => {
  const channel = await opened();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  await until(async () => (await recorded(channel, "0"))?.delivered === true);
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect([channel.shop.runs, channel.counts().losses]).toEqual([1, { used: 1 }]);
  // The same voucher for another request.
  const other = await channel.buy(1000, "/goods?other");
  expect(shownState(other)).toMatchObject({ chargedCumulativeAmount: "1000" });
  expect(await outcome(other)).toEqual([402, MISMATCH, null]);
  expect(await outcome(await channel.buy(2000))).toBe(200);
  await until(async () => (await recorded(channel, "1000"))?.delivered === true);
  expect(await outcome(await channel.buy(1000))).toEqual([402, MISMATCH, null]);
  expect([channel.shop.runs, (await channel.row()).charged]).toEqual([2, "2000"]);
});

test("a delivered response that is not stored is not sold again by its voucher", async () => {
  const channel = await opened();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  await until(async () => (await recorded(channel, "0"))?.delivered === true);
  const second = new ScriptedChannel({ of: channel });
  expect(await outcome(await second.buy(1000))).toEqual([402, MISMATCH, null]);
  expect([second.shop.runs, (await channel.row()).charged]).toEqual([0, "1000"]);
});

test("the newest voucher gets its response again from another gateway with the same database", async () => {
  const kept = new Map<string, Buffer>();
  const store: KeptResponses = {
    keep: async (key, response) => kept.set(key, Buffer.from(response)).has(key),
    has: async (key) => kept.has(key),
    find: async (key) => kept.get(key),
    sweep: async () => 0,
  };
  const first = await opened();
  const second = new ScriptedChannel({ of: first });
  for (const { shop } of [first, second]) {
    const shared = new SharedResponses({ store, now: () => shop.clock.now, log: () => {} });
    shop.responses.shared = shared;
    onTestFinished(() => shared.close());
  }
  expect(await outcome(await first.buy(1000))).toBe(200);
  await until(async () => (await recorded(first, "0"))?.delivered === true);
  const again = await second.buy(1000);
  expect([again.status, await again.text()]).toEqual([200, "the goods"]);
  expect([second.shop.runs, (await first.row()).charged]).toEqual([0, "1000"]);
});

/** A gateway whose upstream is slow with the query `?1000`. */
async function slowSale(keys: object = {}) {
  const begun: TestExchange[] = [];
  const upstream = (exchange: TestExchange): void => {
    if (exchange.head.query === "?1000") begun.push(exchange);
    else respondWith(exchange, 200, "the goods");
  };
  const channel = await opened({ keys, shop: { upstream } });
  const slow = channel.buy(1000);
  await until(() => begun.length === 1);
  const finish = (): Promise<Response> => {
    for (const exchange of begun) respondWith(exchange, 200, "the goods");
    return slow;
  };
  return { channel, finish };
}

test("while a request is served, the same one and the next voucher get 503, and the next is served afterwards", async () => {
  const { channel, finish } = await slowSale();
  expect(await outcome(await channel.buy(1000))).toEqual([503, "overloaded", "1"]);
  expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
  expect(channel.counts().losses).toEqual({ overloaded: 2 });
  expect((await finish()).status).toBe(200);
  expect(await outcome(await channel.buy(2000))).toBe(200);
  expect(await channel.row()).toMatchObject({ charged: "2000", holder: "" });
});

test("a voucher waits for the earlier request of its channel", async () => {
  const { channel, finish } = await slowSale({ wait_ms: 60_000 });
  const next = channel.buy(2000);
  // A request of another channel of the same gateway does not wait.
  expect((await finish()).status).toBe(200);
  expect(await outcome(await next)).toBe(200);
  expect((await channel.row()).charged).toBe("2000");
});

/** A reservation whose process has died. */
function dead(channel: ScriptedChannel): Reservation {
  return {
    ...keyOf(channel, "0"),
    token: USDC.toLowerCase(),
    scheme: "batch-settlement",
    amount: "1000",
    payTo: channel.config.receiver.toLowerCase(),
    route: "/goods",
    consumer: "",
    fingerprint: "of the dead process",
    validBefore: Math.ceil(channel.shop.clock.now / 1000) + 60,
    payload: "{}",
  };
}

test.each(["reserved", "verified"] as const)(
  "a channel of a process that died with a %s payment is free again",
  async (state) => {
    const channel = await opened();
    const { ledger } = channel.shop.store;
    const { payment } = await ledger.reserve(dead(channel));
    if (state === "verified") await ledger.move(payment, { state, lease: true });
    for (const most of [1000, 2000]) {
      expect(await outcome(await channel.buy(most))).toEqual([503, "overloaded", "1"]);
    }
    channel.shop.clock.now += LEASE_MS + 1;
    expect(await outcome(await channel.buy(1000))).toBe(200);
    expect(await channel.row()).toMatchObject({ charged: "1000", base: "1000", holder: "" });
  },
);

test.each(["settling", "unknown"] as const)(
  "a channel of a process that died with a %s payment is not given away",
  async (state) => {
    const channel = await opened();
    const { ledger } = channel.shop.store;
    const { payment } = await ledger.reserve(dead(channel));
    await ledger.move(payment, { state, lease: true });
    channel.shop.clock.now += LEASE_MS + 1;
    expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
    expect(await channel.row()).toMatchObject({ base: "1000", holder: keyOf(channel, "0").nonce });
  },
);

/** Whether a request with the payment at `base` has its turn at once. */
async function isFree({ shop: { desk }, id }: ScriptedChannel, base: string): Promise<boolean> {
  const tick = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([desk?.turns.enter(id, channelNonce(id, base), 60_000) ?? false, tick]);
}

test("the turn of a corrected client is kept for its next voucher", async () => {
  const channel = await opened();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect(await outcome(await channel.buy(1500))).toEqual([402, MISMATCH, null]);
  expect([await isFree(channel, "500"), await isFree(channel, "1000")]).toEqual([false, true]);
});

test("a refused request gives its turn back", async () => {
  const channel = await opened({ keys: { max_risk: "1000" } });
  expect(await outcome(await channel.buy(1000))).toBe(200);
  expect(await outcome(await channel.buy(2000))).toEqual([503, "overloaded", "1"]);
  expect(await isFree(channel, "0")).toBe(true);
});

test("a voucher beyond the line of its channel is not served", async () => {
  const channel = await opened();
  const turns = channel.shop.desk?.turns;
  await turns?.enter(channel.id, "first", 60_000);
  const waiting = Array.from({ length: 64 }, async (_, i) => {
    await turns?.enter(channel.id, `${i}`, 60_000);
    turns?.leave(channel.id, `${i}`);
  });
  expect(await outcome(await channel.buy(1000))).toEqual([503, "overloaded", "1"]);
  turns?.leave(channel.id, "first");
  await Promise.all(waiting);
  expect(await outcome(await channel.buy(1000))).toBe(200);
});

test("a route without servers begins no work, and corrects a voucher whose work had begun", async () => {
  const channel = await opened();
  expect(await outcome(await channel.buy(1000))).toBe(200);
  const unserved = new ScriptedChannel({ of: channel, shop: { isServed: false } });
  expect(await outcome(await unserved.buy(2000))).toEqual([503, "no-servers", "1"]);
  expect([unserved.counts().losses, await recorded(channel, "1000")]).toEqual([{ no_servers: 1 }, undefined]);
  expect(await outcome(await unserved.buy(1000))).toEqual([402, MISMATCH, null]);
});
