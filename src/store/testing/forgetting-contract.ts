import { expect, test } from "bun:test";
import { type PaymentState } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;

const DAY_MS = 86_400_000;
const STATES: readonly PaymentState[] = ["reserved", "verified", "settling", "settled", "failed", "unknown"];

async function leave(store: Store, state: PaymentState, nonce: string, validBefore = START / 1000 + 60): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, validBefore });
  if (state !== "reserved") await store.ledger.move(payment, { state, lease: false });
}

/** For tests only: which payments every store must delete, and which ones it must keep. */
export function testForgetting(newDatabase: NewDatabase): void {
  test("old finished payments are deleted, and open ones are not", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const state of STATES) await leave(store, state, state);
    clock.now += DAY_MS;
    expect(await store.forget(START, 100)).toBe(0);
    expect(await store.forget(START + 1, 100)).toBe(2);
    const left = await store.view.list({}, { limit: 100 });
    expect(left.map(({ state }) => state).toSorted()).toEqual(["reserved", "settling", "unknown", "verified"]);
  });

  test("an undelivered payment is deleted no earlier than a delivered one", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment } = await store.ledger.reserve({ ...RESERVATION, validBefore: START / 1000 });
    await store.ledger.move(payment, { state: "settled", lease: false, delivered: false });
    clock.now += DAY_MS;
    expect(await store.forget(START, 100)).toBe(0);
    expect(await store.ledger.find(RESERVATION)).toMatchObject({ state: "settled", delivered: false });
  });

  test("a payment that is still valid is not deleted: its row prevents a second use", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await leave(store, "settled", "0x1", START / 1000 + 2 * 86_400);
    clock.now += DAY_MS;
    expect(await store.forget(clock.now, 100)).toBe(0);
    clock.now += 2 * DAY_MS;
    expect(await store.forget(clock.now, 100)).toBe(1);
  });

  test("a payment is not deleted while a process works on it", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment } = await store.ledger.reserve({ ...RESERVATION, validBefore: START / 1000 - 3600 });
    await store.ledger.move(payment, { state: "settled", lease: true });
    expect(await store.forget(START + 1, 100)).toBe(0);
    clock.now += LEASE_MS + 1;
    expect(await store.forget(START + 1, 100)).toBe(1);
  });

  test("the oldest payments are deleted first, a few at a time", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (let i = 0; i < 5; i++) {
      await leave(store, "settled", `0x${i}`);
      clock.now += 1;
    }
    clock.now += DAY_MS;
    expect(await store.forget(clock.now, 2)).toBe(2);
    const left = await store.view.list({}, { limit: 100 });
    expect(left.map(({ nonce }) => nonce)).toEqual(["0x4", "0x3", "0x2"]);
  });
}
