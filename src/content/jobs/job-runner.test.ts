import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { type Job, type JobStore, LEASE_MS, type Outcome, type Taken } from "../../store/jobs/job-store.ts";
import { ANYWHERE } from "../egress/guard.ts";
import { RobotsFiles } from "../sites/robots-files.ts";
import { givenOnly, type LoadedPage } from "./crawl-order.ts";
import { HostPaces } from "./host-paces.ts";
import { JobRunner, type RunnerOptions } from "./job-runner.ts";

/** The bounds as they are documented. */
const LOOK_MS = 1_000;
const SWEEP_MS = 60_000;
const AGAIN_MS = 2_000;
const GIVE_UP_MS = 10_000;
const MAX_PAGES_AT_ONCE = 32;

let close: (() => Promise<void>) | undefined;
beforeEach(() => void jest.useFakeTimers());
afterEach(async () => {
  await close?.();
  close = undefined;
  jest.useRealTimers();
});

const now = () => performance.now();

/** A page that loads until the test says so. */
interface Loading {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly done: () => Promise<void>;
}

interface Wanted {
  readonly payer?: string;
  readonly limit?: number;
  readonly concurrency?: number;
  readonly delay?: number;
  /** Addresses that are not taken yet. */
  readonly pages?: number;
  readonly startMs?: number;
}

/** A store of jobs that the test changes, and a runner that works on them. */
function begin({ isEager = true, leastMs = 0, maxJobBytes = 1_000_000 } = {}) {
  const jobs = new Map<string, Job>();
  const pages = new Map<string, Taken[]>();
  const calls: string[] = [];
  const outcomes: Outcome[] = [];
  const warnings: string[] = [];
  const loading: Loading[] = [];
  const said: string[] = [];
  /** Milliseconds by which the system clock was set. */
  const clock = { set: 0 };
  /** Calls of the store that fail, with the error. */
  const failing = new Map<string, string>();
  const call = async (name: string, what: string): Promise<void> => {
    calls.push(`${name} ${what}`);
    const failure = failing.get(name);
    if (failure !== undefined) throw new Error(failure);
  };
  const store: Pick<JobStore, "running" | "sweep" | "renew" | "take" | "finish" | "end" | "isFull"> = {
    isFull: (error) => error instanceof Error && error.message === "full",
    async running() {
      await call("running", "");
      return [...jobs.values()].filter(({ state }) => state === "running");
    },
    async sweep() {
      await call("sweep", "");
      return warnings.splice(0);
    },
    renew: ({ id }, taken) => call("renew", `${id} ${taken.map(({ key }) => key).join(" ")}`),
    async take({ id }, { hosts, addresses, delayMs }) {
      await call("take", `${id} ${hosts} ${addresses} ${delayMs}`);
      return pages.get(id)?.splice(0, addresses) ?? [];
    },
    async finish({ id }, outcome) {
      await call("finish", id);
      outcomes.push(outcome);
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      const count = outcome.finished.filter(({ kind }) => kind === "delivered").length;
      const after = { ...job, delivered: job.delivered + count, bytes: job.bytes + 400 * count };
      jobs.set(id, after);
      return { ...after, isAlike: false };
    },
    async end(id, state, reason) {
      await call("end", `${id} ${state} ${reason}`);
      const job = jobs.get(id);
      if (job !== undefined) jobs.set(id, { ...job, state, reason });
      return true;
    },
  };
  const fetch = { egress: { policy: ANYWHERE }, userAgent: "test" };
  const load = (url: URL, signal: AbortSignal): Promise<LoadedPage> => {
    const { promise, resolve } = Promise.withResolvers<LoadedPage>();
    const content = `The page ${url.href}`;
    const page = { finalUrl: url.href, robotsTag: "", fields: {}, content, isCached: false, result: { content } };
    loading.push({
      url: url.href,
      signal,
      async done() {
        const index = loading.findIndex((one) => one.url === url.href);
        if (index !== -1) loading.splice(index, 1);
        resolve(page);
        await pass(0);
      },
    });
    return promise;
  };
  const options: RunnerOptions = {
    // The runner calls no others.
    store: store as JobStore,
    paces: new HostPaces(leastMs, now),
    robots: new RobotsFiles(fetch, now),
    fetch,
    hitPrice: 20,
    open({ id, order }) {
      if (order === "bad") throw new Error("the order is not valid");
      const { concurrency, delay } = JSON.parse(order) as Required<Wanted>;
      return { order: { ...givenOnly([`https://${id}.example/`]), concurrency, delay }, load };
    },
    now,
    unixNow: () => now() + clock.set,
    maxJobBytes,
    log: (level, message) => void said.push(`${level}: ${message}`),
  };
  const runner = new JobRunner(options);
  close = async () => {
    const closed = runner.close();
    for (const one of loading.splice(0)) await one.done();
    await closed;
  };
  if (isEager) runner.start();
  return {
    clock,
    runner,
    calls,
    outcomes,
    warnings,
    loading,
    said,
    failing,
    jobs,
    add(id: string, { payer = "", limit = 100, concurrency = 1, delay = 0, pages: count = 1, startMs = 0 }: Wanted) {
      const order = JSON.stringify({ concurrency, delay });
      // The runner reads no other members.
      const job = { id, payer, limit, order, state: "running", delivered: 0, bytes: 0 } as Job;
      jobs.set(id, job);
      const taken = (at: number): Taken => ({
        key: `${id}${at}`,
        host: `${id}.example`,
        tries: 1,
        startMs,
        url: `https://${id}.example/${at}`,
        task: 0,
        depth: 0,
      });
      pages.set(
        id,
        Array.from({ length: count }, (_, at) => taken(at)),
      );
      runner.wake();
    },
    more: (id: string, key: string, startMs = 0) => {
      const url = `https://${id}.example/${key}`;
      pages.get(id)?.push({ key, host: `${id}.example`, tries: 1, startMs, url, task: 0, depth: 0 });
    },
    urls: () => loading.map(({ url }) => url.slice("https://".length).replace(".example/", "")),
    of: (name: string) => calls.filter((text) => text.startsWith(name)),
  };
}

