import { expect, test } from "bun:test";
import fc from "fast-check";
import { BufferPool } from "./buffer-pool.ts";

const LIMITS = { bufferSize: 100, bufferCount: 5, reserve: 2 };

test("a pool gives no more than it has, and what is given back can be taken again", () => {
  const pool = new BufferPool(LIMITS);
  expect([pool.take(300), pool.take(201), pool.take(200), pool.take(1)]).toEqual([true, false, true, false]);
  pool.give(500);
  expect([pool.used, pool.take(500)]).toEqual([0, true]);
});

test("a holder has whole buffers, and keeps what it has where the pool has no more", () => {
  const pool = new BufferPool(LIMITS);
  const first = pool.resize(0, 1);
  expect([first, pool.used]).toEqual([100, 100]);
  expect([pool.resize(first, 100), pool.used]).toEqual([100, 100]);
  const second = pool.resize(0, 301);
  expect([second, pool.used]).toEqual([400, 500]);
  expect([pool.resize(first, 101), pool.used]).toEqual([-1, 500]);
  expect([pool.resize(second, 0), pool.resize(first, 0), pool.used]).toEqual([0, 0, 0]);
});

test("a pool takes no new request on while less than the reserve is free", () => {
  const pool = new BufferPool(LIMITS);
  pool.take(300);
  expect(pool.admits()).toBe(true);
  pool.take(1);
  expect(pool.admits()).toBe(false);
  pool.give(1);
  expect(pool.admits()).toBe(true);
});

test("whoever watches hears of all that is taken and of all who are refused", () => {
  const heard: (number | string)[] = [];
  const pool = new BufferPool(LIMITS, { used: (bytes) => heard.push(bytes), refused: () => heard.push("refused") });
  pool.take(450);
  pool.take(100);
  pool.admits();
  pool.give(450);
  expect(heard).toEqual([450, "refused", "refused", 0]);
});

test("other limits apply from then on, and take from nobody what he has", () => {
  const pool = new BufferPool(LIMITS);
  const held = pool.resize(0, 450);
  pool.limits = { bufferSize: 50, bufferCount: 4, reserve: 2 };
  expect([pool.used, pool.capacity, pool.admits(), pool.take(1)]).toEqual([500, 200, false, false]);
  expect([pool.resize(held, 60), pool.used]).toEqual([100, 100]);
});

test("whatever holders do, the pool's account is the sum of theirs and within its bound", () => {
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
