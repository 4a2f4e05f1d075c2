import { expect, test } from "bun:test";
import { isWithin } from "./is-within.ts";

test.each([
  ["just now", 0, true],
  ["a short time ago", 999, true],
  ["when the time is over", 1000, false],
  ["a short time before the clock was set back a little", -999, true],
  ["before the clock was set back by the time", -1000, false],
  ["never", Number.POSITIVE_INFINITY, false],
])("%s", (_, age, expected) => {
  expect(isWithin(1_800_000_000_000 - age, 1000, 1_800_000_000_000)).toBe(expected);
});
