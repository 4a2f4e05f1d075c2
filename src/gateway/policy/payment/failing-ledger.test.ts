/**
 * Every write to the ledger can fail. The request still gets a response, the log reports the failure, and a payment
 * that may be settled is not released.
 */
import { afterEach, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { PAYER } from "../../../payments/testing/payment.ts";
import { type Change } from "../../../store/ledger.ts";
import { closeShops, openShop as open, type Shop, type ShopOptions } from "./testing/shop.ts";

afterEach(closeShops);

const FAILED = "payment: the ledger failed on /goods: Error";
const REFUSED = { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" } as const;
const UNKNOWN = { kind: "unknown", cause: "no response", transaction: "" } as const;

/** A shop whose ledger fails once: at the first change for which `fails` returns true, when it is set. */
function openFailing(options: Omit<ShopOptions, "ledger">): { shop: Shop; fails: (change: Change) => boolean } {
  const fault = { fails: (_change: Change): boolean => false };
  const shop = open({
    ...options,
    ledger: (real) => ({
      async move(payment, change) {
        if (!fault.fails(change)) return real.move(payment, change);
        fault.fails = () => false;
        throw new Error("disk full");
      },
    }),
  });
  return Object.assign(fault, { shop });
}

test("a refused payment gets 503, and not the refusal, if it cannot be released", async () => {
  const fault = openFailing({ facilitator: () => ({ verify: async () => REFUSED }) });
  fault.fails = ({ state }) => state === "released";
  const { shop } = fault;
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  expect(shop.logged).toEqual([FAILED]);
  // No request holds the payment any more.
  expect((await shop.send(payment)).status).toBe(402);
});

test("a refused settlement that cannot be recorded is open until the ledger takes it", async () => {
  const fault = openFailing({ facilitator: () => ({ settle: async () => REFUSED }) });
  fault.fails = ({ state }) => state === "failed";
  const { shop } = fault;
  const payment = shop.payment();
  const response = await shop.send(payment);
  expect([response.status, response.headers.get("payment-required")]).toEqual([503, null]);
  expect(shop.logged[0]).toBe(FAILED);
  await until(async () => (await shop.recorded(payment))?.state === "failed");
});

for (const outcome of [UNKNOWN, { kind: "void" }] as const) {
  test(`a payment with an open settlement is not released if its ${outcome.kind} outcome cannot be recorded`, async () => {
    const fault = openFailing({ facilitator: () => ({ settle: async () => UNKNOWN, find: async () => outcome }) });
    const { shop } = fault;
    const payment = shop.payment();
    fault.fails = ({ state }) => state === "unknown";
    expect((await shop.send(payment)).status).toBe(503);
    await until(async () => (await shop.recorded(payment))?.state === "unknown");
    shop.logged.length = 0;
    fault.fails = ({ state }) => state === "unknown" || state === "failed";
    expect((await shop.send(payment)).status).toBe(503);
    await until(() => shop.logged.includes(FAILED));
    const end = outcome.kind === "void" ? "failed" : "unknown";
    await until(async () => (await shop.recorded(payment))?.state === end);
    expect(shop.runs).toBe(1);
  });
}

for (const settle of ["before", "after"] as const) {
  test(`a delivery that the ledger does not take is recorded when it takes it, settled ${settle}`, async () => {
    let ledgerIs: "up" | "failing" | "back" = "up";
    let attempts = 0;
    const shop = open({
      terms: { settle },
      ledger: (real) => ({
        async move(payment, change) {
          if (ledgerIs === "up" && change.delivered === true) ledgerIs = "failing";
          if (ledgerIs !== "failing") return real.move(payment, change);
          attempts += 1;
          throw new Error("connection lost");
        },
      }),
    });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    await until(() => attempts > 2);
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
    ledgerIs = "back";
    await until(async () => (await shop.recorded(payment))?.delivered === true);
    await until(() => shop.logged.length === 2);
    expect(shop.logged).toEqual([
      "payment: the ledger did not take the result of a payment: Error; it is written again until the ledger takes it",
      "payment: the ledger has taken the results of 1 payments late",
    ]);
  });
}

test("after a lease is lost during a search for the settlement, nothing is delivered", async () => {
  let isLost = false;
  const shop = open({
    ledger: (real) => ({
      async move(payment, change) {
        if (!isLost || change.state !== "settled") return real.move(payment, change);
        // A response that does not wait for the store has been sent by then.
        await Bun.sleep(50);
        return false;
      },
    }),
    facilitator: () => ({
      settle: async () => UNKNOWN,
      find: async () => ({ kind: "settled", transaction: "0xtx", payer: PAYER }),
    }),
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  isLost = true;
  const late = await shop.send(payment);
  expect([late.status, (await late.text()).includes("the goods")]).toEqual([409, false]);
});

test("a payment with an open settlement is leased until its response is stored", async () => {
  const shop = open({ facilitator: () => ({ settle: async () => UNKNOWN }) });
  const payment = shop.payment();
  const keeping = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const { responses } = shop;
  const keep = responses.keep.bind(responses);
  responses.keep = async (...response) => {
    keeping.resolve();
    await kept.promise;
    return keep(...response);
  };
  const first = shop.send(payment);
  await keeping.promise;
  expect((await shop.send(payment)).status).toBe(409);
  kept.resolve();
  expect((await first).status).toBe(503);
});
