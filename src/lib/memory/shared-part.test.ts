import { expect, test } from "bun:test";
import fc from "fast-check";
import { BufferPool } from "./buffer-pool.ts";
import { SharedPart } from "./shared-part.ts";

const LIMITS = { bufferSize: 100, bufferCount: 5, reserve: 2 };

test("many holders of little memory share one buffer", () => {
  const pool = new BufferPool(LIMITS);
  const part = new SharedPart(pool);
  expect(Array.from({ length: 10 }, () => part.resize(0, 10))).toEqual(Array.from({ length: 10 }, () => 10));
  expect(pool.used).toBe(100);
  expect([part.resize(0, 1), pool.used]).toEqual([1, 200]);
  expect([part.shrink(1, 0), part.shrink(10, 10), pool.used]).toEqual([0, 10, 100]);
});

test("a holder keeps its memory if nothing is left", () => {
  const pool = new BufferPool(LIMITS);
  const part = new SharedPart(pool);
  const first = part.resize(0, 450);
  expect([part.resize(first, 501), part.resize(0, 51), pool.used]).toEqual([-1, -1, 500]);
  expect([part.resize(0, 50), part.shrink(first, 0), pool.used]).toEqual([50, 0, 100]);
});

test("at any time the pool counts whole buffers for the sum of all holders", () => {
  const steps = fc.array(fc.tuple(fc.nat(3), fc.nat(200), fc.boolean()), { maxLength: 50 });
  fc.assert(
    fc.property(steps, (all) => {
      const pool = new BufferPool(LIMITS);
      const part = new SharedPart(pool);
      const held = [0, 0, 0, 0];
      for (const [holder, bytes, shrinks] of all) {
        const before = held[holder] ?? 0;
        const after = shrinks ? part.shrink(before, bytes) : part.resize(before, bytes);
        if (after !== -1) held[holder] = after;
        const sum = held.reduce((total, one) => total + one, 0);
        expect(pool.used).toBe(Math.ceil(sum / 100) * 100);
      }
    }),
  );
});
