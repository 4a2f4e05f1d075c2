import { expect, test } from "bun:test";
import { playOwn, playSuite, suiteFolder } from "./suite.ts";

/** Of the official suite's 1299 cases, 22 may fail. */
const LEAST_SHARE = 1277 / 1299;

test("every keyword of JSON Schema 2020-12 is kept to", () => {
  expect(playOwn().filter(({ fault }) => fault !== "")).toEqual([]);
});

const folder = suiteFolder();
test.skipIf(folder === undefined)("the official suite passes", () => {
  const results = playSuite(folder ?? "");
  const passed = results.filter(({ fault }) => fault === "").length;
  expect(passed / results.length).toBeGreaterThanOrEqual(LEAST_SHARE);
});
