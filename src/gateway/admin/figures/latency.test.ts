import { expect, test } from "bun:test";
import { countedSince, percentile } from "./latency.ts";

const BOUNDS = [1, 10, 100];

test("percentiles are interpolated within their bucket", () => {
  expect(percentile(BOUNDS, [10, 0, 0, 0], 0.5)).toEqual({ ms: 0.5, isAbove: false });
  expect(percentile(BOUNDS, [50, 50, 0, 0], 0.5)).toEqual({ ms: 1, isAbove: false });
  expect(percentile(BOUNDS, [50, 50, 0, 0], 0.75)).toEqual({ ms: 5.5, isAbove: false });
  expect(percentile(BOUNDS, [0, 0, 100, 0], 0.99)).toEqual({ ms: 99.1, isAbove: false });
});

test("a latency above the last bound is marked", () => {
  expect(percentile(BOUNDS, [0, 0, 1, 99], 0.5)).toEqual({ ms: 100, isAbove: true });
});

test("without requests there is no percentile", () => {
  expect(percentile(BOUNDS, [0, 0, 0, 0], 0.99)).toBeUndefined();
  expect(percentile([], [], 0.5)).toBeUndefined();
});

test("counters that were reset count from 0", () => {
  expect(countedSince([5, 7], [1, 7])).toEqual([4, 0]);
  expect(countedSince([1, 7], [5, 7])).toEqual([1, 7]);
  expect(countedSince([1, 7], undefined)).toEqual([1, 7]);
});

test.each([
  [[0, 0, 0, 0], 0.5, undefined],
  [[10, 0, 0, 0], 0.5, 0.5],
  [[1, 0, 0, 0], 0.5, 0.5],
  [[0, 10, 0, 0], 0.5, 5.5],
  [[50, 49, 1, 0], 0.5, 1],
  [[50, 49, 1, 0], 0.99, 10],
  [[50, 49, 1, 0], 1, 100],
  [[0, 0, 0, 10], 0.5, 100],
])("of %j, the part %d is at most %p ms", (counts, part, value) => {
  const found = percentile(BOUNDS, counts, part)?.ms;
  if (value === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(value, 10);
});
