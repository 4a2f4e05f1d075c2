import { expect, test } from "bun:test";
import { ago, clock, fullTime, isoTime } from "./times.ts";

test("times have a day unless they are of today", () => {
  const now = Date.now();
  expect(clock(now)).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(clock(Date.UTC(2001, 1, 3, 12))).toMatch(/^3 Feb 2001, \d\d:00:00$/);
  expect([clock(Number.NaN), fullTime(Number.NaN), isoTime(Number.NaN)]).toEqual(["", "", ""]);
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(fullTime(Date.UTC(2001, 1, 3, 12))).toContain("3 February 2001");
  expect([ago(1000, 1999), ago(1000, 2000), ago(1000, 201_000)]).toEqual(["just now", "1 s ago", "3 min 20 s ago"]);
});
