import { expect, test } from "bun:test";
import { FacilitatorBreaker, MAX_FAILURES_IN_A_ROW, OPEN_MS } from "./circuit-breaker.ts";

function setUp() {
  const clock = { now: 1000 };
  const changes: boolean[] = [];
  const breaker = new FacilitatorBreaker({ now: () => clock.now, onChange: (isOpen) => changes.push(isOpen) });
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) breaker.failed();
  };
  return { clock, changes, breaker, fail };
}

test("the breaker opens after the maximum of failures in a row, and a response between them restarts the count", () => {
  const { breaker, changes, fail } = setUp();
  fail(MAX_FAILURES_IN_A_ROW - 1);
  breaker.succeeded();
  fail(MAX_FAILURES_IN_A_ROW - 1);
  expect([breaker.isOpen, breaker.admits()]).toEqual([false, true]);
  fail(1);
  expect([breaker.isOpen, breaker.admits()]).toEqual([true, false]);
  expect(changes).toEqual([true]);
});

test("after a while one call is let through, and a response to it closes the breaker", () => {
  const { breaker, clock, changes, fail } = setUp();
  fail(MAX_FAILURES_IN_A_ROW);
  clock.now += OPEN_MS - 1;
  expect(breaker.admits()).toBe(false);
  clock.now += 1;
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
  breaker.succeeded();
  expect([breaker.isOpen, breaker.admits()]).toEqual([false, true]);
  expect(changes).toEqual([true, false]);
});

test("a probe that fails keeps the breaker open, and a probe that never ends does not", () => {
  const { breaker, clock, changes, fail } = setUp();
  fail(MAX_FAILURES_IN_A_ROW);
  clock.now += OPEN_MS;
  expect(breaker.admits()).toBe(true);
  fail(1);
  clock.now += OPEN_MS - 1;
  expect(breaker.admits()).toBe(false);
  clock.now += 1;
  expect(breaker.admits()).toBe(true);
  clock.now += OPEN_MS;
  expect(breaker.admits()).toBe(true);
  expect(changes).toEqual([true]);
});
