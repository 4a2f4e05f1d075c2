import { afterEach, expect, test } from "bun:test";
import { until } from "../../../lib/testing/until.ts";
import { type Outcome } from "../../../payments/x402/facilitator.ts";
import { PAYER } from "../../../payments/testing/payment.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { closeShops, decoded, openShop, type Shop } from "./testing/shop.ts";

afterEach(closeShops);

const TRANSACTION = `0x${"ab".repeat(32)}`;

interface Chain {
  readonly shop: Shop;
  /** The chain's next result for a payment. */
  outcome: Outcome | "throws";
  finds: number;
}

/** A shop whose first settlement is lost, with a chain that returns `outcome`. */
function openLosing(settle: "after" | "before" = "after"): Chain {
  let calls = 0;
  const chain = { outcome: { kind: "unspent" }, finds: 0 } as Omit<Chain, "shop">;
  const shop = openShop({
    terms: { settle },
    facilitator: (real) => ({
      async settle(...payment) {
        calls += 1;
        return calls === 1 ? { kind: "unknown", cause: "no response", transaction: "" } : real.settle(...payment);
      },
      async find() {
        chain.finds += 1;
        if (chain.outcome === "throws") throw new Error("https://rpc.example/?key=secret");
        return chain.outcome;
      },
    }),
  });
  return Object.assign(chain, { shop });
}

for (const settle of ["after", "before"] as const) {
  test(`settle ${settle}: a retry whose payment the chain has settled gets the owed response, without another settlement`, async () => {
    const chain = openLosing(settle);
    const { shop } = chain;
    const payment = shop.payment();
    expect((await shop.send(payment)).status).toBe(503);
    chain.outcome = { kind: "settled", transaction: TRANSACTION, payer: PAYER };
    const again = await shop.send(payment);
    expect([again.status, await again.text()]).toEqual([200, "the goods"]);
    expect(decoded(again, "payment-response")).toMatchObject({ success: true, transaction: TRANSACTION });
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: true, transaction: TRANSACTION });
    expect([shop.runs, shop.settlements, chain.finds]).toEqual([1, 1, 1]);
  });
}

test("a retry whose payment is unspent on the chain is settled, with the same nonce", async () => {
  const chain = openLosing();
  const payment = chain.shop.payment();
  expect((await chain.shop.send(payment)).status).toBe(503);
  expect((await chain.shop.send(payment)).status).toBe(200);
  expect([chain.shop.runs, chain.shop.settlements, chain.finds]).toEqual([1, 2, 1]);
});

for (const outcome of [{ kind: "unknown", cause: "no node answers" }, "throws"] as const) {
  test(`a retry without a result (${outcome === "throws" ? "a throw" : "no chain"}) repeats the same settlement`, async () => {
    const chain = openLosing();
    const payment = chain.shop.payment();
    expect((await chain.shop.send(payment)).status).toBe(503);
    chain.outcome = outcome;
    expect((await chain.shop.send(payment)).status).toBe(200);
    expect([chain.shop.runs, chain.shop.settlements]).toEqual([1, 2]);
    expect(chain.shop.logged.join()).not.toMatch(/secret|rpc/);
  });
}

test("a retry whose payment moved no money and never will gets 402 with the reason, and a new payment buys", async () => {
  const chain = openLosing();
  const { shop } = chain;
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  chain.outcome = { kind: "void" };
  const called = await shop.send(payment);
  expect(called.status).toBe(402);
  expect(decoded(called, "payment-response")).toMatchObject({ success: false, errorReason: "payment_refused" });
  expect(await shop.recorded(payment)).toMatchObject({ state: "failed", reason: "payment_refused" });
  expect((await shop.send(shop.payment())).status).toBe(200);
});

test("a retry whose payment has expired gets that reason", async () => {
  const chain = openLosing();
  const { shop } = chain;
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(503);
  chain.outcome = { kind: "void" };
  shop.clock.now += 61_000;
  const late = await shop.send(payment);
  expect(late.status).toBe(402);
  expect(decoded(late, "payment-response")).toMatchObject({
    errorReason: "invalid_exact_evm_payload_authorization_valid_before",
  });
  expect(shop.settlements).toBe(1);
});

test("an open payment gets no new price from any retry, however often the facilitator fails", async () => {
  const shop = openShop({
    facilitator: () => ({
      settle: async () => ({ kind: "unknown", cause: "no response", transaction: "" }),
      find: async () => ({ kind: "unknown", cause: "no chain is configured" }),
    }),
  });
  const payment = shop.payment();
  for (let retry = 0; retry < 4; retry++) {
    const response = await shop.send(payment);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(response.headers.get("payment-required")).toBeNull();
    shop.clock.now += 40_000;
  }
  expect(await shop.recorded(payment)).toMatchObject({ state: "unknown" });
  expect(shop.runs).toBe(1);
});

test("a client that disconnects while its owed response is stored does not run the upstream again", async () => {
  const store = openStore(":memory:", Date.now);
  const seller = openShop({
    store,
    facilitator: (real) => ({
      async settle(...payment) {
        seller.gateway.last()?.cancel();
        return real.settle(...payment);
      },
    }),
  });
  const payment = seller.payment();
  void seller.send(payment).catch(() => "gone");
  await until(async () => (await seller.recorded(payment))?.state === "settled");
  // Another worker, which has not kept the response.
  const other = openShop({ store });
  const keeping = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const keep = other.responses.keep.bind(other.responses);
  other.responses.keep = async (...response) => {
    other.responses.keep = keep;
    keeping.resolve();
    await kept.promise;
    return keep(...response);
  };
  // The first request can still hold the payment.
  void until(async () => (await other.send(payment).catch(() => undefined))?.status !== 409);
  await keeping.promise;
  other.gateway.last()?.cancel();
  expect((await other.send(payment)).status).toBe(409);
  kept.resolve();
  await until(async () => (await other.send(payment)).status === 200);
  expect([seller.runs, other.runs, other.settlements]).toEqual([1, 1, 0]);
});
