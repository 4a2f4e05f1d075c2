import { afterEach, expect, test } from "bun:test";
import { LEASE_MS } from "../../../store/ledger.ts";
import { type PaymentTerms } from "./challenge/create-requirements.ts";
import { closeShops, openShop } from "./testing/shop.ts";
import { respondWith } from "./testing/test-gateway.ts";

afterEach(closeShops);

const CHANGES: readonly (readonly [what: string, terms: Partial<PaymentTerms>])[] = [
  ["price", { price: "$0.05" }],
  ["network, and so the asset", { network: "base" }],
  ["payee", { pay_to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
];

for (const [what, terms] of CHANGES) {
  test(`a payment with an open outcome is found and finished after the route's ${what} has changed`, async () => {
    const before = openShop({
      facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }) }),
    });
    const payment = before.payment();
    expect((await before.send(payment)).status).toBe(503);
    const after = openShop({ store: before.store, terms });
    before.clock.now += LEASE_MS;
    const response = await after.send(payment);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    expect(await before.recorded(payment)).toMatchObject({ state: "settled", amount: "10000", delivered: true });
    // A new payment on the old terms is not accepted.
    expect((await after.send(before.payment())).status).toBe(402);
  });
}

test("after a change of terms a payment finishes the request that it was begun for, and opens no other", async () => {
  let isOpen = true;
  const before = openShop({
    facilitator: (real) => ({
      settle: async (...of) => (isOpen ? { kind: "unknown", cause: "time-out", transaction: "" } : real.settle(...of)),
    }),
  });
  const unknown = before.payment();
  expect((await before.send(unknown)).status).toBe(503);
  isOpen = false;
  const settled = before.payment();
  expect((await before.send(settled)).status).toBe(200);
  const after = openShop({ store: before.store, terms: { price: "$0.05" } });
  before.clock.now += LEASE_MS;
  for (const payment of [unknown, settled]) {
    const other = await after.send(payment, { path: "/goods?of=another" });
    expect([other.status, await other.json()]).toMatchObject([402, { error: "No matching payment requirements" }]);
  }
  expect([after.runs, after.settlements]).toEqual([0, 0]);
  expect((await after.send(unknown)).status).toBe(200);
  // The payment is spent, and its response is kept in the other shop.
  expect((await after.send(settled)).status).toBe(409);
});

test("without servers a route takes no new payment and offers no price, and finishes what was begun", async () => {
  const before = openShop({
    facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }) }),
  });
  const begun = before.payment();
  expect((await before.send(begun)).status).toBe(503);
  const after = openShop({ store: before.store, isServed: false });
  const payment = before.payment();
  for (const response of [await after.send(payment), await fetch(`${after.gateway.url}/goods`)]) {
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toMatchObject([
      503,
      "1",
      { type: "urn:turnpike:error:no-servers" },
    ]);
  }
  expect([after.settlements, await after.recorded(payment)]).toEqual([0, undefined]);
  before.clock.now += LEASE_MS;
  expect((await after.send(begun)).status).toBe(200);
  expect(await before.recorded(begun)).toMatchObject({ state: "settled" });
});

for (const testMode of [true, false]) {
  test(`a payment begun ${testMode ? "in" : "out of"} test mode does not count in the other mode, paid or open`, async () => {
    const open = { kind: "unknown", cause: "time-out", transaction: "" } as const;
    let isOpen = true;
    const before = openShop({
      testMode,
      facilitator: (real) => ({ settle: async (...of) => (isOpen ? open : real.settle(...of)) }),
      upstream: (exchange) => respondWith(exchange, 200, "the goods"),
    });
    let asked = 0;
    const after = openShop({
      testMode: !testMode,
      store: before.store,
      facilitator: (real) => ({ find: async (...of) => ((asked += 1), real.find(...of)) }),
    });
    const unknown = before.payment();
    expect((await before.send(unknown)).status).toBe(503);
    isOpen = false;
    const owed = before.payment();
    expect((await before.send(owed)).status).toBe(200);
    before.clock.now += LEASE_MS;
    for (const payment of [unknown, owed]) {
      const response = await after.send(payment);
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { type: "urn:turnpike:error:payment-conflict" },
      ]);
    }
    expect([asked, after.runs, after.settlements]).toEqual([0, 0, 0]);
    expect(await before.recorded(unknown)).toMatchObject({ state: "unknown" });
  });
}
