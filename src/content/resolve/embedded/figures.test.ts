import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const STORMS = "Did the Sable Basin have at least 8 named storms in 2026?";
const CASES = "Did Halloway report more than 500 new measles cases in May 2026?";

test.each([
  ["the number of things that an adjective describes", STORMS, "The Sable Basin had nine named storms in 2026.", "YES"],
  ["an average tells nothing of the year", STORMS, "The Sable Basin averages 8.1 named storms a season.", "UNCERTAIN"],
  ["other things of the same kind", STORMS, "The Sable Basin had nine strong winds in 2026.", "UNCERTAIN"],
  ["a number in words", CASES, "Halloway reported ninety-one new measles cases in May 2026.", "NO"],
  ["a fraction of a scale", CASES, "Halloway reported half a million new measles cases in May 2026.", "YES"],
  ["a row for the month", CASES, "Measles in Halloway.\n\nMonth\tCases\n\nApril\t610\n\nMay\t103\n\n", "NO"],
  ["a row for another month", CASES, "Measles in Halloway.\n\nMonth\tCases\n\nApril\t610\n\n", "UNCERTAIN"],
] as const)("figures: %s (%s %s)", async (_, question, text, verdict) => {
  const read = await verdictOf(question, [text, text.replace("Halloway", "the town of Halloway")]);
  expect(read.replace("LIKELY_", "")).toBe(verdict);
});
