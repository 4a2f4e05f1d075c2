/** Payments for units of a response, whose route is sold on other terms since. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { Collector } from "../../../../payments/settlement/collector.ts";
import { LEASE_MS } from "../../../../store/ledger.ts";
import { type PaymentTerms } from "../challenge/create-requirements.ts";
import { onEachStore } from "../testing/on-each-store.ts";
import { closeShops, type Shop } from "../testing/shop.ts";
import { respondWith, type Upstream } from "../testing/test-gateway.ts";
import { begin, event, events, further, HI, PRICE, Reader, seen, sell, settled } from "./testing/metered-sale.ts";

setDefaultTimeout(patient(40_000));

afterEach(closeShops);

const CHANGES: readonly (readonly [how: string, terms: Partial<PaymentTerms>])[] = [
  ["is sold whole at the same price", { meter: undefined }],
  ["is sold whole for more", { meter: undefined, price: "2000" }],
  ["is sold whole for less", { meter: undefined, price: "500" }],
  ["is sold whole, and paid for before", { meter: undefined, settle: "before" }],
  ["has other units", { meter: { unit: "event", units: 5, pause_s: 1 } }],
  ["is sold by the line", { meter: { unit: "line", units: 3, pause_s: 1 } }],
];

/** Of an upstream that works on after its response, if its charge may be made later. */
const workOn: Upstream = (exchange) =>
  respondWith(exchange, 202, events(1, 4), `${fieldLine("Content-Type", "text/event-stream")}${DEFERRAL}`);
const DEFERRAL = fieldLine("Settlement-Deferral", `{"path":"/charges/1"}`);

/** Charges what a process that has died left open. */
async function collect({ store, clock, logged }: Shop): Promise<void> {
  clock.now += 900_000 / 4 + LEASE_MS + 1;
  const collector = new Collector({
    ledger: store.ledger,
    upstream: () => undefined,
    facilitator: () => undefined,
    outcomeOf: async () => ({ kind: "unspent" }),
    testMode: () => true,
    notice: () => undefined,
    onTrouble: (_payment, trouble) => logged.push(trouble),
    clock: () => clock.now,
    log: (message) => logged.push(message),
  });
  await collector.round();
}

onEachStore((onNewStore) => {
  /** A payment whose gateway has died after it had sent one unit, and the gateway that follows it. */
  async function followed(terms: Partial<PaymentTerms>, upstream?: Upstream) {
    const store = onNewStore();
    const sale = await sell({ shop: store });
    const { reader } = await begin(sale);
    sale.source.send(event(1));
    await seen(reader, HI + event(1));
    store.clock.now += LEASE_MS + 1;
    const options = { ...store, terms, ...(upstream === undefined ? {} : { upstream }) };
    return { sale, next: await sell({ of: sale, shop: options }) };
  }

  test.each(CHANGES)("units that were paid for are sent although the response now %s", async (_how, terms) => {
    const { sale, next } = await followed(terms);
    const again = new Reader(await next.shop.send(sale.voucher(PRICE)));
    next.source.send(events(1, 4));
    await until(() => again.isOver);
    expect(again.text).toStartWith(HI + events(1, 3));
    expect(again.text).not.toContain(event(4));
    await settled(sale, { base: "1000", charged: "1000", charges: 1, holder: "" });
    expect([(await next.shop.send(sale.voucher(PRICE))).status, next.shop.runs]).toEqual([402, 1]);
  });

  test.each(CHANGES)("units that were charged are sent although the response now %s", async (_how, terms) => {
    const { sale, next } = await followed(terms);
    await collect(sale.shop);
    await settled(sale, { base: "1000", charged: "1000" });
    const again = new Reader(await next.shop.send(sale.voucher(PRICE)));
    next.source.send(events(1, 3));
    await seen(again, HI + events(1, 3));
    next.source.end();
    await until(() => again.isOver);
    await settled(sale, { base: "1000", charged: "1000", charges: 1, holder: "" });
  });

  test("units that were paid for are charged, although the upstream of the whole response would be charged later", async () => {
    const { sale, next } = await followed({ meter: undefined }, workOn);
    const again = await next.shop.send(sale.voucher(PRICE));
    expect([again.status, next.shop.lastUpstreamFields]).toEqual([202, expect.not.stringContaining("Deferral")]);
    expect(await again.text()).toStartWith(events(1, 3));
    await settled(sale, { base: "1000", charged: "1000", charges: 1, holder: "" });
  });

  test.each(CHANGES)("a further payment is sent again although the response now %s", async (_how, terms) => {
    const store = onNewStore();
    const sale = await sell({ shop: store });
    const { reader, stream } = await begin(sale);
    const next = await sell({ of: sale, shop: { ...store, terms } });
    const payment = sale.voucher(2 * PRICE);
    sale.source.send(events(1, 6));
    await seen(reader, HI + events(1, 3));
    expect((await further(next.shop, payment, stream)).status).toBe(402);
    expect((await further(sale.shop, payment, stream)).status).toBe(200);
    await seen(reader, HI + events(1, 6));
    const again = await further(next.shop, payment, stream);
    expect([again.status, await again.json()]).toEqual([200, { stream }]);
    sale.source.end();
    await until(() => reader.isOver);
    await settled(sale, { base: "2000", charged: "2000", charges: 2 });
    expect(next.shop.runs).toBe(0);
  });

  test("a payment for units buys no whole response, and is not charged", async () => {
    const store = onNewStore();
    const sale = await sell({ shop: store });
    const whole = await sell({ of: sale, shop: { ...store, terms: { meter: undefined } } });
    expect([(await whole.shop.send(sale.voucher(PRICE))).status, whole.shop.runs]).toEqual([402, 0]);
    expect(await sale.channel()).toMatchObject({ base: "0", charged: "0", holder: "" });
  });
});
