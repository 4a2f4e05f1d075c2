import { expect, test } from "bun:test";
import { playFormats, playOwn, playSuite, suiteFolder } from "./suite.ts";
import { isInstalled } from "../../../src/lib/testing/installed.ts";

/** The number of cases in the oldest supported copy, that of Debian bookworm; newer ones have more. */
const LEAST_CASES = 1176;
const LEAST_FORMATS = 467;

test("every keyword of JSON Schema 2020-12 is supported", () => {
  expect(playOwn().filter(({ error }) => error !== "")).toEqual([]);
});

const folder = suiteFolder();
isInstalled("libtest-json-schema-acceptance-perl", folder !== undefined);
test.skipIf(folder === undefined)("the official suite passes", () => {
  const results = playSuite(folder ?? "");
  expect(results.filter(({ error }) => error !== "")).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(LEAST_CASES);
});

test.skipIf(folder === undefined)("every format of the official suite is checked as the suite expects", () => {
  const results = playFormats(folder ?? "");
  expect(results.filter(({ error }) => error !== "")).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(LEAST_FORMATS);
});
