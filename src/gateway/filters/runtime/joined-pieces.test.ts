import { expect, test } from "bun:test";
import { PieceList } from "../piece-list.ts";
import { BodyBytes } from "../proxy-wasm/body-bytes.ts";

const COUNT = 100_000;
/** Bytes for pieces of one byte, with a large piece among them. */
const TEXT = Buffer.alloc(COUNT, "abcdefg");
const LARGE = Buffer.alloc(3000, "x");

function* pieces(): Generator<Uint8Array> {
  for (let i = 0; i < COUNT; i++) yield TEXT.subarray(i, i + 1);
  yield LARGE;
  yield TEXT.subarray(0, 1);
}
const WHOLE = Buffer.concat([TEXT, LARGE, TEXT.subarray(0, 1)]);

test("a body that arrives byte by byte is held for a proxy-wasm filter in few pieces", () => {
  const body = new BodyBytes();
  for (const piece of pieces()) body.append(piece);
  const taken = body.take();
  expect(taken.length).toBeLessThan(20);
  expect(Buffer.concat(taken).equals(WHOLE)).toBe(true);
  for (const piece of [TEXT.subarray(0, 3), TEXT.subarray(3, 5)]) body.append(piece);
  expect(Buffer.from(body.view(1, 3)).toString()).toBe("bcd");
  expect(body.splice(1, 1, Buffer.from("-"))).toBe(true);
  body.append(TEXT.subarray(5, 7));
  expect(Buffer.concat(body.take()).toString()).toBe("a-cdefg");
  // The taken pieces have not changed.
  expect(Buffer.concat(taken).equals(WHOLE)).toBe(true);
});

test("a body that is read after each byte is joined few times", () => {
  const body = new BodyBytes();
  const memories = new Set<ArrayBufferLike>();
  for (let i = 0; i < COUNT; i++) {
    body.append(TEXT.subarray(i, i + 1));
    memories.add(body.view(0, i + 1).buffer);
  }
  expect(memories.size).toBeLessThan(40);
  expect(body.memory).toBeLessThanOrEqual(2 * COUNT);
  expect(body.splice(0, 1, Buffer.from("-"))).toBe(true);
  expect([body.length, body.memory]).toEqual([COUNT, COUNT]);
  expect(Buffer.from(body.view(0, 3)).toString()).toBe("-bc");
  body.append(TEXT.subarray(0, 1));
  expect(Buffer.concat(body.take()).toString()).toBe(`-${TEXT.toString("latin1", 1)}a`);
  expect([body.length, body.memory]).toEqual([0, 0]);
});

test("a body that arrives byte by byte is held for a filter for the Turnpike ABI in few pieces", () => {
  const list = new PieceList({ take: () => true, give() {} });
  for (const piece of pieces()) list.push(piece, 0, piece.length);
  expect(Buffer.from(list.first(7)).toString()).toBe("abcdefg");
  const sent: Uint8Array[] = [];
  list.sendTo({
    data: (chunk, start = 0, end = chunk.length) => sent.push(chunk.subarray(start, end)) > 0,
    end() {},
    abort() {},
  });
  expect(sent.length).toBeLessThan(20);
  expect(Buffer.concat(sent).equals(WHOLE)).toBe(true);
});
