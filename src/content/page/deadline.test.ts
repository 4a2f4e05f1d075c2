import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { Deadline, MAX_TURN_MS } from "./deadline.ts";

const NEVER = new Promise<never>(() => undefined);

function messageOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "",
    (error: Error) => error.message,
  );
}

test("a timeout reports what it interrupts, and when", async () => {
  const deadline = new Deadline(1, undefined);
  deadline.doing("reading");
  expect(await messageOf(deadline.race(NEVER))).toBe("Cannot finish reading the page within 0 s");
});

test("a visit that timed out may continue for a while, and then ends with the same message", async () => {
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

test("a visit that ended for another reason gets no more time, whatever follows", async () => {
  const deadline = new Deadline(60_000, undefined);
  deadline.stop(new Error("crashed"));
  deadline.extend(-60_000);
  expect(await messageOf(deadline.race(NEVER))).toBe("crashed");
  expect(deadline.grace(1)).toBe(false);
});

test("a visit that waits too long for its turn, in several queues together, ends for that reason", async () => {
  const deadline = new Deadline(60_000, undefined, 40);
  deadline.wait();
  await Bun.sleep(20);
  deadline.go();
  expect(await deadline.race(Promise.resolve("has its turn"))).toBe("has its turn");
  deadline.wait();
  expect(await messageOf(deadline.race(NEVER))).toBe("Cannot load the page: its turn did not come within 0 s");
  deadline.go();
  expect(deadline.grace(60_000)).toBe(false);
});

test("a visit outside a batch waits for its turn as long as the queues allow, and reports that it found no place", async () => {
  const deadline = new Deadline(60_000, undefined);
  deadline.wait();
  expect(deadline.elapsedMs).toBeLessThan(MAX_TURN_MS);
  deadline.stop(new Error("stopped"));
  expect(await messageOf(deadline.race(NEVER))).toBe("stopped");
});

test("a client that goes away ends the visit", async () => {
  const client = new AbortController();
  const deadline = new Deadline(60_000, client.signal);
  client.abort();
  expect(await messageOf(deadline.race(NEVER))).toBe("Cannot load the page: the client closed the connection");
});

test("a visit that is over leaves nothing on the signal of its job, which goes on", () => {
  const job = new AbortController();
  new Deadline(60_000, job.signal).clear();
  expect(getEventListeners(job.signal, "abort")).toEqual([]);
});
