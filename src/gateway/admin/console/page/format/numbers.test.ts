import { expect, test } from "bun:test";
import { bytes, count, milliseconds, percent, short } from "./numbers.ts";

test.each([
  [0, "0"],
  [0.004, "0.004"],
  [0.42, "0.4"],
  [9.96, "10.0"],
  [45, "45"],
  [45.67, "45.7"],
  [999.4, "999"],
  [1234, "1,234"],
  [12_345, "12.3 k"],
  [1_234_567, "1.2 M"],
  [2_000_000_000, "2.0 G"],
])("%p is shown as %p", (value, text) => expect(short(value)).toBe(text));

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1024 * 1024 - 1, "1.0 MiB"],
  [5e15, "4.4 PiB"],
])("%p bytes are %p", (value, text) => expect(bytes(value)).toBe(text));

test.each([
  [0.004, "4.0 µs"],
  [0.0425, "43 µs"],
  [0.42, "0.4 ms"],
  [9.96, "10 ms"],
  [999.6, "1.00 s"],
  [61_000, "61 s"],
  [200_000, "3 min 20 s"],
])("%p ms are %p", (value, text) => expect(milliseconds(value)).toBe(text));

test.each([
  [0, "0 %"],
  [1, "100 %"],
  [0.99999, "99.9 %"],
  [0.00001, "< 0.01 %"],
  [0.005, "0.50 %"],
  [undefined, "–"],
])("a share of %p is %p", (value, text) => expect(percent(value)).toBe(text));

test("thousands are separated", () => expect(count(1_234_567)).toBe("1,234,567"));
