import { expect, test } from "bun:test";
import { until } from "./until.ts";

test.each([
  [
    [1, 2, 3, 4],
    [1, 2],
  ],
  [[3, 1], []],
  [
    [1, 2],
    [1, 2],
  ],
  [[], []],
])("%j has %j before the first 3", (items, expected) => {
  expect(until(items, (item) => item === 3)).toEqual(expected);
});

test("a place can end a list", () => {
  expect(until(["a", "b", "c"], (_, at) => at === 2)).toEqual(["a", "b"]);
});
