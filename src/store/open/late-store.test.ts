import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { RESERVATION } from "../testing/reservation.ts";
import { LateStore } from "./late-store.ts";
import { openStore } from "./open-store.ts";

const FULL = new Error("Cannot open the store: the disk is full");

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A late store whose file can be opened once `failures` are over, and what it told. */
function late(...failures: unknown[]): { store: LateStore; told: string[]; attempts: () => number } {
  const told: string[] = [];
  let attempts = 0;
  const store = new LateStore({
    reason: FULL,
    open: () => {
      attempts += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return openStore(":memory:");
    },
    onOpen: () => told.push("open"),
    onReason: (reason) => told.push(reason),
  });
  return { store, told, attempts: () => attempts };
}

test("until the store is open, calls fail with the reason, and the gateway is ready", async () => {
  const { store } = late(FULL);
  expect(store.isOpen).toBe(false);
  await store.ready();
  expect(store.ledger.reserve(RESERVATION)).rejects.toBe(FULL);
  expect(store.usage.read("a")).rejects.toBe(FULL);
  expect(store.forget(0, 1)).rejects.toBe(FULL);
  await store.close();
});

test("it is tried again every two seconds, and then has every part", async () => {
  const { store, told, attempts } = late(FULL);
  jest.advanceTimersByTime(1999);
  expect(attempts()).toBe(0);
  jest.advanceTimersByTime(1);
  expect([attempts(), store.isOpen]).toEqual([1, false]);
  jest.advanceTimersByTime(2000);
  expect([attempts(), store.isOpen, told]).toEqual([2, true, ["open"]]);
  jest.advanceTimersByTime(60_000);
  expect(attempts()).toBe(2);
  await store.ready();
  const claim = await store.ledger.reserve(RESERVATION);
  expect(claim.leased).toBe(true);
  expect(await store.forget(0, 1)).toBe(0);
  await store.close();
  expect(store.ledger.find(RESERVATION)).rejects.toThrow();
});

test("each new reason is logged once, and is that of later calls", async () => {
  const { store, told } = late(new Error(FULL.message), new Error("denied"), new Error("denied"), "odd");
  jest.advanceTimersByTime(2000);
  expect(told).toEqual([]);
  jest.advanceTimersByTime(2000);
  jest.advanceTimersByTime(2000);
  expect(told).toEqual(["denied"]);
  expect(store.forget(0, 1)).rejects.toThrow("denied");
  jest.advanceTimersByTime(2000);
  expect(told).toEqual(["denied", "odd"]);
  await store.close();
});

test("after its end it is not tried again", async () => {
  const { store, attempts } = late(FULL);
  await store.close();
  jest.advanceTimersByTime(60_000);
  expect(attempts()).toBe(0);
});
