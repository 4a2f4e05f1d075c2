import { expect, test } from "bun:test";
import { NewestMap } from "./newest-map.ts";

test("a map keeps its newest entries, and an entry that is set again becomes the newest", () => {
  const map = new NewestMap<string, number>(3);
  for (const [i, key] of ["a", "b", "c", "a"].entries()) map.set(key, i);
  expect([...map]).toEqual([
    ["b", 1],
    ["c", 2],
    ["a", 3],
  ]);
  map.set("d", 4);
  expect([...map.keys()]).toEqual(["c", "a", "d"]);
});
