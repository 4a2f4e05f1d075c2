import { expect, test } from "bun:test";
import { ByteWriter } from "./byte-writer.ts";

const hex = (writer: ByteWriter): string => Buffer.from(writer.done()).toString("hex");

// WebAssembly core specification, section 5.2.2: numbers as LEB128.
test.each([
  [0, "00"],
  [0x7f, "7f"],
  [0x80, "8001"],
  [624_485, "e58e26"],
  [0x4000 - 1, "ff7f"],
  [2 ** 31, "8080808008"],
  [2 ** 32 - 1, "ffffffff0f"],
])("%d has one spelling without a sign", (value, bytes) => {
  expect(hex(new ByteWriter().u32(value))).toBe(bytes);
});

test.each([
  [0, "00"],
  [63, "3f"],
  [64, "c000"],
  [-64, "40"],
  [-65, "bf7f"],
  [-123_456, "c0bb78"],
  [2 ** 31 - 1, "ffffffff07"],
  [-(2 ** 31), "8080808078"],
])("%d has one spelling with a sign", (value, bytes) => {
  expect(hex(new ByteWriter().s32(value))).toBe(bytes);
});

test("bytes keep their order when the writer grows, and have their length before them", () => {
  const writer = new ByteWriter().byte(1).raw(new Uint8Array(255).fill(2)).byte(3).raw(new Uint8Array(2000).fill(4));
  writer.name("é").sized(Uint8Array.of(6));
  const expected = [1, ...Array(255).fill(2), 3, ...Array(2000).fill(4), 2, 0xc3, 0xa9, 1, 6];
  expect(writer.length).toBe(expected.length);
  expect([...writer.done()]).toEqual(expected);
});
