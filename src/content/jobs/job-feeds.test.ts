import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { type Job } from "../../store/jobs/job-store.ts";
import { type JobEvent } from "./job-events.ts";
import { JobFeeds } from "./job-feeds.ts";

const LOOK_MS = 500;
const HEARTBEAT_MS = 15_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

// A feed reads no other members.
const jobOf = (id: string): Job => ({ id, results: 0, state: "running", payment: "none", paid: "0" }) as Job;

/** Jobs whose rows the test changes, and the calls of their store. */
function begin() {
  const rows = new Map<string, Partial<Job> | undefined>();
  const seen = { looks: 0, reads: 0 };
  let isDown = false;
  const fail = (): void => {
    if (isDown) throw new Error("the store is down");
  };
  const feeds = new JobFeeds({
    async again({ id }) {
      seen.looks += 1;
      fail();
      const row = rows.has(id) ? rows.get(id) : {};
      return row && { ...jobOf(id), ...row };
    },
    async events({ results, state }, after, count) {
      seen.reads += 1;
      fail();
      const length = Math.max(Math.min(results - after, count), 0);
      const pages = Array.from({ length }, (_, at): JobEvent => ({ number: after + at + 1, type: "page", data: "" }));
      const isOver = state !== "running" && pages.length === 0;
      return isOver ? [{ number: results + 1, type: "completed", data: "" }] : pages;
    },
  });
  return {
    feeds,
    seen,
    change: (row: Partial<Job> | undefined, id = "a") => void rows.set(id, row),
    setDown: (down: boolean) => void (isDown = down),
    /** A client that reads each piece at once: the numbers of its events, and whether it has heard all. */
    watch(after = 0, signal = new AbortController().signal) {
      const client = { told: [] as number[][], state: "watching" };
      const read = async () => {
        for await (const piece of feeds.watch(jobOf("a"), after, signal)) client.told.push(piece.map((e) => e.number));
      };
      void read().then(
        () => (client.state = "over"),
        () => (client.state = "failed"),
      );
      return client;
    },
    /** Watchers that are not read. */
    idle: (id: string, count: number, { signal } = new AbortController()) =>
      Array.from({ length: count }, () => feeds.watch(jobOf(id), 0, signal)),
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

async function pass(ms: number): Promise<void> {
  await settle();
  jest.advanceTimersByTime(ms);
  await settle();
}

test("a watcher hears of new results within half a second, in pieces, and then of the end", async () => {
  const at = begin();
  const { told, ...client } = at.watch();
  at.change({ results: 20 });
  await pass(LOOK_MS - 1);
  expect(told).toEqual([]);
  await pass(1);
  expect(told).toEqual([Array.from({ length: 16 }, (_, i) => i + 1), [17, 18, 19, 20]]);
  at.change({ results: 20, state: "completed" });
  const later = at.watch(20);
  await pass(LOOK_MS);
  expect([told.at(-1), later]).toEqual([[21], { told: [[21]], state: "over" }]);
  expect(client.state).toBe("watching");
  const { looks } = at.seen;
  await pass(10 * LOOK_MS);
  expect(at.seen.looks).toBe(looks);
});

test.each([{ state: "failed" }, { payment: "closed" }, { paid: "7" }, { results: 1 }] as const)(
  "a job has changed with %p, and its events are read again",
  async (row) => {
    const at = begin();
    at.watch();
    await pass(LOOK_MS);
    expect(at.seen.reads).toBe(1);
    at.change(row);
    await pass(LOOK_MS);
    expect(at.seen.reads).toBeGreaterThan(1);
  },
);

test("a watcher hears every 15 seconds that its job still runs, and two share all calls of the store", async () => {
  const at = begin();
  const clients = [at.watch(), at.watch()];
  await pass(HEARTBEAT_MS - 1);
  expect(clients[0]?.told).toEqual([]);
  await pass(1);
  await pass(HEARTBEAT_MS - 1);
  for (const { told } of clients) expect(told).toEqual([[]]);
  await pass(1);
  for (const { told } of clients) expect(told).toEqual([[], []]);
  expect(at.seen).toEqual({ reads: 1, looks: (2 * HEARTBEAT_MS) / LOOK_MS });
});

test("a watcher waits while the store fails, and stops without the end if its job has gone", async () => {
  const at = begin();
  const client = at.watch();
  await pass(0);
  at.setDown(true);
  await pass(LOOK_MS);
  await pass(LOOK_MS);
  expect(client).toEqual({ told: [], state: "watching" });
  at.setDown(false);
  at.change({ results: 1 });
  await pass(LOOK_MS);
  expect(client.told).toEqual([[1]]);
  at.change(undefined);
  await pass(LOOK_MS);
  expect(client).toEqual({ told: [[1]], state: "over" });
});

test("a read that failed is made again for the next watcher", async () => {
  const at = begin();
  const [slow] = at.idle("a", 1);
  at.setDown(true);
  const first = at.watch();
  await pass(0);
  at.setDown(false);
  at.change({ state: "completed" });
  const second = at.watch();
  await pass(LOOK_MS);
  expect([first, second]).toEqual([
    { told: [], state: "failed" },
    { told: [[1]], state: "over" },
  ]);
  expect(await slow?.next()).toMatchObject({ value: [{ number: 1 }] });
});

test("a read that fails late does not keep later watchers from sharing a newer one", async () => {
  const reads: PromiseWithResolvers<readonly JobEvent[]>[] = [];
  let job = jobOf("a");
  const feeds = new JobFeeds({
    again: async () => job,
    events() {
      const read = Promise.withResolvers<readonly JobEvent[]>();
      reads.push(read);
      return read.promise;
    },
  });
  const next = () => feeds.watch(jobOf("a"), 0, new AbortController().signal).next();
  const late = next();
  job = { ...job, results: 1 };
  await pass(LOOK_MS);
  const newer = [next()];
  reads[0]?.reject(new Error("the store is down"));
  expect(await late.catch(String)).toContain("the store is down");
  newer.push(next());
  expect(reads).toHaveLength(2);
  const event: JobEvent = { number: 1, type: "page", data: "" };
  reads[1]?.resolve([event]);
  expect(await Promise.all(newer)).toEqual([1, 2].map(() => ({ done: false, value: [event] })));
  feeds.close();
});

test("a watcher that leaves while it waits hears nothing more, and after the last one the job is not looked at", async () => {
  const at = begin();
  const [one, two] = [new AbortController(), new AbortController()];
  const clients = [at.watch(0, one.signal), at.watch(0, two.signal)];
  await pass(0);
  one.abort();
  await pass(LOOK_MS);
  expect(clients.map(({ state }) => state)).toEqual(["over", "watching"]);
  expect(at.seen.looks).toBe(1);
  two.abort();
  await pass(LOOK_MS);
  at.change({ results: 1 });
  await pass(HEARTBEAT_MS);
  expect([at.seen.looks, clients.map(({ told }) => told)]).toEqual([1, [[], []]]);
});

test("100 clients may watch a job, 1,000 a service, and one that leaves makes room", async () => {
  const at = begin();
  const full = "too many clients watch already";
  const gone = new AbortController();
  at.idle("0", 1, gone);
  at.idle("0", 99);
  expect(() => at.idle("0", 1)).toThrow(full);
  for (let job = 1; job < 10; job += 1) at.idle(String(job), 100);
  expect(() => at.idle("another", 1)).toThrow(full);
  gone.abort();
  // A client that has left already takes no place.
  expect(await at.idle("0", 1, gone)[0]?.next()).toEqual({ done: true, value: undefined });
  at.idle("another", 1);
  expect(() => at.idle("0", 1)).toThrow(full);
  at.feeds.close();
  expect(() => at.idle("0", 1)).not.toThrow();
});

test("clients that have heard the end make room", async () => {
  const at = begin();
  at.change({ state: "completed" });
  for (let round = 0; round < 2; round += 1) {
    const clients = Array.from({ length: 100 }, () => at.watch());
    await pass(LOOK_MS);
    expect(new Set(clients.map(({ state }) => state))).toEqual(new Set(["over"]));
  }
});
