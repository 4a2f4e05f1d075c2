import { describe, expect, test } from "bun:test";
import { bareMonthsIn, datesAround, datesOf } from "./dates.ts";

/** A Monday. */
const NOW = Date.parse("2026-06-15T12:00:00Z");

const DAY = /^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/;
const LAST = /^(\d{4}-\d\d-\d\d)T23:59:59\.999Z$/;

/** "2026-06-01..2026-06-30 month": the first and the last day of a span, which has whole days. */
function spanOf({ from, to, precision, hasYear, isAmbiguous }: ReturnType<typeof datesOf>[number]): string {
  const first = DAY.exec(new Date(from).toISOString())?.[1];
  const last = LAST.exec(new Date(to).toISOString())?.[1];
  const days = first === last ? first : `${first}..${last}`;
  return `${days} ${precision}${hasYear ? "" : ", no year"}${isAmbiguous ? ", ambiguous" : ""}`;
}

describe("the dates in a text", () => {
  const cases: readonly (readonly [text: string, ...spans: string[]])[] = [
    ["Released 2026-03-09.", "2026-03-09 day"],
    ["Number 2026-13-09.", "2026-01-01..2026-12-31 year"],
    ["Number 2026-00-10.", "2026-01-01..2026-12-31 year"],
    ["On 2026年3月9日.", "2026-03-09 day"],
    ["In 2026年12月.", "2026-12-01..2026-12-31 month"],
    ["In 2026年.", "2026-01-01..2026-12-31 year"],
    ["On 12月31日.", "2025-12-31 day, no year"],
    ["On 3月9日.", "2026-03-09 day, no year"],
    ["On the 1st of February 2025.", "2025-02-01 day"],
    ["On 31 January 2026 and on 1 January 2026.", "2026-01-31 day", "2026-01-01 day"],
    ["Am 3. März.", "2026-03-03 day, no year"],
    ["Between 20 and 26 January 2024.", "2024-01-20 day", "2024-01-26 day"],
    ["Vom 20. bis 26. Januar 2024.", "2024-01-20 day", "2024-01-26 day"],
    ["Del 3 al 9 de mayo.", "2026-05-03 day, no year", "2026-05-09 day, no year"],
    ["On 3–9 May 2024.", "2024-05-03 day", "2024-05-09 day"],
    ["Chapter 9 to 3 May 2024.", "2024-05-03 day"],
    ["Room 0 and 3 May 2024.", "2024-05-03 day"],
    ["Between 1 January and 28 February 2024.", "2024-01-01 day", "2024-02-28 day"],
    ["From 20 December to 3 January 2024.", "2023-12-20 day", "2024-01-03 day"],
    ["From 20 December 2023 to 3 January.", "2023-12-20 day", "2024-01-03 day"],
    ["On 20 December, before 3 January 2024.", "2025-12-20 day, no year", "2024-01-03 day"],
    ["In the second quarter of 2024.", "2024-04-01..2024-06-30 quarter"],
    ["Im ersten Quartal 2024.", "2024-01-01..2024-03-31 quarter"],
    ["Au quatrième trimestre 2024.", "2024-10-01..2024-12-31 quarter"],
    ["The last quarter of 2024.", "2024-10-01..2024-12-31 quarter"],
    ["El 2 de mayo de 2026.", "2026-05-02 day"],
    ["Le 1er août 2026.", "2026-08-01 day"],
    ["On 32 May 2026.", "2026-05-01..2026-05-31 month"],
    ["On 0 May 2026.", "2026-05-01..2026-05-31 month"],
    ["On December 20.", "2025-12-20 day, no year"],
    ["On November 20.", "2026-11-20 day, no year"],
    ["On May 2nd, 2026.", "2026-05-02 day"],
    ["Em dezembro de 2025.", "2025-12-01..2025-12-31 month"],
    ["In February 2024.", "2024-02-01..2024-02-29 month"],
    ["In December it opened.", "2026-12-01..2026-12-31 month, no year"],
    ["In July it opened.", "2026-07-01..2026-07-31 month, no year"],
    ["She may go in May or so.", "2026-05-01..2026-05-31 month, no year"],
    ["Am 7.3.2026.", "2026-03-07 day"],
    ["On 13/5/2026.", "2026-05-13 day"],
    ["On 5/13/2026.", "2026-05-13 day"],
    ["On 12/11/2026.", "2026-11-12..2026-12-11 day, ambiguous"],
    ["On 11/11/2026.", "2026-11-11 day"],
    ["On 12/13/2026.", "2026-12-13 day"],
    ["On 13/12/2026.", "2026-12-13 day"],
    ["On 12/12/2026.", "2026-12-12 day"],
    ["On 12/1/2026.", "2026-01-12..2026-12-01 day, ambiguous"],
    ["On 1/12/2026.", "2026-01-12..2026-12-01 day, ambiguous"],
    ["On 13/13/2026.", "2026-01-01..2026-12-31 year"],
    ["In Q1 2026 and Q4-2026.", "2026-01-01..2026-03-31 quarter", "2026-10-01..2026-12-31 quarter"],
    ["In 2025/26.", "2025-07-01..2026-06-30 year"],
    ["In 2025–2026.", "2025-07-01..2026-06-30 year"],
    ["It cost $2,000 or 2000% in 1999.", "1999-01-01..1999-12-31 year"],
    ["Nothing in 1899 or 2100."],
  ];
  test.each(cases)("%s", (text, ...spans) => {
    expect(datesOf(text, NOW).map(spanOf)).toEqual(spans);
  });

  test("come in order, with their places", () => {
    const text = "In 2024, after May 2, 2026.";
    expect(datesOf(text, NOW).map(({ start, end }) => text.slice(start, end))).toEqual(["2024", "May 2, 2026"]);
  });

  test("of a known order are not ambiguous", () => {
    expect(datesOf("On 5/6/2026.", NOW, "day").map(spanOf)).toEqual(["2026-06-05 day"]);
    expect(datesOf("On 5/6/2026.", NOW, "month").map(spanOf)).toEqual(["2026-05-06 day"]);
    expect(datesOf("On 5/13/2026.", NOW, "day").map(spanOf)).toEqual(["2026-05-13 day"]);
  });

  test("are at most 40", () => {
    expect(datesOf("2026-03-09 ".repeat(41), NOW)).toHaveLength(40);
  });
});

