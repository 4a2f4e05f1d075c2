import { expect, test } from "bun:test";
import { freeBytes } from "./free-bytes.ts";

test("the array is empty afterwards", () => {
  const bytes = Buffer.from(new ArrayBuffer(100_000));
  freeBytes(bytes);
  expect(bytes.length).toBe(0);
});

test("memory that is larger than the array stays", () => {
  const whole = new Uint8Array(100_000).fill(1);
  freeBytes(whole.subarray(1));
  expect(whole.at(-1)).toBe(1);
});
