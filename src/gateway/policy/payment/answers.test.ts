import { expect, test } from "bun:test";
import { type Answer, Answers } from "./answers.ts";

function answer(size: number): Answer {
  return {
    head: { status: 200, reason: "", fields: "", bodyLength: size },
    body: [new Uint8Array(size)],
    trailers: "",
    size,
  };
}

function kept(answers: Answers, key: string, size: number): void {
  expect(answers.take(size)).toBe(true);
  answers.keep(key, answer(size), 1000);
}

test("an answer is kept until its time is over", () => {
  const answers = new Answers();
  kept(answers, "a", 10);
  expect(answers.get("a", 999)?.size).toBe(10);
  expect(answers.get("a", 1000)).toBeUndefined();
  expect(answers.bytes).toBe(0);
  expect(answers.get("b", 0)).toBeUndefined();
});

test("what waits displaces what is kept, oldest first, and is refused where nothing is left to displace", () => {
  const answers = new Answers({ maxBytes: 30, maxAnswerBytes: 30, maxEntries: 10 });
  kept(answers, "a", 10);
  kept(answers, "b", 10);
  expect(answers.take(15)).toBe(true);
  expect([answers.get("a", 0), answers.get("b", 0)?.size]).toEqual([undefined, 10]);
  expect(answers.take(10)).toBe(true);
  expect(answers.get("b", 0)).toBeUndefined();
  expect(answers.take(10)).toBe(false);
  answers.give(25);
  expect(answers.bytes).toBe(0);
});

test("entries are bounded, and a key holds one answer", () => {
  const answers = new Answers({ maxBytes: 100, maxAnswerBytes: 100, maxEntries: 2 });
  for (const key of ["a", "b", "c", "c"]) kept(answers, key, 10);
  expect(["a", "b", "c"].map((key) => answers.get(key, 0) !== undefined)).toEqual([false, true, true]);
  expect(answers.bytes).toBe(20);
});
