import { describe, expect, test } from "bun:test";
import { isNear, isWithin, itemsBefore, overlap, type Range, textBefore } from "./ranges.ts";

/** The place of "x" marks: "  xx " is from 2 to 4. */
function range(marks: string): Range {
  return { start: marks.indexOf("x"), end: marks.lastIndexOf("x") + 1 };
}

const WHOLE = range("   xxxx");

describe.each([
  ["xxx", { overlaps: false, isWithin: false, isNear: true }],
  ["xx", { overlaps: false, isWithin: false, isNear: true }],
  ["x", { overlaps: false, isWithin: false, isNear: false }],
  ["xxxx", { overlaps: true, isWithin: false, isNear: true }],
  ["  xxxxxx", { overlaps: true, isWithin: false, isNear: true }],
  ["   xxxx", { overlaps: true, isWithin: true, isNear: true }],
  ["    xx", { overlaps: true, isWithin: true, isNear: true }],
  ["   xxxxx", { overlaps: true, isWithin: false, isNear: true }],
  ["  xxxxx", { overlaps: true, isWithin: false, isNear: true }],
  ["       xx", { overlaps: false, isWithin: false, isNear: true }],
  ["        x", { overlaps: false, isWithin: false, isNear: true }],
  ["         x", { overlaps: false, isWithin: false, isNear: false }],
])("%j beside %j", (marks, expected) => {
  const one = range(marks);

  test("has characters in common with it, or not", () => {
    expect(overlap(one, WHOLE)).toBe(expected.overlaps);
    expect(overlap(WHOLE, one)).toBe(expected.overlaps);
  });

  test("lies in it, or not", () => {
    expect(isWithin(one, WHOLE)).toBe(expected.isWithin);
  });

  test("is at most one character away, or not", () => {
    expect(isNear(one, WHOLE, 1)).toBe(expected.isNear);
    expect(isNear(WHOLE, one, 1)).toBe(expected.isNear);
  });
});

test.each([
  [0, 2, ""],
  [1, 2, "a"],
  [2, 2, "ab"],
  [3, 2, "bc"],
  [4, 1, "d"],
])("before place %d are at most %d of abcd: %j", (at, most, expected) => {
  expect(textBefore("abcd", at, most)).toBe(expected);
  expect(itemsBefore(["a", "b", "c", "d"], at, most).join("")).toBe(expected);
});

test("before a place that was not found is nothing", () => {
  expect(itemsBefore(["a", "b"], -1, 2)).toEqual([]);
});
