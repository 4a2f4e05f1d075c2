import { expect, test } from "bun:test";
import { cpuNanoseconds, medianInterval } from "./cpu-time.ts";

test("the interval of a median lies between order statistics, and covers all values if there are few", () => {
  const values = Array.from({ length: 100 }, (_, n) => n + 1);
  expect(medianInterval(values.toReversed())).toEqual({ low: 41, median: 50.5, high: 60 });
  expect(medianInterval([3, 1, 2])).toEqual({ low: 1, median: 2, high: 3 });
  expect(medianInterval([])).toEqual({ low: Number.NaN, median: Number.NaN, high: Number.NaN });
});

test("the CPU time of a busy process grows, and is 0 for a process that has ended", () => {
  const before = cpuNanoseconds(process.pid);
  expect(before).toBeGreaterThan(0);
  let after = before;
  // If the time never advances, the test fails at its timeout.
  while (after === before) after = cpuNanoseconds(process.pid);
  expect(after).toBeGreaterThan(before);
  expect(cpuNanoseconds(2 ** 30)).toBe(0);
});
