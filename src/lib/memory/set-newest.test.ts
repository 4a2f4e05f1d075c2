import { expect, test } from "bun:test";
import { setNewest } from "./set-newest.ts";

test("a map keeps its newest entries, and an entry that is set again becomes the newest", () => {
  const map = new Map<string, number>();
  for (const [i, key] of ["a", "b", "c", "a"].entries()) setNewest(map, key, i, 3);
  expect([...map]).toEqual([
    ["b", 1],
    ["c", 2],
    ["a", 3],
  ]);
  setNewest(map, "d", 4, 3);
  expect([...map.keys()]).toEqual(["c", "a", "d"]);
});
