import { expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { UnreadBytes } from "./unread-bytes.ts";

const BUFFER = 1024;

function poolOf(bufferCount: number): BufferPool {
  return new BufferPool({ bufferSize: BUFFER, bufferCount, reserve: 0 });
}

test("bytes are kept in order until they are taken, which releases their buffers", () => {
  const pool = poolOf(4);
  const unread = new UnreadBytes(pool);
  expect([unread.empty, unread.take(), pool.used]).toEqual([true, undefined, 0]);
  expect([unread.keep(Buffer.from("ab")), unread.keep(Buffer.from("cd")), unread.keep(Buffer.from("ef"))]).toEqual([
    true,
    true,
    true,
  ]);
  expect(unread.empty).toBe(false);
  expect(pool.used).toBeGreaterThan(0);
  expect(unread.take()?.toString()).toBe("abcdef");
  expect([unread.empty, unread.take(), pool.used]).toEqual([true, undefined, 0]);
});

test("a small piece of a large read does not keep the whole buffer, but half of it does", () => {
  const large = Buffer.from(new ArrayBuffer(BUFFER * 2));
  for (const [length, isSame] of [
    [BUFFER - 1, false],
    [BUFFER, true],
  ] as const) {
    const unread = new UnreadBytes(poolOf(64));
    expect(unread.keep(large.subarray(0, length))).toBe(true);
    const taken = unread.take();
    expect([taken?.length, taken?.buffer === large.buffer]).toEqual([length, isSame]);
  }
});

test("bytes that get no buffer are refused, and nothing is kept", () => {
  const pool = poolOf(2);
  const unread = new UnreadBytes(pool);
  expect(unread.keep(Buffer.from(new ArrayBuffer(BUFFER)))).toBe(true);
  expect(unread.keep(Buffer.from(new ArrayBuffer(BUFFER * 9)))).toBe(false);
  expect([unread.empty, unread.take(), pool.used]).toEqual([true, undefined, 0]);
});
