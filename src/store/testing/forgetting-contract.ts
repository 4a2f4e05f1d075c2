import { expect, test } from "bun:test";
import { HOLD_MS, type PaymentState } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const DAY_MS = 86_400_000;
const STATES: readonly PaymentState[] = ["reserved", "verified", "settling", "settled", "failed", "unknown"];

async function leave(store: Store, state: PaymentState, nonce: string, validBefore = START / 1000 + 60): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, validBefore });
  if (state !== "reserved") await store.ledger.move(payment, { state, hold: false });
}

/** For tests alone: what every store must forget, and must not. */
export function testForgetting(newDatabase: NewDatabase): void {
  test("finished payments are forgotten when they are old, and open ones never", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const state of STATES) await leave(store, state, state);
    clock.now += DAY_MS;
    expect(await store.forget(START, 100)).toBe(0);
    expect(await store.forget(START + 1, 100)).toBe(2);
    const left = await store.view.list({}, { limit: 100 });
    expect(left.map(({ state }) => state).toSorted()).toEqual(["reserved", "settling", "unknown", "verified"]);
  });

  test("a debt is forgotten no earlier than what was delivered", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment } = await store.ledger.reserve({ ...RESERVATION, validBefore: START / 1000 });
    await store.ledger.move(payment, { state: "settled", hold: false, delivered: false });
    clock.now += DAY_MS;
    expect(await store.forget(START, 100)).toBe(0);
    expect(await store.ledger.find(RESERVATION)).toMatchObject({ state: "settled", delivered: false });
  });

  test("what could still be paid with is not forgotten: its row keeps it from being used twice", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await leave(store, "settled", "0x1", START / 1000 + 2 * 86_400);
    clock.now += DAY_MS;
    expect(await store.forget(clock.now, 100)).toBe(0);
    clock.now += 2 * DAY_MS;
    expect(await store.forget(clock.now, 100)).toBe(1);
  });

  test("what somebody works on is not forgotten", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment } = await store.ledger.reserve({ ...RESERVATION, validBefore: START / 1000 - 3600 });
    await store.ledger.move(payment, { state: "settled", hold: true });
    expect(await store.forget(START + 1, 100)).toBe(0);
    clock.now += HOLD_MS + 1;
    expect(await store.forget(START + 1, 100)).toBe(1);
  });

  test("the oldest go first, a few at a time", async () => {
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