async function pass(ms: number): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  if (ms > 0) jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

describe("a runner looks", () => {
  test("for jobs every second, or at once when one was added, and sweeps every minute with its warnings", async () => {
    const at = begin();
    at.warnings.push("the disk is nearly full");
    await pass(LOOK_MS - 1);
    expect([at.of("running").length, at.of("sweep").length]).toEqual([1, 1]);
    expect(at.said).toEqual(["warn: the disk is nearly full"]);
    await pass(1);
    expect(at.of("running").length).toBe(2);
    at.add("a", {});
    await pass(0);
    expect(at.urls()).toEqual(["a0"]);
    await pass(SWEEP_MS - LOOK_MS);
    expect(at.of("sweep").length).toBe(2);
    await pass(SWEEP_MS - LOOK_MS);
    expect(at.of("sweep").length).toBe(2);
    await pass(LOOK_MS);
    expect(at.of("sweep").length).toBe(3);
  });

  test("for expired jobs again an hour after the clock was set forward", async () => {
    const at = begin();
    await pass(0);
    expect(at.of("sweep").length).toBe(1);
    at.clock.set = 48 * 3_600_000;
    for (let minute = 0; minute < 59; minute += 1) await pass(SWEEP_MS);
    expect(at.of("sweep").length).toBe(1);
    for (let minute = 0; minute < 3; minute += 1) await pass(SWEEP_MS);
    expect(at.of("sweep").length).toBeGreaterThan(1);
  });

  test("for work of a job without any after 10 ms, then after twice as long each time, up to 500 ms", async () => {
    const at = begin();
    at.add("a", { pages: 0 });
    const times: number[] = [];
    let seen = 0;
    for (let ms = 0; ms < 2_500; ms += 1) {
      await pass(ms === 0 ? 0 : 1);
      if (at.of("take").length > seen) times.push(ms);
      seen = at.of("take").length;
    }
    expect(times).toEqual([0, 10, 30, 70, 150, 310, 630, 1_130, 1_630, 2_130]);
    at.more("a", "x");
    await pass(500);
    await at.loading[0]?.done();
    // There was work, so it looks at once, and then after a short time again.
    const before = at.of("take").length;
    await pass(10);
    expect(at.of("take").length).toBe(before + 1);
  });
});

