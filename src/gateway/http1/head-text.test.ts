import { expect, test } from "bun:test";
import { headText, unfinishedHeadError } from "./head-text.ts";

/** Bytes that are searched first. */
const FIRST = 2048;
const END = "\r\n\r\n";

function textOf(partial: string, chunk: string, offset = 0, limit = 65_536): string {
  return headText(partial, Buffer.from(chunk, "latin1"), offset, limit);
}

test("of a chunk whose head ends soon, only a part becomes text", () => {
  const rest = "x".repeat(10_000);
  expect(textOf("", `GET${END}${rest}`)).toHaveLength(FIRST);
  expect(textOf("", `ab${"h".repeat(FIRST - 4)}${END}${rest}`, 2)).toHaveLength(FIRST);
  expect(textOf("GET\r\n", `\r\n${rest}`)).toBe(`GET${END}${rest.slice(0, FIRST - 2)}`);
  expect(textOf("GET\r\n\r", `\n${rest}`)).toHaveLength("GET\r\n\r".length + FIRST);
});

test("of a chunk with a longer head, at most the limit of a head becomes text", () => {
  const long = "h".repeat(5000);
  expect(textOf("", long)).toBe(long);
  expect(textOf("", `ab${long}`, 2)).toBe(long);
  expect(textOf("", long, 0, 3000)).toHaveLength(3000);
  expect(textOf("partial", long, 0, 3000)).toBe(`partial${long.slice(0, 2993)}`);
  expect(textOf("partial", `ab${long}`, 2, 3000)).toBe(`partial${long.slice(0, 2993)}`);
  expect(textOf("", long, 0, 100)).toHaveLength(100);
  expect(textOf("", "h".repeat(FIRST))).toHaveLength(FIRST);
});

test("an empty line before a head is not its end", () => {
  const rest = "x".repeat(5000);
  expect(textOf("", `${END}${rest}`)).toBe(`${END}${rest}`);
  expect(textOf("", `\r\nGET${END}${rest}`)).toHaveLength(FIRST);
  // The earlier bytes contain no end, so it can only lie across the boundary.
  expect(textOf(`a${END}bcd`, rest)).toBe(`a${END}bcd${rest}`);
});

test.each([
  ["as long as the limit", "GET /".padEnd(30, "x"), 0, undefined],
  ["as long as the limit after an empty line", `\r\n${"GET /".padEnd(30, "x")}`, 2, undefined],
  ["with a longer target", "GET /".padEnd(31, "x"), 0, "uri-too-long"],
  ["with a longer target after an empty line", `\r\n${"GET /".padEnd(31, "x")}`, 2, "uri-too-long"],
  ["with a longer method", "G".repeat(31), 0, "bad-request"],
  ["with longer fields", "GET / HTTP/1.1\r\nA: b".padEnd(31, "x"), 0, "head-too-large"],
] as const)("an unfinished head %s has the error it deserves", (_what, text, start, code) => {
  const error = unfinishedHeadError(text, { start, end: -1, seen: 0, limit: 30 });
  expect(error?.code).toBe(code as NonNullable<typeof error>["code"]);
});

test.each([
  [28, undefined],
  [29, undefined],
  [30, "bad-request"],
] as const)("of an unfinished head only what arrived after %d characters is searched for errors", (at, code) => {
  const text = `${"GET /".padEnd(at, "x")}\0${"x".repeat(40 - at - 1)}`;
  const error = unfinishedHeadError(text, { start: 0, end: -1, seen: 31, limit: 100 });
  expect(error?.code).toBe(code as NonNullable<typeof error>["code"]);
});
