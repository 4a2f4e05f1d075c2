import { expect, test } from "bun:test";
import { type MemorySample, troughsOf } from "./memory.ts";

/** Samples of these KiB, one minute apart. */
function samples(...kib: readonly number[]): MemorySample[] {
  return kib.map((value, minutes) => ({ minutes, kib: value }));
}

test("memory that rises and falls has no slope", () => {
  expect(troughsOf(samples(200, 300, 400, 200, 300, 400, 500))).toEqual({ early: 200, late: 200, slope: 0 });
});

test("memory whose lowest points rise has that slope", () => {
  expect(troughsOf(samples(200, 300, 400, 230, 330, 430)).slope).toBe(10);
  expect(troughsOf(samples(100, 110, 120, 130)).slope).toBe(10);
});

test("too few samples have no slope", () => {
  for (const few of [samples(), samples(10)]) expect(troughsOf(few).slope).toBe(0);
});