describe("a store that fails", () => {
  test("is logged once for each time that it is down, and jobs go on after it", async () => {
    const at = begin();
    const down = "error: Jobs wait, because their store fails: it is down";
    await pass(0);
    at.failing.set("running", "it is down");
    await pass(3 * LOOK_MS);
    expect([at.said, at.of("running").length]).toEqual([[down], 4]);
    at.failing.clear();
    at.add("a", {});
    await pass(LOOK_MS);
    expect(at.urls()).toEqual(["a0"]);
    at.failing.set("running", "it is down");
    await pass(2 * LOOK_MS);
    expect(at.said).toEqual([down, down]);
  });

  test("costs a page that was loaded no try: its result is stored as soon as that is possible, within 10 seconds", async () => {
    const at = begin();
    at.add("a", { pages: 2 });
    await pass(0);
    at.failing.set("finish", "it is down");
    await at.loading[0]?.done();
    await pass(2 * AGAIN_MS);
    expect([at.of("finish").length, at.outcomes.length]).toEqual([3, 0]);
    at.failing.clear();
    await pass(AGAIN_MS);
    expect([at.outcomes.map(({ finished }) => finished[0]?.taken.key), at.urls()]).toEqual([["a0"], ["a1"]]);
    at.failing.set("finish", "it is down");
    await at.loading[0]?.done();
    await pass(GIVE_UP_MS - 1);
    expect(at.said).toEqual([]);
    await pass(1);
    expect(at.said).toEqual(["error: Cannot process a page of job a: it is down"]);
    const tries = at.of("finish").length;
    await pass(10 * AGAIN_MS);
    expect([at.of("finish").length, at.runner.isFull]).toEqual([tries, false]);
  });

  test("because it is full keeps loaded pages for as long as it takes, no job gets further ones, and one line says so", async () => {
    const at = begin();
    at.add("a", { pages: 3, concurrency: 2 });
    at.add("b", { pages: 2 });
    await pass(0);
    expect(at.urls().toSorted()).toEqual(["a0", "a1", "b0"]);
    at.failing.set("finish", "full");
    for (const one of at.loading.splice(0)) await one.done();
    expect(at.runner.isFull).toBe(true);
    await pass(100 * GIVE_UP_MS);
    expect([at.urls(), at.outcomes]).toEqual([[], []]);
    expect(at.said).toEqual(["error: Jobs wait, because their store is full"]);
    at.failing.clear();
    await pass(AGAIN_MS);
    expect([at.runner.isFull, at.outcomes.length, at.urls().toSorted()]).toEqual([false, 3, ["a2", "b1"]]);
  });

  test("because it is full gets no page of a job that was ended meanwhile", async () => {
    const at = begin();
    at.add("a", {});
    await pass(0);
    at.failing.set("finish", "full");
    await at.loading[0]?.done();
    at.jobs.clear();
    await pass(LOOK_MS);
    expect(at.runner.isFull).toBe(false);
    const tries = at.of("finish").length;
    await pass(10 * AGAIN_MS);
    expect(at.of("finish").length).toBe(tries);
  });
});

describe("pages", () => {
  test("under way keep their leases, which are renewed four times before they would end", async () => {
    const at = begin();
    at.add("a", { pages: 3, concurrency: 2 });
    at.add("idle", { pages: 0 });
    await pass(LEASE_MS / 4 - 1);
    expect(at.of("renew")).toEqual([]);
    await pass(1_001);
    expect(at.of("renew")).toEqual(["renew a a0 a1"]);
    await at.loading[0]?.done();
    await pass(LEASE_MS / 4);
    expect(at.of("renew")).toEqual(["renew a a0 a1", "renew a a1 a2"]);
  });

  test("of a job are taken by half of its room at most, up to its limit, at the longest delay", async () => {
    const at = begin({ leastMs: 20 });
    at.add("a", { pages: 100, concurrency: 8, limit: 10 });
    await pass(0);
    expect(at.of("take")).toEqual(["take a 8 4 20", "take a 8 2 20", "take a 8 1 20", "take a 8 1 20"]);
    await pass(1_000);
    expect(at.loading.length).toBe(8);
    for (const one of at.loading.splice(0, 5)) await one.done();
    await pass(1_000);
    // Five are delivered, so that five more may come.
    expect([at.outcomes.length, at.loading.length]).toEqual([5, 5]);
    at.add("slow", { delay: 2 });
    await pass(0);
    expect(at.of("take slow")).toEqual(["take slow 8 1 2000"]);
  });

  test("are 32 at most, and go to the payer with the fewest, and of its jobs to that with the fewest", async () => {
    const at = begin({ isEager: false });
    at.add("many1", { pages: 100, concurrency: 16, payer: "0xmany" });
    at.add("many2", { pages: 100, concurrency: 16, payer: "0xmany" });
    at.add("one", { pages: 100, concurrency: 16, payer: "0xone" });
    // Unknown payers are not one payer.
    at.add("x", { pages: 100, concurrency: 4 });
    at.add("y", { pages: 100, concurrency: 16 });
    at.runner.start();
    await pass(0);
    const took = () => at.of("take").map((text) => text.split(" ").slice(1, 4).join(" "));
    expect(took()).toEqual(["many1 8 8", "one 8 8", "x 8 2", "y 8 8", "x 8 1", "x 8 1", "many2 8 4"]);
    expect(at.loading.length).toBe(MAX_PAGES_AT_ONCE);
    const page = at.loading.find(({ url }) => url.includes("many1"));
    await page?.done();
    expect(took().at(-1)).toBe("one 8 1");
  });

  test("of a job that was ended count until they end, however long they ignore that", async () => {
    const at = begin();
    at.add("a", { pages: 32, concurrency: 32, limit: 100 });
    await pass(0);
    expect(at.loading.length).toBe(MAX_PAGES_AT_ONCE);
    at.jobs.clear();
    at.add("b", { pages: 1 });
    await pass(LOOK_MS);
    expect(at.of("take b")).toEqual([]);
    await at.loading[0]?.done();
    expect(at.urls()).toContain("b0");
  });

  test("wait until their hosts allow the request", async () => {
    const at = begin();
    at.add("a", { startMs: 700 });
    await pass(699);
    expect(at.urls()).toEqual([]);
    await pass(1);
    expect(at.urls()).toEqual(["a0"]);
  });

  test("that end make room at once", async () => {
    const at = begin();
    at.add("a", { pages: 3 });
    await pass(0);
    for (const url of ["a0", "a1", "a2"]) {
      expect(at.urls()).toEqual([url]);
      await at.loading[0]?.done();
    }
    expect(at.outcomes.length).toBe(3);
  });
});

