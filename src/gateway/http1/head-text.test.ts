import { expect, test } from "bun:test";
import { headText } from "./head-text.ts";

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
