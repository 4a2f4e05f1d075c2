import { expect, test } from "bun:test";
import { playOwn, playSuite, suiteFolder } from "./suite.ts";

/** Cases of the oldest copy that is played, Debian bookworm's; newer ones have more. */
const LEAST_CASES = 1176;

test("every keyword of JSON Schema 2020-12 is kept to", () => {
  expect(playOwn().filter(({ fault }) => fault !== "")).toEqual([]);
});

const folder = suiteFolder();
test.skipIf(folder === undefined)("the official suite passes", () => {
  const results = playSuite(folder ?? "");
  expect(results.filter(({ fault }) => fault !== "")).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(LEAST_CASES);
});
