import { expect, test } from "bun:test";
import { BodyBytes } from "./body-bytes.ts";

const MAX_EDITED_BYTES = 16 * 1024 * 1024;

function bytesOf(...pieces: readonly string[]): BodyBytes {
  const body = new BodyBytes();
  for (const piece of pieces) body.append(Buffer.from(piece));
  return body;
}

const textOf = (body: BodyBytes): string => Buffer.concat(body.take()).toString();

test("a range is replaced, and what exceeds the body is cut off", () => {
  for (const [start, length, text] of [
    [2, 2, "ab+ef"],
    [0, 0, "+abcdef"],
    [0, 99, "+"],
    [4, 99, "abcd+"],
    [99, 1, "abcdef+"],
  ] as const) {
    const body = bytesOf("abc", "def");
    expect([body.splice(start, length, Buffer.from("+")), body.length, body.isChanged]).toEqual([
      true,
      text.length,
      true,
    ]);
    expect(Buffer.from(body.view(0, 99)).toString()).toBe(text);
    expect([textOf(body), body.length, body.isChanged]).toEqual([text, 0, false]);
  }
});

test("a body is edited up to its limit, to the byte, and is the same after an edit that is refused", () => {
  const body = new BodyBytes();
  body.append(new Uint8Array(MAX_EDITED_BYTES));
  expect([body.splice(100, 10, new Uint8Array(11)), body.isChanged]).toEqual([false, false]);
  expect([body.splice(100, 10, new Uint8Array(10)), body.length]).toEqual([true, MAX_EDITED_BYTES]);
});

test("a filter reads across pieces, and pieces that follow are added", () => {
  const body = bytesOf("ab", "cd");
  expect(Buffer.from(body.view(1, 2)).toString()).toBe("bc");
  expect([body.length, body.memory]).toEqual([4, 4]);
  body.append(Buffer.from("e"));
  body.append(new Uint8Array());
  expect([body.length, body.memory]).toEqual([5, 5]);
  expect(Buffer.from(body.view(3, 9)).toString()).toBe("de");
  expect([textOf(body), body.memory]).toEqual(["abcde", 0]);
});

test("pieces that are read are joined with room for as many bytes again", () => {
  const body = new BodyBytes();
  const [KIB, size] = [1024, 64 * 1024];
  for (let i = 0; i < 2; i++) body.append(new Uint8Array(size).fill(i));
  expect([body.view(size - 1, 2), body.memory]).toEqual([Uint8Array.of(0, 1), 2 * size]);
  body.append(new Uint8Array(size).fill(2));
  expect([body.memory, body.view(2 * size - 1, 2)]).toEqual([3 * size, Uint8Array.of(1, 2)]);
  expect(body.memory).toBe(4 * size);
  body.append(new Uint8Array(KIB).fill(3));
  expect([body.view(3 * size, 1), body.memory, body.length]).toEqual([Uint8Array.of(3), 4 * size, 3 * size + KIB]);
  expect(Buffer.concat(body.take()).length).toBe(3 * size + KIB);
});
