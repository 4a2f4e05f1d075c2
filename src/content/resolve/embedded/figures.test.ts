import { expect, test } from "bun:test";
import { sideOf, verdictOf } from "../testing/verdict-of.ts";

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

const MORE = "Did the Halden mine make more than 250 tonnes of gold in 2026?";
const LESS = "Did the Halden mine make less than 250 tonnes of gold in 2026?";
const LEAST = "Did the Halden mine make at least 250 tonnes of gold in 2026?";
const GRUBE = "Hat die Grube Halden 2026 mehr als 250 Tonnen Gold geliefert?";

test.each([
  ["", MORE, "The Halden mine did not make 300 tonnes of gold."],
  ["", MORE, "The Halden mine did not make more than 300 tonnes of gold."],
  ["NO", MORE, "The Halden mine did not make more than 250 tonnes of gold."],
  ["NO", MORE, "The Halden mine did not make 200 tonnes of gold."],
  ["", LESS, "The Halden mine did not make less than 200 tonnes of gold."],
  ["", LESS, "The Halden mine did not make more than 250 tonnes of gold."],
  ["NO", LESS, "The Halden mine did not make less than 250 tonnes of gold."],
  ["NO", LEAST, "The Halden mine did not make 250 tonnes of gold."],
  ["", LEAST, "The Halden mine did not make more than 250 tonnes of gold."],
  ["", GRUBE, "Die Grube Halden wird 300 Tonnen Gold liefern."],
  ["YES", GRUBE, "Die Grube Halden hat 300 Tonnen Gold geliefert."],
])("a negated figure decides only what it rules out: %p for %s %s", async (side, question, sentence) => {
  expect(await sideOf(question, sentence)).toBe(side);
});
