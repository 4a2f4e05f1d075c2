import { expect, test } from "bun:test";
import { type CreditRefundWish } from "../credit-refunds.ts";
import { type Credit, CREDIT_BOOK, type NewCredit, purchaseOf } from "../credits.ts";
import { type PaymentKey } from "../ledger.ts";
import { type Refund } from "../refunds.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, type Opened, openFresh } from "./contract-harness.ts";
import { keyOf, settle, WISH } from "./refunds-contract.ts";
import { RESERVATION } from "./reservation.ts";

const CREDIT: NewCredit = {
  id: "credit",
  hash: "hash",
  owner: "0xfrom",
  unit: "money",
  name: "",
  network: "eip155:84532",
  token: "0xasset",
  routes: [],
  expiresAt: 0,
};
const REST: CreditRefundWish = { ...WISH, credit: CREDIT.id, obstacle: () => undefined };

/** Buys credit for 10000 by each payment. */
async function buy(opened: Opened, nonces: readonly string[], credit: NewCredit = CREDIT): Promise<PaymentKey[]> {
  const { credits } = opened.store;
  const payments: PaymentKey[] = [];
  for (const nonce of nonces) {
    const payment = keyOf(await settle(opened.store, "settled", nonce));
    const grant = { id: purchaseOf(payment), kind: "bought", amount: "10000", payment: nonce } as const;
    await (payments.length === 0 ? credits.open(credit, grant) : credits.add(credit.id, grant, 0));
    payments.push(payment);
    opened.clock.now += 1;
  }
  return payments;
}

async function balance({ credits }: Store): Promise<Credit["balance"] | undefined> {
  return (await credits.find(CREDIT.id))?.balance;
}

async function sent(store: Store, wish: Partial<CreditRefundWish> = {}): Promise<readonly Refund[]> {
  const result = await store.refunds.beginCredit({ ...REST, ...wish });
  if (result.kind === "refused") throw new Error(`refused: ${JSON.stringify(result.why)}`);
  return result.parts.map(({ refund }) => refund);
}

async function charge(store: Store, nonce: string, amount: string): Promise<boolean> {
  const asset = CREDIT_BOOK + CREDIT.id;
  return (await store.ledger.reserve({ ...RESERVATION, scheme: "credit", asset, nonce, amount })).leased;
}

