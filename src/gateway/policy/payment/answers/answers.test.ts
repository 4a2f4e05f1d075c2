import { expect, test } from "bun:test";
import { BufferPool } from "../../../../lib/buffer-pool.ts";
import { type Answer, Answers } from "./answers.ts";

function answer(size: number): Answer {
  return {
    head: { status: 200, reason: "", fields: "", bodyLength: size },
    body: [new Uint8Array(size)],
    trailers: "",
    size,
  };
}

function room(bytes: number): BufferPool {
  return new BufferPool({ bufferSize: bytes / 10, bufferCount: 10, reserve: 1 });
}

async function kept(answers: Answers, key: string, size: number): Promise<void> {
  expect(answers.take(size)).toBe(true);
  const whole = answers.complete(answer(size));
  await answers.keep(key, whole, 1000);
  answers.release(whole);
}

test("an answer is kept until its time is over", async () => {
  const pool = room(100);
  const answers = new Answers(pool);
  await kept(answers, "a", 10);
  expect((await answers.get("a", 999))?.size).toBe(10);
  expect(await answers.get("a", 1000)).toBeUndefined();
  expect(pool.used).toBe(0);
  expect(await answers.get("b", 0)).toBeUndefined();
});

test("what waits displaces what is kept, oldest first, and is refused where nothing is left to displace", async () => {
  const pool = room(30);
  const answers = new Answers(pool, { maxAnswerBytes: 30, maxEntries: 10 });
  await kept(answers, "a", 10);
  await kept(answers, "b", 10);
  expect(answers.take(15)).toBe(true);
  expect([await answers.get("a", 0), (await answers.get("b", 0))?.size]).toEqual([undefined, 10]);
  expect(answers.take(10)).toBe(true);
  expect(await answers.get("b", 0)).toBeUndefined();
  expect(answers.take(10)).toBe(false);
  answers.give(25);
  expect(pool.used).toBe(0);
});

test("entries are bounded, and a key holds one answer", async () => {
  const pool = room(100);
  const answers = new Answers(pool, { maxAnswerBytes: 100, maxEntries: 2 });
  for (const key of ["a", "b", "c", "c"]) await kept(answers, key, 10);
  expect(["a", "b", "c"].map((key) => answers.has(key, 0))).toEqual([false, true, true]);
  expect(pool.used).toBe(20);
});

test("nobody should work for an answer while less than a buffer is free, and what is kept makes way", async () => {
  const pool = room(100);
  const answers = new Answers(pool);
  await kept(answers, "a", 50);
  expect(answers.take(45)).toBe(true);
  expect([answers.admits(), answers.has("a", 0)]).toEqual([true, false]);
  expect(answers.take(50)).toBe(true);
  expect(answers.admits()).toBe(false);
  answers.give(5);
  expect(answers.admits()).toBe(true);
});

test("one answer may fill the pool, and no more", async () => {
  expect(new Answers(room(100)).maxAnswerBytes).toBe(100);
  expect(new Answers(room(100), { maxAnswerBytes: 20, maxEntries: 2 }).maxAnswerBytes).toBe(20);
});
