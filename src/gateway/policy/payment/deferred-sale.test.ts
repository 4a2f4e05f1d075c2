import { afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fieldLine } from "../../../lib/http/fields.ts";
import { until } from "../../../lib/testing/until.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { deferralOf } from "../../../payments/settlement/deferral.ts";
import { REQUIREMENTS, TERMS } from "../../../payments/testing/payment.ts";
import { signedPermit2 } from "../../../payments/testing/permit2-payment.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../../payments/x402/messages.ts";
import { paymentKey } from "../../../payments/x402/payment-key.ts";
import { type Ledger, LEASE_MS, type Payment } from "../../../store/ledger.ts";
import { type OnNewStore, onEachStore } from "./testing/on-each-store.ts";
import { closeShops, openShop, type Shop, type ShopOptions } from "./testing/shop.ts";
import { respondWith, type TestExchange } from "./testing/test-gateway.ts";

setDefaultTimeout(patient(20_000));
afterEach(closeShops);

const UPTO: PaymentRequirements = {
  ...REQUIREMENTS,
  scheme: "upto",
  amount: "50000",
  maxTimeoutSeconds: 3600,
  extra: {
    ...REQUIREMENTS.extra,
    assetTransferMethod: "permit2",
    facilitatorAddress: "0x1111111111111111111111111111111111111111",
  },
};

let onNewStore: OnNewStore;

/** A shop whose upstream works on after its response. */
function open(options: ShopOptions = {}): Shop {
  let count = 0;
  return openShop({
    kinds: { current: [{ scheme: "upto", network: "eip155:*", extra: UPTO.extra }] },
    terms: { ...TERMS, scheme: "upto", price: UPTO.amount, max_timeout_seconds: 3600 },
    upstream(exchange) {
      count += 1;
      workOn(exchange, count);
    },
    ...(options.store === undefined ? onNewStore() : {}),
    ...options,
  });
}

/** Responds with a job that goes on. */
function workOn(exchange: TestExchange, number: number): void {
  respondWith(exchange, 202, `job ${number}`, fieldLine("Settlement-Deferral", `{"path":"/charges/${number}"}`));
}

/** The same after the whole request. */
function workOnRead(exchange: TestExchange): void {
  exchange.body.readTo({ data: () => true, end: () => workOn(exchange, 1), abort() {} });
}

const payment = (shop: Shop): Permit2Payment => signedPermit2(UPTO, shop.clock.now / 1000);

function row(shop: Shop, paid: Permit2Payment): Promise<Payment | undefined> {
  return shop.store.ledger.find(paymentKey(paid, UPTO));
}

/** Of a process that dies before it can record a delivery. */
const dead = (real: Ledger): Partial<Ledger> => ({
  move: (held, change) => (change.delivered === undefined ? real.move(held, change) : new Promise(() => {})),
});

/** Faults of the write that defers a charge. */
function failing(real: Ledger, when: "before" | "after"): Partial<Ledger> {
  let left = 1;
  return {
    async move(held, change) {
      const fails = change.state === "deferred" && change.lease && left-- > 0;
      if (fails && when === "before") throw new Error("disk full");
      const moved = await real.move(held, change);
      if (fails) throw new Error("connection lost");
      return moved;
    },
  };
}

/** The later charge of an undelivered response ends, for `amount`. */
async function endedFor(amount: string): Promise<{ readonly shop: Shop; readonly paid: Permit2Payment }> {
  const shop = open({ ledger: dead });
  const paid = payment(shop);
  await (await shop.send(paid)).text();
  shop.clock.now += LEASE_MS + 1;
  const [due] = await shop.store.ledger.claimDue(8);
  if (due === undefined) throw new Error("nothing is due");
  await shop.store.ledger.move(due, { state: "settled", lease: false, amount, payer: due.from, dueInMs: "never" });
  return { shop, paid };
}

