import { expect, test } from "bun:test";
import fc from "fast-check";
import { BufferPool } from "./buffer-pool.ts";

const LIMITS = { bufferSize: 100, bufferCount: 5, reserve: 2 };

test("a pool gives no more than it has, and returned memory can be taken again", () => {
  const pool = new BufferPool(LIMITS);
  expect([pool.take(300), pool.take(201), pool.take(200), pool.take(1)]).toEqual([true, false, true, false]);
  pool.give(500);
  expect([pool.used, pool.take(500)]).toEqual([0, true]);
});

test("a holder has whole buffers, and keeps them if the pool has no more", () => {
  const pool = new BufferPool(LIMITS);
  const first = pool.resize(0, 1);
  expect([first, pool.used]).toEqual([100, 100]);
  expect([pool.resize(first, 100), pool.used]).toEqual([100, 100]);
  const second = pool.resize(0, 301);
  expect([second, pool.used]).toEqual([400, 500]);
  expect([pool.resize(first, 101), pool.used]).toEqual([-1, 500]);
  expect([pool.resize(second, 0), pool.resize(first, 0), pool.used]).toEqual([0, 0, 0]);
});

test("a pool admits no new request while less than the reserve is free", () => {
  const pool = new BufferPool(LIMITS);
  pool.take(300);
  expect(pool.admits()).toBe(true);
  pool.take(1);
  expect(pool.admits()).toBe(false);
  pool.give(1);
  expect(pool.admits()).toBe(true);
});

test("a watcher learns of all memory in use and of all refusals", () => {
  const heard: (number | string)[] = [];
  const pool = new BufferPool(LIMITS, { used: (bytes) => heard.push(bytes), refused: () => heard.push("refused") });
  pool.take(450);
  pool.take(100);
  pool.admits();
  pool.give(450);
  expect(heard).toEqual([450, "refused", "refused", 0]);
});

test("new limits apply at once, and take no memory from holders", () => {
  const pool = new BufferPool(LIMITS);
  const held = pool.resize(0, 450);
  pool.limits = { bufferSize: 50, bufferCount: 4, reserve: 2 };
  expect([pool.used, pool.capacity, pool.admits(), pool.take(1)]).toEqual([500, 200, false, false]);
  expect([pool.resize(held, 60), pool.used]).toEqual([100, 100]);
});

test("at any time the pool's account is the sum of its holders' and within its limit", () => {
  const step = fc.record({ holder: fc.nat(3), bytes: fc.nat(700) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const pool = new BufferPool(LIMITS);
      const held = [0, 0, 0, 0];
      for (const { holder, bytes } of steps) {
        const before = held[holder] ?? 0;
        const now = pool.resize(before, bytes);
        if (now === -1) expect(bytes).toBeGreaterThan(before);
        else {
          expect(now).toBeGreaterThanOrEqual(bytes);
          held[holder] = now;
        }
        const sum = held.reduce((a, b) => a + b, 0);
        expect(pool.used).toBe(sum);
        expect(sum).toBeLessThanOrEqual(pool.capacity);
      }
    }),
  );
});
