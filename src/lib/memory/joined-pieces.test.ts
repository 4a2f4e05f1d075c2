import { expect, test } from "bun:test";
import { JoinedPieces } from "./joined-pieces.ts";

const COUNT = 100_000;
const TEXT = Buffer.alloc(COUNT, "abcdefg");

test("pieces of one byte are few objects", () => {
  const pieces = new JoinedPieces();
  for (let at = 0; at < COUNT; at++) pieces.add(TEXT.subarray(at, at + 1));
  expect(pieces.list.length).toBeLessThan(20);
  expect(pieces.joined().equals(TEXT)).toBe(true);
});

test.each([1, 5000])("a piece of %d bytes is copied from memory that changes", (length) => {
  const pieces = new JoinedPieces();
  const memory = Buffer.alloc(length, "a");
  pieces.addCopy(memory);
  memory.fill("b");
  expect(pieces.joined().equals(Buffer.alloc(length, "a"))).toBe(true);
});
