/** Payments from channels whose route is sold on other terms since. */
import { afterEach, expect, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { until } from "../../../../lib/testing/until.ts";
import { type Ledger, LEASE_MS, type Payment } from "../../../../store/ledger.ts";
import { NETWORK } from "../metered/testing/metered-sale.ts";
import { type OnNewStore, onEachStore } from "../testing/on-each-store.ts";
import { closeShops, type ShopOptions } from "../testing/shop.ts";
import { respondWith, type TestExchange } from "../testing/test-gateway.ts";
import { recorded, ScriptedChannel } from "./testing/scripted-channel.ts";

afterEach(closeShops);

/** Of a process that dies before it can record a delivery. */
const dead = (real: Ledger): Partial<Ledger> => ({
  move: (held, change) => (change.delivered === undefined ? real.move(held, change) : new Promise(() => {})),
});

/** An upstream that works on after its response. */
function workOn(exchange: TestExchange): void {
  respondWith(exchange, 202, "job", fieldLine("Settlement-Deferral", `{"path":"/charges/1"}`));
}

const METER = { unit: "event", units: 3, pause_s: 30 } as const;
const CHANGES = [
  ["costs more", { price: "2000" }],
  ["costs less", { price: "500" }],
  ["sells by the unit", { meter: METER }],
  ["takes no payments from channels", { scheme: "exact" }],
] as const;

const KINDS = { current: ["batch-settlement", "exact"].map((scheme) => ({ scheme, network: NETWORK })) };

/** Terms that a route never had. */
const OTHER: Readonly<Record<string, object>> = {
  network: { network: "eip155:1\0" },
  asset: { asset: "0x\0" },
  amount: { amount: "999" },
};

/** A deposit that has paid for a request, whose gateway has died, and the gateway that follows it. */
async function followed(onNewStore: OnNewStore, terms: ShopOptions["terms"], upstream?: ShopOptions["upstream"]) {
  const options = upstream === undefined ? {} : { upstream };
  const first = new ScriptedChannel({ shop: { ...onNewStore(), ...options, ledger: dead } });
  first.state = { ...first.state, balance: 0n };
  const payment = first.depositPayment(1000, 5000);
  await (await first.shop.send(payment)).text();
  first.shop.clock.now += LEASE_MS + 1;
  const second = new ScriptedChannel({ of: first, shop: { ...options, kinds: KINDS, terms: terms ?? {} } });
  second.state = first.state;
  second.shop.clock.now = first.shop.clock.now;
  return { payment, second };
}

onEachStore((onNewStore) => {
  test.each(CHANGES)("a charged request gets its response, once, although its route now %s", async (_how, terms) => {
    const { payment, second } = await followed(onNewStore, terms);
    const { shop } = second;
    expect((await shop.send(payment, { path: "/goods/other" })).status).toBe(402);
    expect(shop.runs).toBe(0);
    const again = await shop.send(payment);
    expect([again.status, await again.text()]).toEqual([200, "the goods"]);
    await until(async () => (await recorded(second, "0"))?.delivered === true);
    expect([await second.row(), second.orders]).toMatchObject([{ base: "1000", charged: "1000", holder: "" }, []]);
    expect([(await second.buy(2000)).status, shop.runs]).toEqual([402, 1]);
  });

  test.each(CHANGES)("work goes on for its charge although its route now %s", async (_how, terms) => {
    const { payment, second } = await followed(onNewStore, terms, workOn);
    const again = await second.shop.send(payment);
    expect([again.status, await again.text()]).toEqual([202, "job"]);
    await until(async () => (await recorded(second, "0"))?.delivered === true);
    expect(await recorded(second, "0")).toMatchObject({ state: "deferred", amount: "1000" });
    expect(await second.row()).toMatchObject({ base: "1000", charged: "0" });
  });

  test("a payment whose work ends without a result while it is looked up begins none without servers", async () => {
    const first = new ScriptedChannel({ shop: onNewStore() });
    expect((await first.buy(1000)).status).toBe(200);
    const payment = first.payment("voucher", 2000);
    let looks = 0;
    const ledger = (real: Ledger): Partial<Ledger> => ({
      // A standing payment has all members of its reservation.
      find: async (key) => ((looks += 1) === 1 ? ({ ...key, state: "settling" } as Payment) : await real.find(key)),
    });
    const second = new ScriptedChannel({ of: first, shop: { isServed: false, ledger } });
    second.state = first.state;
    expect([(await second.shop.send(payment)).status, second.shop.runs, looks]).toEqual([503, 0, 1]);
  });

  test.each([[{ toString: 1 }], [[900]], ["899"], ["x"], [null], [true]])(
    "a payment that names the delay %j is refused",
    async (delay) => {
      const channel = new ScriptedChannel({ shop: onNewStore() });
      const { shop, requirements } = channel;
      const extra = { ...requirements.extra, withdrawDelay: delay };
      const response = await shop.send({ ...channel.payment("voucher", 1000), accepted: { ...requirements, extra } });
      expect([response.status, shop.runs, channel.looks]).toEqual([402, 0, 0]);
    },
  );

  test.each(["network", "asset", "amount"])("the chain is not asked about a payment with another %s", async (key) => {
    const channel = new ScriptedChannel({ shop: onNewStore() });
    const { requirements } = channel;
    const accepted = { ...requirements, ...OTHER[key] };
    const payment = { ...channel.payment("voucher", 1000), accepted };
    const response = await channel.shop.send(payment);
    expect([response.status, channel.shop.runs, channel.looks]).toEqual([402, 0, 0]);
  });
});
