import { expect, test } from "bun:test";
import { Throttle } from "./throttle.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_WRONG = 10;
const MAX_WRONG_OF_KNOWN = 60;
const MAX_WRONG_OF_STRANGERS = 10_000;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function throttle() {
  const clock = { now: 1000 };
  return { clock, limits: new Throttle(() => clock.now) };
}

function tryWrong(limits: Throttle, address: string, times: number): boolean[] {
  return Array.from({ length: times }, () => limits.wrong(address));
}

test("ten wrong keys in a minute make an address wait for the minute's end", () => {
  const { clock, limits } = throttle();
  expect(tryWrong(limits, "192.0.2.1", MAX_WRONG).lastIndexOf(true)).toBe(MAX_WRONG - 1);
  clock.now += 20_000;
  expect(limits.waitMs("192.0.2.1")).toBe(40_000);
  expect(limits.waitMs("192.0.2.2")).toBe(0);
  clock.now += 40_000;
  expect(limits.waitMs("192.0.2.1")).toBe(0);
  expect(tryWrong(limits, "192.0.2.1", MAX_WRONG - 1)).not.toContain(true);
  expect(limits.waitMs("192.0.2.1")).toBe(0);
  expect([limits.wrong("192.0.2.1"), limits.waitMs("192.0.2.1")]).toEqual([true, MINUTE]);
});

test("all addresses of one IPv6 network count as one", () => {
  const { limits } = throttle();
  for (let i = 0; i < MAX_WRONG; i += 1) limits.wrong(`2001:db8:1:2::${i + 1}`);
  expect(limits.waitMs("2001:db8:1:2:ffff::1")).toBeGreaterThan(0);
  expect(limits.waitMs("2001:db8:1:3::1")).toBe(0);
});

test("an address that has sent a valid key has more tries for a day, and is not a flood", () => {
  const { clock, limits } = throttle();
  limits.right("192.0.2.1");
  tryWrong(limits, "192.0.2.1", MAX_WRONG_OF_KNOWN - 1);
  expect(limits.waitMs("192.0.2.1")).toBe(0);
  expect(tryWrong(limits, "192.0.2.1", 1000).filter(Boolean)).toHaveLength(1);
  expect([limits.waitMs("192.0.2.1"), limits.isFlood("192.0.2.1")]).toEqual([MINUTE, false]);
  clock.now += DAY;
  tryWrong(limits, "192.0.2.1", MAX_WRONG);
  expect(limits.waitMs("192.0.2.1")).toBe(MINUTE);
});

test("guesses from more addresses than are remembered are limited, and operators' addresses need not wait", () => {
  const { clock, limits } = throttle();
  limits.right("192.0.2.1");
  for (let i = 0; i < MAX_WRONG_OF_STRANGERS; i += 1) limits.wrong(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect([limits.waitMs("198.51.100.1"), limits.waitMs("192.0.2.1")]).toEqual([MINUTE, 0]);
  clock.now += MINUTE;
  expect(limits.waitMs("198.51.100.1")).toBe(0);
});

test("an address that keeps trying while it has to wait counts as a flood until the minute is over", () => {
  const { clock, limits } = throttle();
  tryWrong(limits, "192.0.2.1", 99);
  expect(limits.isFlood("192.0.2.1")).toBe(false);
  tryWrong(limits, "192.0.2.1", 1);
  expect(limits.isFlood("192.0.2.1")).toBe(true);
  clock.now += MINUTE;
  expect(limits.isFlood("192.0.2.1")).toBe(false);
});

test("4,096 addresses are remembered, and those of operators are forgotten last", () => {
  const { limits } = throttle();
  limits.right("192.0.2.1");
  for (let i = 0; i < 10_000; i += 1) limits.wrong(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect(limits.size).toBe(4096);
  tryWrong(limits, "192.0.2.1", MAX_WRONG);
  expect(limits.waitMs("192.0.2.1")).toBe(0);
});
