/** The pitfalls of x402 that need a chain, by number. The others are in src/gateway/policy/payment/pitfalls.test.ts. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { openShop, type Shop } from "./testing/shop.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

describe.skipIf(!hasChain)("pitfalls of settling on a chain", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  // Polling every 4 s, whatever the chain does, would take 40 s for ten payments. No test has that much time.
  test("pitfall 5: receipts are polled at the chain's own pace", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    for (let settled = 0; settled < 10; settled++) {
      const payment = await shop.pay(payer);
      expect((await facilitator.settle(payment, shop.requirements)).kind).toBe("settled");
    }
  });

  test("pitfall 6: one key settles twenty payments at once, each with its own transaction", async () => {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const payments = await Promise.all(Array.from({ length: 20 }, () => shop.pay(payer)));
    const settled = await Promise.all(payments.map((payment) => facilitator.settle(payment, shop.requirements)));
    const transactions = settled.map((one) => (one.kind === "settled" ? one.transaction : one.kind));
    expect(new Set(transactions).size).toBe(20);
    expect(transactions.every((transaction) => /^0x[0-9a-f]{64}$/.test(transaction))).toBe(true);
  });
});
