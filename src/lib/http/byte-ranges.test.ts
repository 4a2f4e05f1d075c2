import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseRange } from "./byte-ranges.ts";

const CASES: readonly (readonly [value: string, size: number, expected: string])[] = [
  ["bytes=0-0", 100, "0-1"],
  ["bytes=0-99", 100, "0-100"],
  ["bytes=10-19", 100, "10-20"],
  ["bytes=90-", 100, "90-100"],
  ["bytes=90-1000", 100, "90-100"],
  ["bytes=0-999999999999999", 100, "0-100"],
  // The largest 64-bit number, and a number that is infinite in JavaScript.
  ["bytes=1-9223372036854775807", 100, "1-100"],
  [`bytes=1-${"9".repeat(400)}`, 100, "1-100"],
  [`bytes=-${"9".repeat(400)}`, 100, "0-100"],
  [`bytes=${"9".repeat(400)}-`, 100, "unsatisfiable"],
  [`bytes=${"9".repeat(400)}-1`, 100, "whole"],
  ["bytes=-1", 100, "99-100"],
  ["bytes=-100", 100, "0-100"],
  ["bytes=-1000", 100, "0-100"],
  ["BYTES=1-2", 100, "1-3"],
  ["bytes=1-2, 4-5", 100, "1-3 4-6"],
  ["bytes=4-5,1-2", 100, "4-6 1-3"],
  ["bytes= 1-2 ,\t4-5 ", 100, "1-3 4-6"],
  ["bytes=,1-2,,", 100, "1-3"],
  ["bytes=1-2,200-300", 100, "1-3"],
  ["bytes=1-2,-0", 100, "1-3"],
  ["bytes=100-", 100, "unsatisfiable"],
  ["bytes=100-200,300-", 100, "unsatisfiable"],
  ["bytes=-0", 100, "unsatisfiable"],
  ["bytes=0-", 0, "unsatisfiable"],
  ["bytes=0-0", 0, "unsatisfiable"],
  ["bytes=2-1", 100, "whole"],
  ["bytes=", 100, "whole"],
  ["bytes=,", 100, "whole"],
  ["bytes=-", 100, "whole"],
  ["bytes=1", 100, "whole"],
  ["bytes=a-b", 100, "whole"],
  ["bytes=1-2;3-4", 100, "whole"],
  ["bytes=+1-2", 100, "whole"],
  ["bytes=1-2,x", 100, "whole"],
  ["bytes 1-2", 100, "whole"],
  ["bytes =1-2", 100, "whole"],
  ["items=1-2", 100, "whole"],
  // Together these are more than the file.
  ["bytes=0-,0-,0-", 100, "whole"],
  ["bytes=0-60,40-99", 100, "whole"],
  // 16 ranges are served, 17 are not.
  [`bytes=${Array.from({ length: 16 }, (_, n) => `${n}-${n}`).join(",")}`, 100, range(16)],
  [`bytes=${Array.from({ length: 17 }, (_, n) => `${n}-${n}`).join(",")}`, 100, "whole"],
];

function range(count: number): string {
  return Array.from({ length: count }, (_, n) => `${n}-${n + 1}`).join(" ");
}

test("a Range field is read according to RFC 9110 §14.1", () => {
  for (const [value, size, expected] of CASES) {
    const found = parseRange(value, size);
    const text = typeof found === "string" ? found : found.map(({ from, to }) => `${from}-${to}`).join(" ");
    expect([value, size, text]).toEqual([value, size, expected]);
  }
});

test("for any field no range leaves the file or is empty, and together they are no larger than the file", () => {
  const number = fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined });
  const spec = fc.tuple(number, number).map(([a, b]) => `${a ?? ""}-${b ?? ""}`);
  const field = fc.array(spec, { maxLength: 20 }).map((specs) => `bytes=${specs.join(",")}`);
  fc.assert(
    fc.property(field, fc.integer({ min: 0, max: 30 }), (value, size) => {
      const found = parseRange(value, size);
      if (typeof found === "string") return;
      let total = 0;
      for (const { from, to } of found) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(size);
        total += to - from;
      }
      expect(found.length).toBeGreaterThan(0);
      expect(total).toBeLessThanOrEqual(size);
    }),
  );
});
