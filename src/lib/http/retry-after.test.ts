import { expect, test } from "bun:test";
import { retryWaitMs } from "./retry-after.ts";

const NOW = Date.UTC(2026, 0, 31, 12);

test.each<[string | null | undefined, number | undefined]>([
  ["0", 0],
  ["120", 120_000],
  ["Sat, 31 Jan 2026 12:00:07 GMT", 7_000],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["10000000000", undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
  [undefined, undefined],
])("the field %p asks to wait for %p ms", (field, ms) => {
  expect(retryWaitMs(field, NOW)).toBe(ms);
});
