import { expect, test } from "bun:test";
import { firstNumberOf } from "./date-order.ts";
import { datesOf } from "./dates.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");

function daysOf(text: string, language = ""): string[] {
  return datesOf(text, NOW, firstNumberOf(text, language)).map(({ from, to, isAmbiguous }) => {
    const [first, last] = [from, to].map((instant) => new Date(instant).toISOString().slice(0, 10));
    return isAmbiguous ? `${first} or ${last}` : (first ?? "");
  });
}

const CASES: readonly (readonly [what: string, text: string, language: string, days: string[]])[] = [
  ["the day is above 12", "On 25/04/2026.", "en-US", ["2026-04-25"]],
  ["the day is above 12 and stands second", "On 04/25/2026.", "en-GB", ["2026-04-25"]],
  ["another date has the day first", "From 03/04/2026 to 25/04/2026.", "en-US", ["2026-04-03", "2026-04-25"]],
  ["another date has the month first", "From 03/04/2026 to 04/25/2026.", "en-GB", ["2026-03-04", "2026-04-25"]],
  ["a page of the United States", "On 03/04/2026.", "en-US", ["2026-03-04"]],
  ["a page of Great Britain", "On 03/04/2026.", "en-GB", ["2026-04-03"]],
  ["a French page", "Le 03/04/2026.", "fr", ["2026-04-03"]],
  ["a Spanish page", "El 03/04/2026.", "es-MX", ["2026-04-03"]],
  ["a Spanish page of the United States", "El 03/04/2026.", "es-US", ["2026-03-04"]],
  ["points between the numbers", "On 03.04.2026.", "en-US", ["2026-04-03"]],
  ["the same number twice", "On 04/04/2026.", "", ["2026-04-04"]],
  ["nothing that says", "On 03/04/2026.", "", ["2026-03-04 or 2026-04-03"]],
  ["English of no country", "On 03/04/2026.", "en", ["2026-03-04 or 2026-04-03"]],
  ["a month that is not one: the year alone", "On 31/31/2026.", "en-US", ["2026-01-01"]],
];

for (const [what, text, language, days] of CASES) {
  test(`a numeric date: ${what}`, () => expect(daysOf(text, language)).toEqual(days));
}

test("a text with numeric dates in both orders does not decide the order of the others", () => {
  expect(firstNumberOf("25/04/2026, 04/25/2026", "en-US")).toBeUndefined();
});
