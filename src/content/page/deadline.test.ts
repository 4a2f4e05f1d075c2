import { expect, test } from "bun:test";
import { Deadline } from "./deadline.ts";

const NEVER = new Promise<never>(() => undefined);

function messageOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "",
    (error: Error) => error.message,
  );
}

test("a time-out says what it interrupts, and when", async () => {
  const deadline = new Deadline(1, undefined);
  deadline.doing("reading");
  expect(await messageOf(deadline.race(NEVER))).toBe("Cannot finish reading the page within 0 s");
});

test("a visit that its time-out ended may go on for a while, and then ends in the same words", async () => {
  const deadline = new Deadline(1, undefined);
  expect(deadline.grace(60_000)).toBe(false);
  const error = await messageOf(deadline.race(NEVER));
  expect(deadline.grace(60_000)).toBe(true);
  expect(await deadline.race(Promise.resolve("read"))).toBe("read");
  expect(deadline.grace(60_000)).toBe(false);
  deadline.extend(-60_000);
  expect(await messageOf(deadline.race(NEVER))).toContain(error.slice(0, 20));
  deadline.clear();
});

test("a visit that something else ended gets no more time, whatever comes after", async () => {
  const deadline = new Deadline(60_000, undefined);
  deadline.stop(new Error("crashed"));
  deadline.extend(-60_000);
  expect(await messageOf(deadline.race(NEVER))).toBe("crashed");
  expect(deadline.grace(1)).toBe(false);
});

test("a client that goes away ends the visit", async () => {
  const client = new AbortController();
  const deadline = new Deadline(60_000, client.signal);
  client.abort();
  expect(await messageOf(deadline.race(NEVER))).toBe("Cannot load the page: the client went away");
});
