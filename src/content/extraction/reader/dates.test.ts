import { expect, test } from "bun:test";
import { dateIn } from "./dates.ts";

test.each<[string, string | undefined]>([
  ["Jan 30, 2025", "2025-01-30"],
  ["Posted on November 20th, 2007 by Jo", "2007-11-20"],
  ["30 January 2025 | 5 min read", "2025-01-30"],
  ["30. Januar 2025", "2025-01-30"],
  ["3 de marzo de 2024", "2024-03-03"],
  ["30 января 2025", "2025-01-30"],
  ["٣ 5 مايو 2024", "2024-05-05"],
  ["2025年1月30日", "2025-01-30"],
  ["2025-12-18T15:30:46+00:00", "2025-12-18"],
  ["18.12.2025", "2025-12-18"],
  ["28/12/2025", "2025-12-28"],
  ["12/28/25", "2025-12-28"],
  ["3/4/2026", undefined],
  ["February 31, 2025", undefined],
  ["Version 2025.1 of 12 parts", undefined],
  ["5 minutes ago", undefined],
])("%s", (text, date) => {
  expect(dateIn(text)).toBe(date);
});

test("the order of day and month with slashes depends on the language", () => {
  expect([dateIn("3/4/2026", "en-US"), dateIn("3/4/2026", "de")]).toEqual(["2026-03-04", "2026-04-03"]);
});