describe("a job", () => {
  test("whose order is not valid fails, and the others go on", async () => {
    const at = begin();
    at.add("a", {});
    at.jobs.set("bad", { ...(at.jobs.get("a") as Job), id: "bad", order: "bad" }); // it was added before
    await pass(LOOK_MS);
    expect(at.of("end")).toEqual(["end bad failed invalid"]);
    expect([at.said, at.urls()]).toEqual([["error: Cannot run the job bad: the order is not valid"], ["a0"]]);
  });

  test("that exceeds its bytes ends, and its other pages are stopped at once", async () => {
    const at = begin({ maxJobBytes: 800 });
    at.add("a", { pages: 4, concurrency: 3 });
    await pass(0);
    const [first, second, third] = at.loading;
    await first?.done();
    expect([at.of("end"), third?.signal.aborted]).toEqual([[], false]);
    await second?.done();
    expect([at.of("end"), third?.signal.aborted]).toEqual([["end a completed bytes"], true]);
    await third?.done();
    expect(at.outcomes.length).toBe(2);
  });

  test("that was ended elsewhere has its pages stopped within a second, and their results are not stored", async () => {
    const at = begin();
    at.add("a", { pages: 2 });
    await pass(0);
    const [page] = at.loading;
    at.jobs.clear();
    await pass(LOOK_MS - 1);
    expect(page?.signal.aborted).toBe(false);
    await pass(1);
    expect(page?.signal.aborted).toBe(true);
    await page?.done();
    await pass(2 * LOOK_MS);
    expect([at.outcomes, at.urls(), at.said]).toEqual([[], [], []]);
    expect(at.of("take").length).toBe(1);
  });

  test("that ends with the result of a page has its other pages stopped at once", async () => {
    const at = begin();
    at.add("a", { pages: 2, concurrency: 2 });
    await pass(0);
    const [first, second] = at.loading;
    at.jobs.delete("a");
    await first?.done();
    expect(second?.signal.aborted).toBe(true);
  });

  test("gets more pages when another service learns that it may deliver more", async () => {
    const at = begin();
    at.add("a", { pages: 9, concurrency: 4, limit: 2 });
    await pass(0);
    expect(at.urls()).toEqual(["a0", "a1"]);
    at.jobs.set("a", { ...(at.jobs.get("a") as Job), limit: 3 }); // it was added before
    await pass(LOOK_MS);
    expect(at.urls()).toEqual(["a0", "a1", "a2"]);
  });
});

describe("a stop", () => {
  test("of an idle service waits for no timer, and leaves none", async () => {
    const at = begin();
    at.add("a", { pages: 0 });
    await pass(LOOK_MS);
    await at.runner.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  test("aborts the pages, waits for their ends, and stores nothing more", async () => {
    const at = begin();
    at.add("a", { pages: 2, concurrency: 2 });
    at.add("late", { startMs: 5_000 });
    await pass(0);
    let isClosed = false;
    const closed = at.runner.close().then(() => (isClosed = true));
    await pass(0);
    expect([isClosed, at.loading.filter(({ signal }) => !signal.aborted)]).toEqual([false, []]);
    for (const one of at.loading.splice(0)) await one.done();
    await closed;
    expect([at.outcomes, at.said, jest.getTimerCount()]).toEqual([[], [], 0]);
  });
});
