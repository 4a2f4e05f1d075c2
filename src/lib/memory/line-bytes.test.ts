import { expect, test } from "bun:test";
import fc from "fast-check";
import { FixedText } from "./fixed-text.ts";
import { LineBytes } from "./line-bytes.ts";

const nothing = new FixedText("");
const start = new FixedText('{"a":');

function written(write: (line: LineBytes) => void, size = 4096): string {
  const line = new LineBytes(Buffer.alloc(size));
  write(line);
  expect(line.full).toBe(false);
  return line.bytes.toString("utf8", 0, line.at);
}

test("any text as JSON is read back unchanged, and has no invisible characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const json = written((line) => line.json(nothing, text));
      expect(JSON.parse(json)).toBe(text);
      expect(json).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
  expect(JSON.parse(written((line) => line.json(nothing, "\ud800")))).toBe("\ud800");
});

test("numbers are written in the form of JSON", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(written((line) => line.integer(nothing, value))).toBe(String(value));
    }),
  );
  const times: [number, string][] = [
    [0, "0.000"],
    [0.0004, "0.000"],
    [1.23456, "1.235"],
    [0.9996, "1.000"],
    [86_400_000.5, "86400000.500"],
  ];
  for (const [ms, text] of times) expect(written((line) => line.millis(nothing, ms))).toBe(text);
  expect(written((line) => line.millis(start, 1.5))).toBe('{"a":1.500');
  expect(written((line) => line.integer(start, 7))).toBe('{"a":7');
});

test("other text is UTF-8", () => {
  expect(written((line) => line.text("aé€😀"))).toBe("aé€😀");
  expect(written((line) => line.fixed(start))).toBe('{"a":');
});

test("a line that does not fit is marked as full, and nothing is written beyond the end", () => {
  for (let size = 0; size < 40; size++) {
    const bytes = Buffer.alloc(64, 0x2a);
    const line = new LineBytes(bytes.subarray(0, size));
    line.fixed(start);
    line.json(nothing, "\u0001\u0002");
    line.integer(nothing, 123_456);
    line.millis(nothing, 1.5);
    line.text("€");
    expect(line.full).toBe(true);
    expect(bytes.subarray(size).every((byte) => byte === 0x2a)).toBe(true);
    line.fixed(new FixedText("x"));
    expect(line.at).toBeLessThanOrEqual(size);
  }
});

test("a line that fits exactly is not full", () => {
  for (const text of ["x".repeat(20), "é".repeat(10), "€".repeat(6)]) {
    const size = Buffer.byteLength(text);
    expect(written((line) => line.text(text), size)).toBe(text);
    expect(written((line) => line.json(nothing, `"${text}`), size + 4)).toBe(JSON.stringify(`"${text}`));
  }
});
