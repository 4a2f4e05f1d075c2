import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const QUESTION = "Will the Queen open the parliament by 30 November 2026?";

test.each([
  ["4 January", "YES"],
  ["3 January", "UNCERTAIN"],
])("an event of %s, 330 days before the deadline or earlier, is that of the year before: %s", async (day, verdict) => {
  const sentences = [
    `The Queen opened the parliament on ${day} 2026.`,
    `On ${day} 2026, the Queen opened the parliament.`,
  ];
  expect<string>(await verdictOf(QUESTION, sentences)).toBe(verdict);
});
