import { expect, test } from "bun:test";
import fc from "fast-check";
import { BufferPool } from "./buffer-pool.ts";
import { ByteQueue } from "./byte-queue.ts";

const BUFFER = 65_536;

function poolOf(bufferCount: number): BufferPool {
  return new BufferPool({ bufferSize: BUFFER, bufferCount, reserve: 2 });
}

function pattern(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 31 + seed) & 0xff));
}

/** Takes `count` bytes off the queue, or all if it has fewer. */
function takeFrom(queue: ByteQueue, count: number): Buffer {
  const taken: Buffer[] = [];
  for (let left = count; left > 0; ) {
    const { first } = queue;
    if (first === undefined) break;
    const now = Math.min(left, first.end - first.start);
    taken.push(Buffer.from(first.bytes.subarray(first.start, first.start + now)));
    queue.shift(now);
    left -= now;
  }
  return Buffer.concat(taken);
}

test("bytes leave the queue in order and unchanged, and the pool gets all memory back", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 4090, max: 40_000 }));
  const step = fc.record({ push: fc.boolean(), size, offset: fc.nat(50_000), reused: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const pool = poolOf(1000);
      const queue = new ByteQueue(pool);
      const wanted: Buffer[] = [];
      const found: Buffer[] = [];
      for (const [i, { push, size: length, offset, reused }] of steps.entries()) {
        if (push) {
          const piece = pattern(length, i);
          const whole = Buffer.concat([Buffer.alloc(offset), piece, Buffer.alloc(3)]);
          expect(queue.push(whole, offset, offset + length, reused)).toBe(true);
          if (reused) whole.fill(0xee);
          wanted.push(piece);
        } else found.push(takeFrom(queue, length));
        expect(pool.used).toBeGreaterThanOrEqual(queue.length);
        expect(pool.used % BUFFER).toBe(0);
      }
      found.push(takeFrom(queue, Number.POSITIVE_INFINITY));
      expect(Buffer.concat(found).equals(Buffer.concat(wanted))).toBe(true);
      expect([queue.length, queue.first, pool.used]).toEqual([0, undefined, 0]);
    }),
    { numRuns: 200 },
  );
});

test("many small pieces take little more memory than their bytes", () => {
  const pool = poolOf(1000);
  const queue = new ByteQueue(pool);
  const read = pattern(500_000, 1);
  for (let at = 0; at < 200_000; at += 2) queue.push(read, at, at + 1);
  expect(queue.length).toBe(100_000);
  expect(pool.used).toBe(2 * BUFFER);
});

test("a small piece does not keep the memory of the large read that it is part of", () => {
  const pool = poolOf(1000);
  const queue = new ByteQueue(pool);
  const read = pattern(500_000, 1);
  queue.push(read, 0, 10_000);
  expect([pool.used, queue.first?.bytes.buffer === read.buffer]).toEqual([BUFFER, false]);
  queue.push(read, 10_000, 500_000);
  expect(pool.used).toBe(8 * BUFFER);
});

test("bytes are refused if the pool has no buffer, and waiting bytes stay", () => {
  const pool = poolOf(2);
  const queue = new ByteQueue(pool);
  expect(queue.push(pattern(100_000, 1), 0, 100_000)).toBe(true);
  expect(queue.push(pattern(100_000, 2), 0, 100_000)).toBe(false);
  expect([queue.length, pool.used]).toEqual([100_000, 2 * BUFFER]);
  queue.clear();
  expect([queue.length, pool.used]).toEqual([0, 0]);
});

test("after a reload with larger buffers, a holder that frees bytes of smaller ones takes no memory", () => {
  const pool = new BufferPool({ bufferSize: 4096, bufferCount: 8, reserve: 2 });
  const queue = new ByteQueue(pool);
  for (const seed of [1, 2]) expect(queue.push(pattern(16_384, seed), 0, 16_384)).toBe(true);
  expect(pool.free).toBe(0);
  pool.limits = { bufferSize: 65_536, bufferCount: 1, reserve: 1 };
  expect(takeFrom(queue, 16_384)).toEqual(pattern(16_384, 1));
  expect(pool.used).toBe(32_768);
  expect(takeFrom(queue, 16_384)).toEqual(pattern(16_384, 2));
  expect(pool.used).toBe(0);
});
