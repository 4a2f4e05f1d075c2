import { TurnpikeError } from "../../lib/errors.ts";
import { expect, test } from "bun:test";
import { Deadline } from "./deadline.ts";
import { FairSemaphore } from "./fair-semaphore.ts";

test("a request that has been aborted does not wait for a place", async () => {
  const semaphore = new FairSemaphore(1, 8, 60_000);
  const release = await semaphore.take();
  const failure = await semaphore.take(AbortSignal.abort()).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "overloaded" });
  release();
  expect(await semaphore.take()).toBeFunction();
});

test("a full queue rejects at once, and a free place goes to the first that waits", async () => {
  const semaphore = new FairSemaphore(1, 1, 10_000);
  const release = await semaphore.take();
  const waiting = semaphore.take();
  const refused = await semaphore.take().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TurnpikeError);
  expect(refused).toMatchObject({ code: "overloaded" });
  release();
  release();
  (await waiting)();
  (await semaphore.take())();
});

test("a request that waits too long, or is aborted, is refused", async () => {
  const semaphore = new FairSemaphore(1, 2, 20);
  await semaphore.take();
  const leaving = new AbortController();
  const late = semaphore.take().catch((error: unknown) => error);
  const gone = semaphore.take(leaving.signal).catch((error: unknown) => error);
  leaving.abort();
  expect(await gone).toMatchObject({ code: "overloaded" });
  expect(await late).toMatchObject({ code: "overloaded" });
});

test("a request with many pages leaves places to others, and takes turns with those that wait", async () => {
  const semaphore = new FairSemaphore(4, 8, 60_000);
  const greedy = new AbortController().signal;
  const order: string[] = [];
  const held: (() => void)[] = [];
  const take = async (name: string, signal: AbortSignal) => {
    held.push(await semaphore.take(signal));
    order.push(name);
  };
  const all = Array.from({ length: 8 }, () => take("greedy", greedy));
  await Promise.all(all.slice(0, 3));
  expect(order).toEqual(["greedy", "greedy", "greedy"]);
  // The fourth place is for another request.
  await take("first", new AbortController().signal);
  const second = take("second", new AbortController().signal);
  const third = take("third", new AbortController().signal);
  for (const release of held.splice(0, 2)) release();
  await Promise.all([second, third]);
  expect(order).toEqual(["greedy", "greedy", "greedy", "first", "second", "third"]);
  while (order.length < 11) {
    held.shift()?.();
    await Bun.sleep(0);
  }
  await Promise.all(all);
});

test("a deadline ends the wait with its own error", async () => {
  const semaphore = new FairSemaphore(1, 2, 60_000);
  await semaphore.take();
  const deadline = new Deadline(60_000, undefined, 10);
  const failure = await semaphore.take(undefined, deadline).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "page-not-begun" });
});

test("a visit waits as long as its own deadline allows, whatever the queue's timeout", async () => {
  const semaphore = new FairSemaphore(1, 2, 1);
  const release = await semaphore.take();
  const deadline = new Deadline(60_000, undefined, 60_000);
  const taking = semaphore.take(undefined, deadline);
  // Another wait, without a deadline, is refused by the queue's timeout.
  expect(await semaphore.take().catch((error: unknown) => error)).toMatchObject({ code: "overloaded" });
  release();
  (await taking)();
  deadline.clear();
});

test("the wait for a place does not use the visit's time", async () => {
  const semaphore = new FairSemaphore(1, 2, 60_000);
  const release = await semaphore.take();
  const deadline = new Deadline(1, undefined);
  const taking = semaphore.take(undefined, deadline);
  await Bun.sleep(20);
  expect(deadline.elapsedMs).toBeLessThan(20);
  release();
  (await taking)();
  const failure = await deadline.stopped.catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "page-timeout" });
});

test("a request that holds a place is not refused another because it waits long", async () => {
  const semaphore = new FairSemaphore(1, 2, 5);
  const { signal } = new AbortController();
  const release = await semaphore.take(signal);
  const next = semaphore.take(signal);
  // Another request, without a place, is refused by the same timeout.
  expect(await semaphore.take().catch((error: unknown) => error)).toMatchObject({ code: "overloaded" });
  release();
  (await next)();
});

test("a deadline that comes long after its wait takes no other request's turn", async () => {
  const semaphore = new FairSemaphore(1, 8, 60_000);
  const { signal } = new AbortController();
  const deadline = new Deadline(60_000, undefined);
  const first = await semaphore.take();
  const waited = semaphore.take(signal, deadline);
  first();
  (await waited)();
  const second = await semaphore.take();
  const waiting = semaphore.take(signal);
  deadline.stop(new Error("late"));
  await Bun.sleep(0);
  second();
  (await waiting)();
  deadline.clear();
});
