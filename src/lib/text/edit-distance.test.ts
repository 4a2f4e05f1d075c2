import { expect, test } from "bun:test";
import { editDistance } from "./edit-distance.ts";

test.each([
  ["", "", 0],
  ["harbour", "harbour", 0],
  ["harbour", "harbor", 1],
  ["harbor", "harbour", 1],
  ["tides", "sides", 1],
  ["tides", "tidse", 1],
  ["tides", "itdse", 2],
  ["", "abc", 3],
  ["abc", "", 3],
])("from %p to %p there are %i edits", (from, to, edits) => {
  expect(editDistance(from, to, 5)).toBe(edits);
  expect(editDistance(from, to, edits)).toBe(edits);
});

test("beyond the maximum the result is only larger than it", () => {
  expect(editDistance("harbour", "xxxxxxxxxxxxxxx", 2)).toBeGreaterThan(2);
  expect(editDistance("tides", "itdse", 1)).toBeGreaterThan(1);
});
