import { expect, test } from "bun:test";
import { bytesText, countText, durationText, parseTime, timeText } from "./units.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [99_940, "99.9 kB"],
  [99_960, "100 kB"],
  [999_949, "1000 kB"],
  [999_950, "1.0 MB"],
  [1e18, "1000 PB"],
])("%d bytes are %j", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test("counts, durations and times have few characters", () => {
  expect([0, 17, 12_345, 1e6].map(countText)).toEqual(["0", "17", "12.3k", "1.0M"]);
  expect([0, 0.84, 9.96, 12.4, 999, 1234, 12_345].map(durationText)).toEqual([
    "0 ms",
    "0.8 ms",
    "10 ms",
    "12 ms",
    "999 ms",
    "1.2 s",
    "12 s",
  ]);
  expect([0, Number.NaN, 1e300].map(timeText)).toEqual(["1970-01-01T00:00:00Z", "-", "-"]);
});

test("a time is a day, a time, or an age before now", () => {
  const now = Date.parse("2026-11-21T08:30:00Z");
  const times = ["today", "2026-11-21", "2026-11-21T08:29:00Z", "90m", "1w", "tomorrow"].map((text) =>
    parseTime(text, now),
  );
  const today = Date.parse("2026-11-21");
  expect(times).toEqual([today, today, now - 60_000, now - 5_400_000, now - 604_800_000, undefined]);
});
