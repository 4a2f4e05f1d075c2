import { expect, test } from "bun:test";
import fc from "fast-check";
import { IntegerReader, TOO_LARGE, TRUNCATED, writeInteger } from "./integer.ts";

const reader = new IntegerReader();

function read(bytes: readonly number[], mask: number): number {
  return reader.read(Uint8Array.from(bytes), 0, bytes.length, mask);
}

test.each([
  ["C.1.1: 10 with a prefix of 5 bits", [0x0a], 0x1f, 10],
  ["C.1.2: 1337 with a prefix of 5 bits", [0x1f, 0x9a, 0x0a], 0x1f, 1337],
  ["C.1.3: 42 at an octet's start", [0x2a], 0xff, 42],
  ["bits above the prefix are not the integer's", [0xea], 0x1f, 10],
  ["the prefix's own maximum needs a second byte", [0x1f, 0x00], 0x1f, 31],
  ["the largest", [0x1f, 0xe0, 0xff, 0xff, 0xff, 0x07], 0x1f, 0x7fffffff],
  ["zeros behind the value, within five bytes", [0x1f, 0x81, 0x80, 0x80, 0x80, 0x00], 0x1f, 32],
] as const)("reads %s", (_name, bytes, mask, value) => {
  expect(read(bytes, mask)).toBe(value);
  expect(reader.next).toBe(bytes.length);
});

test.each([
  ["nothing", [], TRUNCATED],
  ["a prefix that announces more", [0x1f], TRUNCATED],
  ["a continuation that announces more", [0x1f, 0x80, 0x80], TRUNCATED],
  ["2^31", [0x1f, 0xe1, 0xff, 0xff, 0xff, 0x07], TOO_LARGE],
  ["five full continuation bytes", [0x1f, 0xff, 0xff, 0xff, 0xff, 0x7f], TOO_LARGE],
  ["six continuation bytes, however small", [0x1f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], TOO_LARGE],
] as const)("refuses %s", (_name, bytes, error) => {
  expect(read(bytes, 0x1f)).toBe(error);
});

test("an encoded integer is read back, whatever the prefix", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x7fffffff }), fc.integer({ min: 1, max: 8 }), (value, bits) => {
      const mask = (1 << bits) - 1;
      const bytes = new Uint8Array(8);
      bytes[1] = 0xff & ~mask;
      const end = writeInteger(bytes, 1, mask, value);
      expect(reader.read(bytes, 1, end, mask)).toBe(value);
      expect(reader.next).toBe(end);
      expect((bytes[1] ?? 0) & ~mask).toBe(0xff & ~mask);
      expect(reader.read(bytes, 1, end - 1, mask)).toBe(TRUNCATED);
    }),
  );
});
