/** Deposits whose payments are charged later, for the work that an upstream begins. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { until } from "../../../../lib/testing/until.ts";
import { deferralOf } from "../../../../payments/settlement/deferral.ts";
import { Collector } from "../../../../payments/settlement/collector.ts";
import { type ChannelSettlement } from "../../../../payments/x402/channel-facilitator.ts";
import { type Outcome } from "../../../../payments/x402/facilitator.ts";
import { type Ledger, LEASE_MS } from "../../../../store/ledger.ts";
import { type OnNewStore, onEachStore } from "../testing/on-each-store.ts";
import { closeShops, type ShopOptions } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { recorded, ScriptedChannel } from "./testing/scripted-channel.ts";

afterEach(closeShops);

const LOST: ChannelSettlement = { kind: "unknown", cause: "no response", transaction: "" };

/** An upstream that works on after its response. */
function workOn(exchange: TestExchange): void {
  respondWith(exchange, 202, "job", fieldLine("Settlement-Deferral", `{"path":"/charges/1"}`));
}

let onNewStore: OnNewStore;

/** A new channel without money, of whose payments an upstream is paid later. */
function opened(shop: ShopOptions = {}, of?: ScriptedChannel): ScriptedChannel {
  const channel = new ScriptedChannel({
    shop: { upstream: workOn, ...(of === undefined ? onNewStore() : {}), ...shop },
    ...(of === undefined ? {} : { of }),
  });
  channel.state = { ...channel.state, balance: 0n };
  return channel;
}

/** The first payment and its channel, as the ledger has them. */
async function books(channel: ScriptedChannel): Promise<unknown> {
  const payment = await recorded(channel, "0");
  const { base, charged, holder } = await channel.row();
  const { quote, due } = (payment && deferralOf(payment)) ?? {};
  return { state: payment?.state, quote, due, base, charged, holder };
}

const DEFERRED = { state: "deferred", quote: "1000", due: "0", base: "1000", charged: "0", holder: "" };

/** A payment whose deposit has no result, and the process that makes later charges. `outcome`: what the chain says of the deposit. */
async function lostDeposit() {
  const channel = opened();
  channel.made = () => LOST;
  expect((await channel.deposit(1000, 5000)).status).toBe(503);
  const { store, clock } = channel.shop;
  const calls: unknown[] = [];
  const chain: { outcome: Outcome } = { outcome: { kind: "unspent" } };
  const collector = new Collector({
    ledger: store.ledger,
    upstream: () => async (path, value) => {
      calls.push([path, value]);
      return { status: 200, json: { due: "400", ended: true } };
    },
    facilitator: () => {
      throw new Error("no charge of a channel is settled");
    },
    outcomeOf: async () => chain.outcome,
    testMode: () => false,
    notice: () => undefined,
    onTrouble() {},
    clock: () => clock.now,
    log() {},
  });
  const round = async (outcome: Outcome): Promise<void> => {
    chain.outcome = outcome;
    clock.now += 30_000;
    await collector.round();
  };
  return { channel, calls, round, dispose: () => collector.close() };
}

/** Of a process that dies after its deposit is made. */
const dead = (real: Ledger): Partial<Ledger> => ({
  move: (held, change) => (change.state === "deferred" ? new Promise(() => {}) : real.move(held, change)),
});

onEachStore((newStore) => {
  beforeAll(() => {
    onNewStore = newStore;
  });

  test("a deposit whose result was lost is looked up, and its payment is charged later, and not whole", async () => {
    const channel = opened();
    channel.made = () => LOST;
    const payment = channel.depositPayment(1000, 5000);
    expect((await channel.shop.send(payment)).status).toBe(503);
    await until(async () => (await recorded(channel, "0"))?.state === "unknown");
    channel.state = { ...channel.state, balance: 5000n };
    const again = await channel.shop.send(payment);
    expect([again.status, await again.text(), again.headers.get("payment-response")]).toEqual([202, "job", null]);
    await until(async () => (await recorded(channel, "0"))?.delivered === true);
    expect(channel.shop.lastUpstreamFields).toContain("Settlement-Deferral: ");
    expect(await books(channel)).toEqual(DEFERRED);
    expect(await channel.row()).toMatchObject({ balance: "5000" });
  });

  test("a deposit without a result is looked up also without its client, and its work is charged as far as it went", async () => {
    const { channel, calls, round, dispose } = await lostDeposit();
    await round({ kind: "unspent" });
    await round({ kind: "unknown", cause: "no node" });
    expect([(await recorded(channel, "0"))?.state, calls]).toEqual(["unknown", []]);
    await round({ kind: "settled", transaction: "", payer: channel.payer.address });
    expect(await books(channel)).toEqual(DEFERRED);
    await round({ kind: "unspent" });
    expect(await books(channel)).toEqual({ ...DEFERRED, state: "settled", due: "400", base: "400", charged: "400" });
    expect(calls).toEqual([
      ["/charges/1", { paid: "0" }],
      ["/charges/1", { paid: "400", closed: true }],
    ]);
    await dispose();
  });

  test("if a deposit was not made, the upstream learns that nothing is paid, and its channel is free", async () => {
    const { channel, calls, round, dispose } = await lostDeposit();
    await round({ kind: "void" });
    expect(await books(channel)).toMatchObject({ state: "failed", base: "0", charged: "0", holder: "" });
    expect(calls).toEqual([["/charges/1", { paid: "0", closed: true }]]);
    await dispose();
  });

  test("a deposit is recorded before it is made, and one that is refused ends its payment", async () => {
    const steps: unknown[] = [];
    const channel = opened({
      ledger: (real) => ({
        move: (held, change) => {
          steps.push(change.state);
          return real.move(held, change);
        },
      }),
    });
    channel.made = () => {
      steps.push("made");
      return { kind: "refused", reason: "invalid_batch_settlement_evm_deposit_transaction_failed" };
    };
    expect((await channel.deposit(1000, 5000)).status).toBe(402);
    expect(steps).toEqual(["verified", "settling", "made", "failed"]);
    expect(await channel.row()).toMatchObject({ base: "0", charged: "0", holder: "" });
  });

  test("a payment whose process died after its deposit gets its response from another one, and is charged later", async () => {
    const first = opened({ ledger: dead });
    const payment = first.depositPayment(1000, 5000);
    const abandoned = first.shop.send(payment).catch(() => {});
    await until(() => first.orders.length === 1);
    first.shop.clock.now += LEASE_MS + 1;
    const second = opened({}, first);
    second.state = first.state;
    second.shop.clock.now = first.shop.clock.now;
    const again = await second.shop.send(payment);
    expect([again.status, await again.text(), second.orders]).toEqual([202, "job", []]);
    await until(async () => (await recorded(second, "0"))?.delivered === true);
    expect(await books(second)).toEqual(DEFERRED);
    await closeShops();
    await abandoned;
  });
});
