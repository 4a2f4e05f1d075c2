import { expect, test } from "bun:test";
import { type NewNotice } from "../outbox.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const NOTICE_LEASE_MS = 60_000;

function notice(id: string): NewNotice {
  return { id, url: "https://books.example/in", body: `{"id":"${id}"}` };
}

/** Settles a new payment with a notice. */
async function settle(store: Store, id: string): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: id });
  expect(await store.ledger.move(payment, { state: "settled", lease: false, notice: notice(id) })).toBe(true);
}

/** For tests only: behaviour that every `Outbox` must have. */
export function testOutbox(newDatabase: NewDatabase): void {
  test("a notice is written with the settlement, claimed oldest first, and removed after it was accepted", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const id of ["c", "a", "b"]) {
      await settle(store, id);
      clock.now += 1;
    }
    expect(await store.outbox.size()).toBe(3);
    const [first, second] = await store.outbox.claim(2);
    expect(first).toEqual({ ...notice("c"), tries: 0, createdAt: clock.now - 3 });
    expect(second?.id).toBe("a");
    expect((await store.outbox.claim(2)).map(({ id }) => id)).toEqual(["b"]);
    await store.outbox.done("c");
    expect(await store.outbox.size()).toBe(2);
  });

  test("a refused change writes no notice", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment: earlier } = await store.ledger.reserve(RESERVATION);
    clock.now += LEASE_MS + 1;
    await store.ledger.reserve(RESERVATION);
    expect(await store.ledger.move(earlier, { state: "settled", lease: false, notice: notice("a") })).toBe(false);
    expect(await store.outbox.size()).toBe(0);
  });

  test("a settlement that is written twice is reported once", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const { payment } = await store.ledger.reserve(RESERVATION);
    for (let i = 0; i < 2; i++) {
      expect(await store.ledger.move(payment, { state: "settled", lease: true, notice: notice("a") })).toBe(true);
    }
    expect(await store.outbox.size()).toBe(1);
  });

  test("a notice is claimed by one caller, and by another after the lease has expired", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const other = await opened.another();
    await settle(store, "a");
    expect(await store.outbox.claim(10)).toHaveLength(1);
    clock.now += NOTICE_LEASE_MS - 1;
    expect(await other.outbox.claim(10)).toHaveLength(0);
    clock.now += 1;
    expect(await other.outbox.claim(10)).toHaveLength(1);
  });

  test("if many callers over two connections claim at once, one of them gets each notice", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    for (let i = 0; i < 20; i++) await settle(opened.store, `id-${i}`);
    const ten = Array.from({ length: 10 }, () => stores).flat();
    const claims = await Promise.all(ten.map(({ outbox }) => outbox.claim(3)));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(20);
  });

  test("a notice that was not accepted is due again after the given time", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await settle(store, "a");
    await store.outbox.claim(1);
    await store.outbox.postpone("a", 5000);
    clock.now += 4999;
    expect(await store.outbox.claim(1)).toHaveLength(0);
    clock.now += 1;
    expect(await store.outbox.claim(1)).toMatchObject([{ id: "a", tries: 1 }]);
    // The clock was set back.
    clock.now -= 86_400_000;
    expect(await store.outbox.claim(1)).toMatchObject([{ id: "a" }]);
  });

  test("the oldest notices are removed if there are too many", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const id of ["a", "b", "c"]) {
      await settle(store, id);
      clock.now += 1;
    }
    expect(await store.outbox.trim(3)).toBe(0);
    expect(await store.outbox.trim(2)).toBe(1);
    expect((await store.outbox.claim(10)).map(({ id }) => id)).toEqual(["b", "c"]);
  });
}
