import { expect, test } from "bun:test";
import { ageText } from "./age-text.ts";

test.each([
  [0, "0 s"],
  [-5000, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [61_000, "1 min 1 s"],
  [7_380_000, "2 h 3 min"],
  [86_400_000, "1 d"],
  [90_000_000, "1 d 1 h"],
  [3_600_000, "1 h"],
  [3_605_000, "1 h"],
  [100_000_000, "1 d 3 h"],
])("%d ms ago is %j", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
