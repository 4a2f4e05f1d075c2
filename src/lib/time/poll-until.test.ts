import { expect, test } from "bun:test";
import { pollUntil } from "./poll-until.ts";

function fakeTime() {
  const time = { now: 1000, pauses: [] as number[] };
  const clock = () => time.now;
  const pause = async (ms: number) => {
    time.pauses.push(ms);
    time.now += ms;
  };
  return { time, clock, pause };
}

test("nothing is waited for if the work is done already", async () => {
  const { time, ...deps } = fakeTime();
  expect(await pollUntil(() => true, { everyMs: 10, mostMs: 0, ...deps })).toBe(true);
  expect(time.pauses).toEqual([]);
});

test("the work is looked at again after each pause, until it is done", async () => {
  const { time, ...deps } = fakeTime();
  let looks = 0;
  expect(await pollUntil(async () => ++looks === 3, { everyMs: 10, mostMs: 100, ...deps })).toBe(true);
  expect(time.pauses).toEqual([10, 10]);
});

test("the wait ends after its time, with a last look", async () => {
  const { time, ...deps } = fakeTime();
  let looks = 0;
  const isDone = () => ++looks > 4;
  expect(await pollUntil(isDone, { everyMs: 10, mostMs: 25, ...deps })).toBe(false);
  expect([looks, time.pauses]).toEqual([4, [10, 10, 10]]);
});

test("an error of the work ends the wait", async () => {
  const { time, ...deps } = fakeTime();
  const isDone = () => {
    time.now += 1;
    return Promise.reject(new Error("broken"));
  };
  expect(pollUntil(isDone, { everyMs: 10, mostMs: 25, ...deps })).rejects.toThrow("broken");
});
