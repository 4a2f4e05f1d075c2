import { expect, test } from "bun:test";
import { hasResponseFor, forAWhile } from "./for-a-while.ts";

test("a value is read once in its time, for any number of callers", () => {
  let now = 0;
  let reads = 0;
  const read = forAWhile(
    500,
    () => ++reads,
    () => now,
  );
  expect([read(), read()]).toEqual([1, 1]);
  now = 499;
  expect(read()).toBe(1);
  now = 500;
  expect([read(), read()]).toEqual([2, 2]);
});

test("only one request runs at a time, and a slow response is reused for longer", async () => {
  let now = 50_000;
  let asked = 0;
  let waiting = Promise.withResolvers<number>();
  const ask = hasResponseFor(
    1000,
    () => {
      asked++;
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    () => now,
  );
  const first = [ask(), ask()];
  now += 300;
  const late = ask();
  waiting.resolve(7);
  expect(await Promise.all([...first, late])).toEqual([7, 7, 7]);
  now += 2999;
  expect(await ask()).toBe(7);
  expect(asked).toBe(1);
  now += 1;
  const second = ask();
  expect(asked).toBe(2);
  waiting.resolve(8);
  expect(await second).toBe(8);
});

test("a very slow response is reused for half a minute at most", async () => {
  let now = 0;
  let asked = 0;
  const ask = hasResponseFor(
    1000,
    async () => {
      asked++;
      now += 20_000;
    },
    () => now,
  );
  await ask();
  now += 29_999;
  await ask();
  expect(asked).toBe(1);
  now += 1;
  await ask();
  expect(asked).toBe(2);
});

test("a failed request is repeated after its time", async () => {
  let now = 0;
  let asked = 0;
  const ask = hasResponseFor(
    1000,
    async () => {
      if (++asked === 1) throw new Error("away");
      return asked;
    },
    () => now,
  );
  const failures = await Promise.allSettled([ask(), ask()]);
  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  now = 1000;
  expect(await ask()).toBe(2);
});
