import { expect, test } from "bun:test";
import { evaluate, rangeApplies, readConditions } from "./request-conditions.ts";

const FILE = { etag: '"a-1"', modifiedAt: Date.UTC(2026, 0, 1, 12) };
const BEFORE = "Thu, 01 Jan 2026 11:59:59 GMT";
const SAME = "Thu, 01 Jan 2026 12:00:00 GMT";
const AFTER = "Thu, 01 Jan 2026 12:00:01 GMT";

const CASES: readonly (readonly [fields: string, outcome: 200 | 304 | 412])[] = [
  ["", 200],
  ["Accept: */*\r\n", 200],
  // §13.1.1: strong comparison.
  ['If-Match: "a-1"\r\n', 200],
  ['If-Match: "b", "a-1"\r\n', 200],
  ['If-Match: "b"\r\nIf-Match: "a-1"\r\n', 200],
  ["If-Match: *\r\n", 200],
  ['If-Match: "b"\r\n', 412],
  ['If-Match: W/"a-1"\r\n', 412],
  ["If-Match: a-1\r\n", 412],
  ["If-Match: \r\n", 412],
  ['If-Match: "x,"a-1"\r\n', 412],
  // §13.1.2: weak comparison.
  ['If-None-Match: "a-1"\r\n', 304],
  ['If-None-Match: W/"a-1"\r\n', 304],
  ['if-none-match: "b" , W/"a-1"\r\n', 304],
  ["If-None-Match: *\r\n", 304],
  ['If-None-Match: "b"\r\n', 200],
  ['If-None-Match: "a"\r\n', 200],
  ["If-None-Match: a-1\r\n", 200],
  ['If-None-Match: "a-1\r\n', 200],
  ['If-None-Match: "A-1"\r\n', 200],
  // §13.1.3, §13.1.4: dates; an invalid date is ignored.
  [`If-Modified-Since: ${BEFORE}\r\n`, 200],
  [`If-Modified-Since: ${SAME}\r\n`, 304],
  [`If-Modified-Since: ${AFTER}\r\n`, 304],
  ["If-Modified-Since: yesterday\r\n", 200],
  [`If-Modified-Since: ${AFTER}\r\nIf-Modified-Since: ${AFTER}\r\n`, 200],
  [`If-Unmodified-Since: ${BEFORE}\r\n`, 412],
  [`If-Unmodified-Since: ${SAME}\r\n`, 200],
  [`If-Unmodified-Since: ${AFTER}\r\n`, 200],
  ["If-Unmodified-Since: yesterday\r\n", 200],
  // §13.2.2: precedence.
  [`If-Match: "a-1"\r\nIf-Unmodified-Since: ${BEFORE}\r\n`, 200],
  [`If-Match: "b"\r\nIf-Unmodified-Since: ${AFTER}\r\n`, 412],
  ['If-Match: "b"\r\nIf-None-Match: "a-1"\r\n', 412],
  ['If-Match: "a-1"\r\nIf-None-Match: "a-1"\r\n', 304],
  [`If-None-Match: "b"\r\nIf-Modified-Since: ${AFTER}\r\n`, 200],
  [`If-None-Match: "a-1"\r\nIf-Modified-Since: ${BEFORE}\r\n`, 304],
  [`If-Unmodified-Since: ${BEFORE}\r\nIf-None-Match: "a-1"\r\n`, 412],
  [`If-Unmodified-Since: ${AFTER}\r\nIf-Modified-Since: ${AFTER}\r\n`, 304],
];

test("preconditions are evaluated in the order of RFC 9110 §13.2.2", () => {
  for (const [fields, outcome] of CASES) {
    expect([fields, evaluate(readConditions(fields), FILE)]).toEqual([fields, outcome]);
  }
});

test("If-Modified-Since counts if its date is past, or is the file's date", () => {
  const outcomes = [BEFORE, SAME, AFTER].map((date) =>
    evaluate(readConditions(`If-Modified-Since: ${date}\r\n`), FILE, FILE.modifiedAt - 1000),
  );
  expect(outcomes).toEqual([200, 304, 200]);
});

test("If-Range accepts only the same strong tag or the exact date (RFC 9110 §13.1.5)", () => {
  const cases: readonly (readonly [value: string, applies: boolean])[] = [
    ['"a-1"', true],
    ['W/"a-1"', false],
    ['"b"', false],
    ['"a-1", "b"', false],
    ["*", false],
    [SAME, true],
    [BEFORE, false],
    [AFTER, false],
    ["yesterday", false],
    ["", false],
  ];
  for (const [value, applies] of cases) {
    const conditions = readConditions(`Range: bytes=0-1\r\nIf-Range: ${value}\r\n`);
    expect([value, rangeApplies(conditions, FILE)]).toEqual([value, applies]);
  }
  expect(rangeApplies(readConditions("Range: bytes=0-1\r\n"), FILE)).toBe(true);
});

test("a long list of tags is read in one pass", () => {
  const fields = `If-None-Match: ${'"x'.repeat(15_000)}\r\n`;
  const began = performance.now();
  expect(evaluate(readConditions(fields), FILE)).toBe(200);
  expect(performance.now() - began).toBeLessThan(1000);
});
