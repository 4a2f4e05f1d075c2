import { expect, test } from "bun:test";
import { slopeOf } from "./memory.ts";

function at(minutes: number, kib: number): { minutes: number; kib: number } {
  return { minutes, kib };
}

test("the slope is that of the line that fits best", () => {
  expect(slopeOf([at(0, 10), at(1, 30), at(2, 50)])).toBeCloseTo(20);
  expect(slopeOf([at(0, 10), at(1, 90), at(2, 10)])).toBeCloseTo(0);
  expect(slopeOf([at(0, 10), at(1, 90)])).toBe(0);
  expect(slopeOf([at(1, 1), at(1, 2), at(1, 3)])).toBe(0);
});
