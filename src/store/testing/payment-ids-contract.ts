import { expect, test } from "bun:test";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";

const ID = { payer: "0xfrom", id: "order-0000000001" };
const LATER = START + 60_000;

/** For tests only: behaviour that every `PaymentIds` must have. */
export function testPaymentIds(newDatabase: NewDatabase): void {
  test("an id is bound to the first payment that uses it, until it expires", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    expect(await store.paymentIds.tie(ID, "one", LATER)).toBe("one");
    expect(await store.paymentIds.tie(ID, "two", LATER + 1)).toBe("one");
    clock.now = LATER - 1;
    expect(await (await opened.another()).paymentIds.tie(ID, "two", LATER + 1)).toBe("one");
    clock.now = LATER;
    expect(await store.paymentIds.tie(ID, "two", LATER + 60_000)).toBe("two");
  });

  test("the payment of an id is found until it expires or is unbound", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    expect(await store.paymentIds.find(ID)).toBeUndefined();
    await store.paymentIds.tie(ID, "one", LATER);
    expect(await (await opened.another()).paymentIds.find(ID)).toBe("one");
    expect(await store.paymentIds.find({ ...ID, payer: "0xelse" })).toBeUndefined();
    await store.paymentIds.untie(ID, "one");
    expect(await store.paymentIds.find(ID)).toBeUndefined();
    await store.paymentIds.tie(ID, "two", LATER);
    clock.now = LATER;
    expect(await store.paymentIds.find(ID)).toBeUndefined();
  });

  test("the same payment can prolong its id, but not shorten it", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.paymentIds.tie(ID, "one", LATER);
    await store.paymentIds.tie(ID, "one", LATER + 60_000);
    expect(await store.paymentIds.tie(ID, "one", LATER)).toBe("one");
    clock.now = LATER + 59_999;
    expect(await store.paymentIds.tie(ID, "two", LATER + 120_000)).toBe("one");
  });

  test("each payer has its own ids, and upper and lower case are different", async () => {
    await using opened = await openFresh(newDatabase);
    const { paymentIds } = opened.store;
    await paymentIds.tie(ID, "one", LATER);
    expect(await paymentIds.tie({ ...ID, payer: "0xelse" }, "two", LATER)).toBe("two");
    expect(await paymentIds.tie({ ...ID, id: "ORDER-0000000001" }, "two", LATER)).toBe("two");
  });

  test("only the payment that an id is bound to can unbind it", async () => {
    await using opened = await openFresh(newDatabase);
    const { paymentIds } = opened.store;
    await paymentIds.tie(ID, "one", LATER);
    await paymentIds.untie(ID, "two");
    expect(await paymentIds.tie(ID, "two", LATER)).toBe("one");
    await paymentIds.untie(ID, "one");
    expect(await paymentIds.tie(ID, "two", LATER)).toBe("two");
  });

  test("if many callers over two connections bind one id at once, all of them learn the same payment", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    const twenty = Array.from({ length: 20 }, () => stores).flat();
    const tied = await Promise.all(twenty.map(({ paymentIds }, i) => paymentIds.tie(ID, `print-${i}`, LATER)));
    expect(new Set(tied).size).toBe(1);
  });
}