describe("the dates that a text of a known day counts from it", () => {
  const cases: readonly (readonly [text: string, ...spans: string[]])[] = [
    ["He resigned yesterday.", "2026-06-14 day, no year"],
    ["He resigned today.", "2026-06-15 day, no year"],
    ["He resigns tomorrow.", "2026-06-16 day, no year"],
    ["Er trat gestern zurück.", "2026-06-14 day, no year"],
    ["He resigned on Monday.", "2026-06-15 day, no year"],
    ["He resigned on Sunday.", "2026-06-14 day, no year"],
    ["He resigned on Tuesday.", "2026-06-09 day, no year"],
    ["He resigns next Tuesday.", "2026-06-16 day, no year"],
    ["He resigns next Monday.", "2026-06-22 day, no year"],
    ["Il part mardi prochain.", "2026-06-16 day, no year"],
    ["Sale el martes que viene.", "2026-06-16 day, no year"],
    ["Esce sabato prossimo.", "2026-06-20 day, no year"],
    ["He resigned on Tuesday, 2 June 2026.", "2026-06-02 day"],
    ["On 2 June 2026, Tuesday.", "2026-06-02 day"],
    ["In May he spoke; he resigned on Sunday.", "2026-05-01..2026-05-31 month, no year", "2026-06-14 day, no year"],
  ];
  test.each(cases)("%s", (text, ...spans) => {
    expect(datesAround(text, NOW).map(spanOf)).toEqual(spans);
  });
});

test.each([
  ["388,000 cars in April", [3]],
  ["im März", [2]],
  ["in the first quarter", [0, 1, 2]],
  ["in the second quarter, and in May", [4, 3, 4, 5]],
  ["in the fourth quarter", [9, 10, 11]],
  ["in April 2026", []],
])("the months of %j without a year are %p", (text, months) => {
  expect(bareMonthsIn(text)).toEqual(months);
});