/** For tests only: which refunds of prepaid balances every store must accept. */
export function testCreditRefunds(newDatabase: NewDatabase): void {
  test("the rest of a credit is taken once, from its newest purchases first", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const [first, second] = await buy(opened, ["0xfirst", "0xsecond"]);
    // Another payer's payment with the nonce of a purchase.
    const foreign = await store.ledger.reserve({ ...RESERVATION, nonce: "0xsecond", from: "0xthief" });
    await store.ledger.move(foreign.payment, { state: "settled", lease: false });
    expect(await charge(store, "0xcharge", "7000")).toBe(true);
    await store.credits.revoke(CREDIT.id);
    const refunds = await sent(store);
    expect(refunds).toMatchObject([
      { ...second, amount: "10000", state: "pending", id: "rest" },
      { ...first, amount: "3000", state: "pending", id: "rest" },
    ]);
    expect(await balance(store)).toBe("0");
    expect(await (await opened.another()).refunds.beginCredit(REST)).toMatchObject({ kind: "known" });
    expect(await store.refunds.beginCredit({ ...REST, amount: "12999" })).toEqual({ kind: "refused", why: "differs" });
    expect(await store.refunds.beginCredit({ ...REST, id: "more" })).toEqual({ kind: "refused", why: "exceeds" });
    expect(await store.refunds.begin(first ?? RESERVATION, WISH)).toEqual({ kind: "refused", why: "credit" });
    expect(await store.refunds.pending()).toBe(2);
    expect((await store.credits.grants(CREDIT.id, 10)).reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(7000);
  });

  test("a refund of a credit that fails returns its amount to the balance, once", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const [first] = await buy(opened, ["0xfirst", "0xsecond"]);
    const [newest, older] = await sent(store, { amount: "15000", id: "a" });
    if (newest === undefined || older === undefined) throw new Error("two refunds");
    expect(await balance(store)).toBe("5000");
    const other = await opened.another();
    const failed = { state: "failed", transaction: "", reason: "no gas" } as const;
    const ends = await Promise.all([store, other, store].map(({ refunds }) => refunds.end(older, failed)));
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(await balance(store)).toBe("10000");
    expect(await store.ledger.find(first ?? RESERVATION)).toMatchObject({ refunded: "0" });
    expect(await store.refunds.end(newest, { state: "settled", transaction: "0xback", reason: "" })).toBe(true);
    expect(await balance(store)).toBe("10000");
    clock.now += 1;
    expect(await sent(store, { amount: "15000", id: "a" })).toMatchObject([{ state: "settled" }, { state: "failed" }]);
    expect(await sent(store)).toMatchObject([{ ...first, amount: "10000", sequence: 2 }]);
    expect(await balance(store)).toBe("0");
  });

  test("issued credit, what was given back by other means, and passes are not sent", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    expect(await store.refunds.beginCredit(REST)).toEqual({ kind: "refused", why: "absent" });
    await buy(opened, ["0xfirst"]);
    await store.credits.add(CREDIT.id, { id: "gift", kind: "issued", amount: "5000", payment: "" }, 0);
    const recorded = { id: "refunded:credit:0xcash", kind: "refunded", amount: "4000", payment: "0xcash" } as const;
    expect(await store.credits.take(CREDIT.id, recorded)).toBe(true);
    expect(await store.refunds.beginCredit({ ...REST, obstacle: () => "no key" })).toEqual({
      kind: "refused",
      why: { text: "no key" },
    });
    for (const amount of ["6001", "0"])
      expect(await store.refunds.beginCredit({ ...REST, amount })).toEqual({ kind: "refused", why: "exceeds" });
    expect(await balance(store)).toBe("11000");
    expect(await sent(store)).toMatchObject([{ amount: "6000" }]);
    expect(await balance(store)).toBe("5000");
    await buy(opened, ["0xpass"], { ...CREDIT, id: "pass", unit: "calls" });
    expect(await store.refunds.beginCredit({ ...REST, credit: "pass" })).toEqual({ kind: "refused", why: "pass" });
  });

  test("amounts that were given back by other means are added exactly, however large they are", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const amount = "123456789012345678901234567890";
    const { payment } = await store.ledger.reserve({ ...RESERVATION, amount });
    await store.ledger.move(payment, { state: "settled", lease: false });
    const grant = { id: purchaseOf(payment), kind: "bought", amount, payment: payment.nonce } as const;
    await store.credits.open(CREDIT, grant);
    const amounts = ["99999999999999999999", ...Array.from({ length: 20 }, () => "999999999999999")];
    for (const [i, taken] of amounts.entries()) {
      const recorded = { id: `refunded:${i}`, kind: "refunded", amount: taken, payment: `0xcash${i}` } as const;
      expect(await store.credits.take(CREDIT.id, recorded)).toBe(true);
    }
    expect(await sent(store)).toMatchObject([{ amount: "123456788912325678901234567911" }]);
    expect(await balance(store)).toBe("0");
  });

  test("refunds that race with charges and with each other never overdraw a credit", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    await buy(opened, ["0xfirst", "0xsecond"]);
    const [charged, refunded, rest] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, (_, i) => charge(stores[i % 2] ?? opened.store, `0x${i}`, "300"))),
      Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          // Two of each id.
          const wish = { ...REST, id: `id${i >> 1}`, amount: "700" };
          return (await (stores[i % 2] ?? opened.store).refunds.beginCredit(wish)).kind;
        }),
      ),
      opened.store.refunds.beginCredit({ ...REST, amount: "2500" }),
    ]);
    const spent = charged.filter(Boolean).length * 300 + refunded.filter((kind) => kind === "begun").length * 700;
    const left = 20_000 - spent - (rest.kind === "begun" ? 2500 : 0);
    expect(await balance(opened.store)).toBe(String(left));
    expect(left).toBeGreaterThanOrEqual(0);
    const purchases = await Promise.all(["0xfirst", "0xsecond"].map((nonce) => opened.store.view.search(nonce)));
    for (const { refunded: sum } of purchases.flat()) expect(Number(sum)).toBeLessThanOrEqual(10_000);
  });
}