/** A client that goes away while the response is stored for its retry, right before it would be sent. */
async function leaveAtStorage(shop: Shop, paid: Permit2Payment): Promise<void> {
  const [storing, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  shop.responses.keep = async () => {
    storing.resolve();
    await stored.promise;
  };
  const client = new AbortController();
  const lost = shop.send(paid, { signal: client.signal }).catch(() => "gone");
  await storing.promise;
  client.abort();
  expect(await lost).toBe("gone");
  await until(() => shop.gateway.last()?.gone === true);
  stored.resolve();
}

onEachStore((newStore) => {
  beforeAll(() => {
    onNewStore = newStore;
  });

  test("the upstream gets the end of the payment less a margin, and the ledger has the path before the client has the response", async () => {
    const shop = open();
    const paid = payment(shop);
    const response = await shop.send(paid);
    expect([response.status, await response.text()]).toEqual([202, "job 1"]);
    expect([response.headers.get("payment-response"), response.headers.get("settlement-deferral")]).toEqual([
      null,
      null,
    ]);
    const { deadline } = paid.payload.permit2Authorization;
    expect(shop.lastUpstreamFields).toContain(`Settlement-Deferral: {"until":${Number(deadline) - 120}}`);
    await until(async () => (await row(shop, paid))?.delivered === true);
    const deferred = await row(shop, paid);
    expect(deferred).toMatchObject({ state: "deferred", amount: "50000", transaction: "" });
    expect(deferred && deferralOf(deferred)).toMatchObject({
      path: "/charges/1",
      quote: "50000",
      due: "0",
      failures: 0,
    });
    expect(shop.settlements).toBe(0);
  });

  test("a response whose charge is made later has no receipt in its body, also when it is sent again", async () => {
    const fields =
      fieldLine("Content-Type", "application/json") + fieldLine("Settlement-Deferral", '{"path":"/charges/1"}');
    const shop = open({
      terms: { ...TERMS, scheme: "upto", price: UPTO.amount, max_timeout_seconds: 3600, inline_receipt: true },
      upstream: (exchange) => respondWith(exchange, 202, '{"job":1}', fields),
    });
    const paid = payment(shop);
    expect(await (await shop.send(paid)).json()).toEqual({ job: 1 });
    await until(async () => (await row(shop, paid))?.delivered === true);
    const again = await shop.send(paid);
    expect([await again.json(), again.headers.get("payment-response"), shop.runs]).toEqual([{ job: 1 }, null, 1]);
  });

  test.each(["before", "after"] as const)(
    "a ledger that fails %s the deferral costs nothing, and the payment can be used again",
    async (when) => {
      const shop = open({ ledger: (real) => failing(real, when) });
      const paid = payment(shop);
      expect((await shop.send(paid)).status).toBe(503);
      await until(async () => (await row(shop, paid))?.state === "released");
      expect(await shop.store.ledger.claimDue(8)).toEqual([]);
      const again = await shop.send(paid);
      expect([again.status, await again.text()]).toEqual([202, "job 2"]);
      await until(async () => (await row(shop, paid))?.state === "deferred");
    },
  );

  test("a response whose gateway died is made again, and its new path is the one that the ledger has", async () => {
    const shop = open({ ledger: dead });
    const paid = payment(shop);
    expect(await (await shop.send(paid)).text()).toBe("job 1");
    shop.clock.now += LEASE_MS + 1;
    const other = open({ store: shop.store, upstream: (exchange) => workOn(exchange, 7) });
    const again = await other.send(paid);
    expect([again.status, await again.text()]).toEqual([202, "job 7"]);
    await until(async () => (await row(shop, paid))?.delivered === true);
    const deferred = await row(shop, paid);
    expect(deferred).toMatchObject({ state: "deferred", amount: "50000", attempt: 2 });
    expect(deferred && deferralOf(deferred)).toMatchObject({ path: "/charges/7", quote: "50000" });
  });

  test.each(["0", "20000"])(
    "a response whose later charge has ended for %s names the same work, and begins none for that",
    async (amount) => {
      const { shop, paid } = await endedFor(amount);
      const other = open({ store: shop.store });
      const again = await other.send(paid);
      expect([again.status, await again.text()]).toEqual([202, "job 1"]);
      // The upstream finds its work by the terms that it had, and waits for another charge before it begins.
      expect(other.lastUpstreamFields).toContain("Settlement-Deferral: ");
      expect(other.lastUpstreamFields).toContain("Turnpike-Amount: 50000\r\n");
      await until(async () => (await row(shop, paid))?.delivered === true);
      expect(await row(shop, paid)).toMatchObject({ state: "settled", amount });
    },
  );

  test("a response that is not the one of the ended charge is not delivered for it", async () => {
    const { shop, paid } = await endedFor("0");
    const other = open({ store: shop.store, upstream: (exchange) => respondWith(exchange, 200, "all goods") });
    expect((await other.send(paid)).status).toBe(502);
    await until(async () => (await shop.store.ledger.reserve((await row(shop, paid)) as Payment)).leased);
    expect(await row(shop, paid)).toMatchObject({ state: "settled", delivered: false });
  });

  test("work goes on for its charge although its route now settles before the response", async () => {
    const shop = open({ ledger: dead });
    const paid = payment(shop);
    await (await shop.send(paid)).text();
    shop.clock.now += LEASE_MS + 1;
    const other = open({ store: shop.store, terms: { ...TERMS, settle: "before" } });
    const again = await other.send(paid);
    expect([again.status, await again.text(), other.settlements]).toEqual([202, "job 1", 0]);
    await until(async () => (await row(shop, paid))?.delivered === true);
    expect(await row(shop, paid)).toMatchObject({ state: "deferred", amount: "50000" });
  });

  test("a payment whose charge is made later pays for the body that it came with, and no other", async () => {
    const shop = open({ ledger: dead, upstream: workOnRead });
    const paid = payment(shop);
    const send = (to: Shop, body: string): Promise<Response> => to.send(paid, { method: "POST", body });
    await (await send(shop, "cheap")).text();
    shop.clock.now += LEASE_MS + 1;
    const other = open({ store: shop.store, upstream: workOnRead });
    // A refused request can still have the payment when its client has the response.
    const statusOf = async (body: string): Promise<number> => {
      let response = await send(other, body);
      await until(async () => {
        if (response.headers.get("retry-after") === null) return true;
        response = await send(other, body);
        return false;
      });
      return response.status;
    };
    for (const body of ["other", "dearer", ""]) expect([body, await statusOf(body)]).toEqual([body, 409]);
    const before = await row(shop, paid);
    expect(before).toMatchObject({ state: "deferred", delivered: false });
    expect(before && deferralOf(before)).toMatchObject({ path: "/charges/1" });
    expect(await statusOf("cheap")).toBe(202);
  });

  test("a failure of the repeated request takes nothing back", async () => {
    const shop = open({ ledger: dead });
    const paid = payment(shop);
    await (await shop.send(paid)).text();
    shop.clock.now += LEASE_MS + 1;
    const other = open({ store: shop.store, upstream: (exchange) => respondWith(exchange, 500, "sorry") });
    expect((await other.send(paid)).status).toBe(500);
    await until(async () => (await shop.store.ledger.claimDue(8)).length === 1);
    expect(await row(shop, paid)).toMatchObject({ state: "deferred", delivered: false });
  });

  test("a client that leaves before it has a part of the response owes no later charge", async () => {
    const shop = open();
    const paid = payment(shop);
    await leaveAtStorage(shop, paid);
    await until(async () => (await row(shop, paid))?.state === "released");
    expect(await shop.store.ledger.claimDue(8)).toEqual([]);
  });

  test("a client that leaves during the repeated request owes what the first one began", async () => {
    const shop = open({ ledger: dead });
    const paid = payment(shop);
    await (await shop.send(paid)).text();
    shop.clock.now += LEASE_MS + 1;
    await leaveAtStorage(open({ store: shop.store }), paid);
    await until(async () => (await shop.store.ledger.claimDue(8)).length === 1);
    expect(await row(shop, paid)).toMatchObject({ state: "deferred", delivered: false });
  });

  test("a payment for another request is refused while its work goes on", async () => {
    const shop = open();
    const paid = payment(shop);
    await (await shop.send(paid)).text();
    await until(async () => (await row(shop, paid))?.delivered === true);
    expect((await shop.send(paid, { path: "/goods/other" })).status).toBe(409);
    const same = await shop.send(paid);
    expect([same.status, await same.text(), shop.runs]).toEqual([202, "job 1", 1]);
  });
});
