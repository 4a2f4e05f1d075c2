import { afterEach, expect, test } from "bun:test";
import { HOLD_MS } from "../../../store/ledger.ts";
import { type PaymentTerms } from "./payment.ts";
import { closeShops, openShop } from "./testing/shop.ts";

afterEach(closeShops);

const CHANGES: readonly (readonly [what: string, terms: Partial<PaymentTerms>])[] = [
  ["price", { price: "$0.05" }],
  ["network, and so the asset", { network: "base" }],
  ["payee", { pay_to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
];

for (const [what, terms] of CHANGES) {
  test(`a payment whose outcome was open is found and finished after the route's ${what} has changed`, async () => {
    const before = openShop({
      facilitator: () => ({ settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }) }),
    });
    const payment = before.payment();
    expect((await before.send(payment)).status).toBe(503);
    const after = openShop({ store: before.store, terms });
    before.clock.now += HOLD_MS;
    const answer = await after.send(payment);
    expect([answer.status, await answer.text()]).toEqual([200, "the goods"]);
    expect(await before.booked(payment)).toMatchObject({ state: "settled", amount: "10000", delivered: true });
    // A new payment on the old terms is nobody's.
    expect((await after.send(before.payment())).status).toBe(402);
  });
}
