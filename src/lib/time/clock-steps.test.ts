import { expect, test } from "bun:test";
import { ClockSteps } from "./clock-steps.ts";

const HOUR = 3_600_000;

/** Clocks that a test moves: time passes for both, and only the system clock is set. */
class Clocks {
  steady = 5;
  unix = 1_700_000_000_000;
  readonly steps = new ClockSteps(
    () => this.unix,
    () => this.steady,
  );

  pass(ms: number): boolean {
    this.steady += ms;
    return this.set(ms);
  }

  set(ms: number): boolean {
    this.unix += ms;
    return this.steps.isCalm();
  }
}

test("time that passes, small corrections and steps back are calm", () => {
  const clocks = new Clocks();
  expect(clocks.steps.isCalm()).toBe(true);
  for (const ms of [1, HOUR, 400 * 24 * HOUR]) expect(clocks.pass(ms)).toBe(true);
  for (const ms of [59_999, -59_999, 500, -10 * HOUR]) expect(clocks.set(ms)).toBe(true);
});

test("a step forward rests for an hour by the clock that no one sets, also if it is undone", () => {
  const clocks = new Clocks();
  expect(clocks.set(60_000)).toBe(false);
  expect(clocks.pass(HOUR - 1)).toBe(false);
  expect(clocks.pass(1)).toBe(true);
  expect(clocks.set(10 * 24 * HOUR)).toBe(false);
  expect(clocks.set(-10 * 24 * HOUR)).toBe(false);
  expect(clocks.pass(HOUR / 2)).toBe(false);
  // A further step begins the hour again.
  expect(clocks.set(24 * HOUR)).toBe(false);
  expect(clocks.pass(HOUR - 1)).toBe(false);
  expect(clocks.pass(1)).toBe(true);
});

test("a step is noticed however late it is looked for", () => {
  const clocks = new Clocks();
  clocks.unix += 2 * HOUR;
  expect(clocks.pass(24 * HOUR)).toBe(false);
});
