import { expect, test } from "bun:test";
import { cpuNanoseconds } from "./cpu-time.ts";

test("the CPU time of a busy process grows, and is 0 for a process that has ended", () => {
  const before = cpuNanoseconds(process.pid);
  expect(before).toBeGreaterThan(0);
  let after = before;
  // If the time never advances, the test fails at its timeout.
  while (after === before) after = cpuNanoseconds(process.pid);
  expect(after).toBeGreaterThan(before);
  expect(cpuNanoseconds(2 ** 30)).toBe(0);
});
