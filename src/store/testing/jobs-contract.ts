import { describe, expect, test } from "bun:test";
import {
  type Address,
  type Claim,
  type Finished,
  type Job,
  type JobStore,
  type NewJob,
  PAGE,
  POSTPONED,
  type Share,
  type Taken,
} from "../jobs/job-store.ts";
import { keyed } from "../jobs/keys.ts";

const LEASE_MS = 60_000;
const MAX_RUNNING_JOBS = 1_000;
const MAX_WAIT_MS = 120_000;
const MOST_TRIES = 10;
const TURN_MS = 1_000;

/** Opens one database again, as another process would. */
export type OpenJobs = (now: () => number) => Promise<JobStore>;

const DAY_MS = 86_400_000;
const SHARE: Share = { hosts: 10, addresses: 100, delayMs: 0 };

/** A job whose other properties do not matter. */
export function newJob(changes: Partial<NewJob> = {}): NewJob {
  return {
    id: crypto.randomUUID(),
    secretHash: "of a secret",
    payer: "0xabc",
    order: '{"kind":"crawl"}',
    limit: 1_000,
    maxKnown: 10_000,
    maxRunMs: DAY_MS,
    keptMs: DAY_MS,
    sale: "",
    payment: changes.sale === undefined ? "none" : "waiting",
    ...changes,
  };
}

function pages(count: number, site = "https://one.example", depth = 0): Address[] {
  return Array.from({ length: count }, (_, at) => ({ url: `${site}/${at}`, task: PAGE, depth }));
}

function delivered(taken: Taken, text = taken.url): Finished {
  return { taken, kind: "delivered", result: Buffer.from(text) };
}

const failed = (taken: Taken): Finished => ({ taken, kind: "page-failed", result: Buffer.from("no") });

const isBusy = ({ url }: Address): boolean => url.startsWith("https://busy.example");

const DUPLICATE = { most: 1, kind: "duplicate" } as const;

/** Delivers a page with these claims. */
async function claimed(
  store: JobStore,
  job: Job,
  taken: Taken | undefined,
  ...claims: (Partial<Claim> & Pick<Claim, "names">)[]
) {
  if (taken === undefined) throw new Error("an address was expected");
  const finished = [delivered(taken)];
  return await store.finish(job, { finished, claims: claims.map((claim) => ({ ...DUPLICATE, ...claim })), found: [] });
}

const deliver = (store: JobStore, job: Job, taken: readonly Taken[]) =>
  store.finish(job, { finished: taken.map((one) => delivered(one)), found: [] });

/** For tests only: behaviour that every store of jobs must have. `newDatabase` creates an empty database for each test. */
export function testJobs(name: string, newDatabase: () => Promise<OpenJobs>): void {
  async function begin(changes: Partial<NewJob> = {}, seeds: readonly Address[] = pages(1)) {
    const open = await newDatabase();
    const clock = { now: 1_800_000_000_000 };
    const stores: JobStore[] = [];
    const another = async (): Promise<JobStore> => {
      const store = await open(() => clock.now);
      stores.push(store);
      return store;
    };
    const store = await another();
    const add = async (more: Partial<NewJob>, addresses: readonly Address[]): Promise<Job> => {
      const made = newJob(more);
      expect(await store.create(made, addresses)).toBe(true);
      const job = await store.find(made.id);
      if (job === undefined) throw new Error("the job is not there");
      const hosts = new Set(keyed(made.id, addresses).map(({ host }) => host));
      const paces = [...hosts].map((host) => ({ host, intervalMs: 0, pauseMs: 0 }));
      await store.finish(job, { finished: [], found: [], paces });
      return job;
    };
    return {
      clock,
      store,
      another,
      add,
      job: await add(changes, seeds),
      [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((one) => one.close()))),
    };
  }

  describe(`${name}: jobs`, () => {
    test("a job delivers each address once, in the order of discovery, and is then completed", async () => {
      await using at = await begin({}, [...pages(2), ...pages(2)]);
      const { store, job } = at;
      expect(job).toMatchObject({ state: "running", known: 2, open: 2, delivered: 0, results: 0, payer: "0xabc" });
      expect(job).toMatchObject({
        limit: 1_000,
        maxKnown: 10_000,
        maxRunMs: DAY_MS,
        keptMs: DAY_MS,
        createdAt: at.clock.now,
      });
      expect(job.kinds).toEqual({});
      const first = await store.take(job, { ...SHARE, addresses: 1 });
      expect(first).toMatchObject([{ url: "https://one.example/0", tries: 1, startMs: 0, depth: 0, task: PAGE }]);
      const found = [...pages(3), { url: "https://one.example/new", task: PAGE, depth: 1 }];
      const after = await store.finish(job, { finished: first.map((one) => delivered(one)), found });
      expect(after).toMatchObject({ state: "running", known: 4, open: 3, delivered: 1, results: 1 });
      const rest = await store.take(job, SHARE);
      expect(rest.map(({ url, depth }) => [url, depth])).toEqual([
        ["https://one.example/1", 0],
        ["https://one.example/2", 0],
        ["https://one.example/new", 1],
      ]);
      expect(await store.take(job, SHARE)).toEqual([]);
      expect(await deliver(store, job, rest)).toMatchObject({
        state: "completed",
        reason: "",
        open: 0,
        delivered: 4,
        saved: 0,
      });
      expect(await store.running()).toEqual([]);
      expect(await store.newest(5)).toMatchObject([{ id: job.id, state: "completed", delivered: 4 }]);
      const results = await store.results(job, 1, 2);
      expect(results.map(({ number, body }) => [number, Buffer.from(body).toString()])).toEqual([
        [2, "https://one.example/1"],
        [3, "https://one.example/2"],
      ]);
    });

    test("a job ends at its limit, and no result comes after it", async () => {
      await using at = await begin({ limit: 2 }, pages(5));
      const { store, job } = at;
      const taken = await store.take(job, SHARE);
      expect(taken).toHaveLength(5);
      expect(await deliver(store, job, taken.slice(0, 3))).toMatchObject({
        state: "completed",
        reason: "limit",
        delivered: 2,
      });
      expect(await deliver(store, job, taken.slice(3))).toMatchObject({ delivered: 2, results: 2 });
      expect(await store.results(job, 0, 10)).toHaveLength(2);
      const exact = await at.add({ limit: 2 }, pages(2));
      expect(await deliver(store, exact, await store.take(exact, SHARE))).toMatchObject({
        state: "completed",
        reason: "",
      });
    });

    test("the addresses of a service that died are taken by another, and its late outcome has no effect", async () => {
      await using at = await begin({}, pages(2));
      const { store, job, clock } = at;
      const lost = await store.take(job, SHARE);
      expect(lost).toHaveLength(2);
      const other = await at.another();
      clock.now += LEASE_MS - 1;
      expect(await other.take(job, SHARE)).toEqual([]);
      await store.renew(job, lost.slice(0, 1));
      clock.now += 2;
      const again = await other.take(job, SHARE);
      expect(again).toMatchObject([{ url: "https://one.example/1", tries: 2 }]);
      expect(await deliver(store, job, lost.slice(1))).toMatchObject({ delivered: 0, open: 2 });
      await store.renew(job, lost.slice(1));
      expect(await deliver(other, job, again)).toMatchObject({ delivered: 1, open: 1 });
      expect(await deliver(store, job, lost)).toMatchObject({ state: "completed", delivered: 2 });
      expect(await other.results(job, 0, 10)).toHaveLength(2);
    });

    test("the outcome of a lease that has ended counts, unless another service has taken the address", async () => {
      await using at = await begin({}, pages(2));
      const { store, job, clock } = at;
      const late = await store.take(job, SHARE);
      const host = late[0]?.host ?? "";
      const paces = [{ host, intervalMs: 0, pauseMs: 2 * LEASE_MS }];
      await store.finish(job, { finished: [], found: [], paces });
      clock.now += LEASE_MS;
      const other = await at.another();
      expect(await other.take(job, SHARE)).toEqual([]);
      expect(await deliver(store, job, late.slice(0, 1))).toMatchObject({ delivered: 1, open: 1 });
      clock.now += LEASE_MS;
      expect(await other.take(job, SHARE)).toMatchObject([{ url: "https://one.example/1", tries: 2 }]);
      expect(await deliver(store, job, late)).toMatchObject({ delivered: 1, open: 1 });
    });

    test("an address that ends every service comes back with a higher number of tries", async () => {
      await using at = await begin();
      const { store, job, clock } = at;
      for (let tries = 1; tries <= MOST_TRIES + 1; tries += 1) {
        expect(await store.take(job, SHARE)).toMatchObject([{ tries }]);
        clock.now += LEASE_MS;
      }
    });

    test("what was not delivered is counted by kind, and has a result only if one is given", async () => {
      await using at = await begin({}, pages(3));
      const { store, job } = at;
      const [one, two, three] = await store.take(job, SHARE);
      if (one === undefined || two === undefined || three === undefined) throw new Error("three were expected");
      const finished = [
        { taken: one, kind: "page-timeout", result: Buffer.from("why") },
        { taken: two, kind: "duplicate" },
        { taken: three, kind: "duplicate" },
      ];
      const after = await store.finish(job, { finished, found: [], leftOut: { "path-depth": 4, duplicate: 1 } });
      expect(after).toMatchObject({ state: "completed", delivered: 0, results: 1 });
      expect(after?.kinds).toEqual({ "page-timeout": 1, duplicate: 3, "path-depth": 4 });
      expect(await store.results(job, 0, 10)).toMatchObject([{ number: 1, pages: 0 }]);
    });

    test("an address that is tried again waits for its time", async () => {
      await using at = await begin();
      const { store, job, clock } = at;
      const [taken] = await store.take(job, SHARE);
      if (taken === undefined) throw new Error("one was expected");
      expect(await store.take(job, SHARE)).toEqual([]);
      const finished = [{ taken, kind: "page-failed", againMs: 5_000 }];
      expect(await store.finish(job, { finished, found: [] })).toMatchObject({ state: "running", open: 1 });
      clock.now += 4_999;
      expect(await store.take(job, SHARE)).toEqual([]);
      clock.now += 1;
      expect(await store.take(job, SHARE)).toMatchObject([{ tries: POSTPONED + 2 }]);
    });

    test("nothing waits for a clock that was set back: no lease, no host, and no address that is tried again", async () => {
      const seeds = ["leased", "again", "paused"].flatMap((site) => pages(1, `https://${site}.example`));
      await using at = await begin({}, seeds);
      const { store, job, clock } = at;
      clock.now += 86_400_000;
      const taken = await store.take(job, SHARE);
      const of = (site: string) => {
        const found = taken.find(({ url }) => url === `https://${site}.example/0`);
        if (found === undefined) throw new Error(`no address of ${site}`);
        return found;
      };
      const found = pages(1, "https://paused.example", 1).map((one) => ({ ...one, url: `${one.url}1` }));
      const paces = [{ host: of("paused").host, intervalMs: 0, pauseMs: 500_000 }];
      const again = { taken: of("again"), kind: "page-failed", againMs: 30_000 };
      await store.finish(job, { finished: [delivered(of("paused")), again], found, paces });
      expect(await store.take(job, SHARE)).toEqual([]);
      clock.now -= 86_400_000;
      const due: Taken[] = [];
      for (let turns = 0; turns < 5; turns += 1) {
        due.push(...(await store.take(job, SHARE)));
        clock.now += TURN_MS;
      }
      const urls = ["https://again.example/0", "https://leased.example/0", "https://paused.example/01"];
      expect(due.map(({ url }) => url).toSorted()).toEqual(urls);
    });

    test("a host waits for a pause of 600 s, and not for more, which only a clock that was set back would need", async () => {
      await using at = await begin({}, pages(1));
      const { store, job, clock } = at;
      const [first] = await store.take(job, SHARE);
      if (first === undefined) throw new Error("one was expected");
      const found = pages(1, undefined, 1).map((one) => ({ ...one, url: `${one.url}1` }));
      const paces = [{ host: first.host, intervalMs: 0, pauseMs: 600_000 }];
      await store.finish(job, { finished: [delivered(first)], found, paces });
      const due = async (): Promise<number> => {
        let count = 0;
        for (let turns = 0; turns < 5; turns += 1) {
          count += (await store.take(job, SHARE)).length;
          clock.now += TURN_MS;
        }
        return count;
      };
      expect(await due()).toBe(0);
      // The pause now ends in 601 s.
      clock.now -= 6 * TURN_MS;
      expect(await due()).toBe(1);
    });

    test("a host has one pace for all jobs of all services, and gets no request while it is paused", async () => {
      await using at = await begin({}, pages(30));
      const { store, job, clock } = at;
      const other = await at.add({}, pages(5));
      const service = await at.another();
      const delayed = { ...SHARE, delayMs: 300 };
      const first = await store.take(job, delayed);
      expect(first.map(({ startMs }) => startMs)).toEqual([0, 300, 600]);
      expect(await service.take(other, delayed)).toEqual([]);
      clock.now += 899;
      expect(await service.take(other, delayed)).toEqual([]);
      clock.now += 1;
      expect(await service.take(other, delayed)).toHaveLength(3);
      const host = first[0]?.host ?? "";
      await store.finish(job, { finished: [], found: [], paces: [{ host, intervalMs: 500, pauseMs: 10_000 }] });
      clock.now += 9_999;
      expect(await store.take(job, SHARE)).toEqual([]);
      clock.now += 1;
      expect(await store.take(job, SHARE)).toHaveLength(2);
    });

    test("a host without a known pace gets one request in each turn, from all services together", async () => {
      await using at = await begin();
      const { store, job, clock } = at;
      const other = await at.another();
      await store.finish(job, { finished: [], found: pages(5, "https://new.example") });
      const take = async (service: JobStore) =>
        (await service.take(job, SHARE)).filter(({ url }) => url.startsWith("https://new.example/"));
      const [first] = await take(store);
      expect(await take(other)).toEqual([]);
      clock.now += TURN_MS;
      expect(await take(other)).toHaveLength(1);
      const paces = [{ host: first?.host ?? "", intervalMs: 0, pauseMs: 0 }];
      await store.finish(job, { finished: [], found: [], paces });
      clock.now += TURN_MS;
      expect(await take(store)).toHaveLength(3);
    });

    test("the pace of a host is forgotten a day after its last request", async () => {
      await using at = await begin({ maxRunMs: 10 * DAY_MS }, pages(10));
      const { store, job, clock } = at;
      const [{ host } = { host: "" }] = keyed(job.id, pages(1));
      await store.finish(job, { finished: [], found: [], paces: [{ host, intervalMs: 400, pauseMs: 0 }] });
      expect(await store.take(job, SHARE)).toHaveLength(2);
      clock.now += 800 + DAY_MS;
      await store.sweep();
      expect(await store.take(job, SHARE)).toHaveLength(2);
      clock.now += 800 + DAY_MS + 1;
      await store.sweep();
      expect(await store.take(job, SHARE)).toHaveLength(1);
    });

    test("each call takes from several hosts", async () => {
      const seeds = ["a", "b", "c"].flatMap((site) => pages(5, `https://${site}.example`));
      await using at = await begin({}, seeds);
      const { store, job } = at;
      const taken = await store.take(job, { hosts: 2, addresses: 100, delayMs: 1_000 });
      expect(taken).toHaveLength(2);
      const more = await store.take(job, { hosts: 2, addresses: 100, delayMs: 1_000 });
      expect(new Set([...taken, ...more].map(({ host }) => host)).size).toBe(3);
    });

    test("one call takes no more addresses than its share, from all hosts together", async () => {
      const seeds = ["a", "b", "c"].flatMap((site) => pages(3, `https://${site}.example`));
      await using at = await begin({}, seeds);
      const { store, job } = at;
      const taken: number[] = [];
      for (let calls = 0; calls < 4; calls += 1)
        taken.push((await store.take(job, { hosts: 3, addresses: 4, delayMs: 0 })).length);
      expect(taken).toEqual([4, 4, 1, 0]);
    });

    test("hosts take turns: none is taken from again before those that a full share left out", async () => {
      const seeds = ["a", "b", "c"].flatMap((site) => pages(3, `https://${site}.example`));
      await using at = await begin({}, seeds);
      const { store, job, clock } = at;
      const hosts: (string | undefined)[] = [];
      for (let calls = 0; calls < 6; calls += 1) {
        clock.now += 1;
        hosts.push(...(await store.take(job, { hosts: 3, addresses: 1, delayMs: 0 })).map(({ host }) => host));
      }
      expect(hosts).toHaveLength(6);
      expect(new Set(hosts.slice(0, 3)).size).toBe(3);
      expect(hosts.slice(3)).toEqual(hosts.slice(0, 3));
    });

    test("a host whose only address waits for another try does not hold back other hosts", async () => {
      await using at = await begin({}, [...pages(1, "https://busy.example"), ...pages(3, "https://free.example")]);
      const { store, job, clock } = at;
      const finished = (await store.take(job, SHARE)).map((taken) => ({
        taken,
        kind: "page-failed",
        againMs: isBusy(taken) ? 5_000 : 1,
      }));
      await store.finish(job, { finished, found: [] });
      const taken: Taken[] = [];
      for (let calls = 0; calls < 6; calls += 1) {
        clock.now += 1;
        taken.push(...(await store.take(job, { hosts: 1, addresses: 1, delayMs: 0 })));
      }
      expect(taken.map(isBusy)).toEqual([false, false, false]);
    });

    test("a name belongs to the first page that is stored with it, and not to one whose lease has ended", async () => {
      await using at = await begin({}, pages(4));
      const { store, job, clock } = at;
      const lost = await store.take(job, { ...SHARE, addresses: 2 });
      clock.now += LEASE_MS;
      const other = await at.another();
      const taken = await other.take(job, SHARE);
      const [one, two, three, four] = taken.toSorted((a, b) => a.tries - b.tries);
      if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error("four");
      const late = lost.find(({ key }) => key === three.key);
      if (late === undefined) throw new Error("the address of the lost lease");
      expect(await claimed(store, job, late, { names: ["same"] })).toMatchObject({ delivered: 0, isAlike: false });
      await other.finish(job, { finished: [failed(one)], found: [] });
      const [isFirst, isSecond] = [
        await claimed(other, job, two, { names: ["same"] }),
        await claimed(other, job, four, { names: ["same"] }),
      ];
      expect([isFirst, isSecond]).toMatchObject([{ isAlike: false }, { isAlike: true }]);
      const end = await claimed(other, job, three, { names: ["another"] });
      expect(end).toMatchObject({ known: 4, delivered: 2, results: 3, state: "completed", isAlike: false });
      expect(end?.kinds).toEqual({ "page-failed": 1, duplicate: 1 });
    });

    test("a page gets all names that it claims, unless others have too many of one claim: then it gets none", async () => {
      await using at = await begin({}, pages(7));
      const { store, job } = at;
      const taken = (await store.take(job, SHARE)).values();
      const next = (...claims: { names: string[]; most?: number }[]) =>
        claimed(store, job, taken.next().value, ...claims);
      expect(await next({ names: ["a", "b", "c"], most: 2 })).toMatchObject({ isAlike: false });
      expect(await next({ names: ["p"] }, { names: ["a", "b", "x"], most: 2 })).toMatchObject({ isAlike: true });
      expect(await next({ names: ["p"] }, { names: ["a", "x", "z"], most: 2 })).toMatchObject({ isAlike: false });
      const two = { names: ["m", "n", "o"], most: 2 };
      const both = await Promise.all([next({ names: ["q"] }, two), next({ names: ["r"] }, two)]);
      expect(both.map((stored) => stored?.isAlike).toSorted((a, b) => Number(a) - Number(b))).toEqual([false, true]);
      // The second one of these has no name, so that one of the last pages is delivered.
      const after = [await next({ names: ["q"] }), await next({ names: ["r"] })];
      expect(after.map((stored) => stored?.isAlike).toSorted((a, b) => Number(a) - Number(b))).toEqual([false, true]);
      expect(after.at(-1)).toMatchObject({ delivered: 4, results: 4, state: "completed" });
    });

    test("a frontier has a limit, and says how many addresses it dropped", async () => {
      await using at = await begin({ maxKnown: 3 }, pages(2));
      const { store, job } = at;
      const after = await store.finish(job, { finished: [], found: pages(6) });
      expect(after).toMatchObject({ known: 3, open: 3 });
      expect(after?.kinds).toEqual({ "frontier-full": 3 });
      const full = await store.finish(job, { finished: [], found: pages(6) });
      expect(full).toMatchObject({ known: 3, open: 3, kinds: { "frontier-full": 6 } });
      const fuller = await store.finish(job, { finished: [], found: pages(4).slice(3) });
      expect(fuller?.kinds).toEqual({ "frontier-full": 7 });
    });

    test("a cancelled job gives no more work, and takes no more results", async () => {
      await using at = await begin({}, pages(3));
      const { store, job } = at;
      const taken = await store.take(job, { ...SHARE, addresses: 1 });
      expect(await store.end(job.id, "cancelled", "")).toBe(true);
      expect(await store.end(job.id, "failed", "again")).toBe(false);
      const late = { state: "cancelled", delivered: 0, results: 0, isAlike: false };
      expect(await deliver(store, job, taken)).toMatchObject(late);
      expect(await store.find(job.id)).toMatchObject({ state: "cancelled" });
      expect(await store.running()).toEqual([]);
    });

    test("a job that is cancelled while its last page comes ends once, with a result for each delivered page", async () => {
      await using at = await begin({ limit: 2 }, pages(3));
      const { store, job } = at;
      const other = await at.another();
      const taken = await store.take(job, { ...SHARE, addresses: 2 });
      const [isCancelled] = await Promise.all([other.end(job.id, "cancelled", ""), deliver(store, job, taken)]);
      const ended = await other.find(job.id);
      expect(ended).toMatchObject(
        isCancelled
          ? { state: "cancelled", reason: "", delivered: 0, results: 0 }
          : { state: "completed", reason: "limit", delivered: 2, results: 2 },
      );
      expect(await store.results(job, 0, 10)).toHaveLength(ended?.results ?? -1);
      expect(await store.running()).toEqual([]);
    });

    test("a job that is cancelled while its payment is settled keeps what is paid", async () => {
      await using at = await begin({ sale: "terms" }, pages(3));
      const { store, job } = at;
      const word = { pages: 1, amount: "5", transaction: "0xtx", isClosed: true };
      await store.paid(job.id, { pages: 0, amount: "0", transaction: "", isClosed: false });
      await deliver(store, job, await store.take(job, { ...SHARE, addresses: 1 }));
      const other = await at.another();
      await Promise.all([store.end(job.id, "cancelled", ""), other.paid(job.id, word), other.paid(job.id, word)]);
      const paid = { paidThrough: 1, paid: "5", transaction: "0xtx", payment: "closed" };
      expect(await store.find(job.id)).toMatchObject({ state: "cancelled", delivered: 1, results: 1, ...paid });
    });

    test("a job ends with its time, and is forgotten when its results expire", async () => {
      await using at = await begin({ maxRunMs: 10_000, keptMs: 60_000 }, pages(3));
      const { store, job, clock } = at;
      await store.hooks.add(job.id);
      await deliver(store, job, await store.take(job, { ...SHARE, addresses: 1 }));
      await store.sweep();
      expect(await store.find(job.id)).toMatchObject({ state: "running" });
      clock.now += 10_000;
      await store.sweep();
      expect(await store.find(job.id)).toMatchObject({ state: "failed", reason: "time", delivered: 1 });
      expect(await store.results(job, 0, 10)).toHaveLength(1);
      clock.now += 60_000;
      expect(await store.find(job.id)).toBeUndefined();
      expect(await store.hooks.of(job.number)).toBeDefined();
      await store.sweep();
      await store.sweep();
      expect(await store.find(job.id)).toBeUndefined();
      expect(await store.hooks.of(job.number)).toBeUndefined();
      expect(await store.finish(job, { finished: [], found: [] })).toBeUndefined();
    });

    test("a job whose payment waits begins with the first word about it, and otherwise ends", async () => {
      await using at = await begin({ sale: "terms" });
      const { store, job, clock, add } = at;
      const other = await add({ sale: "terms" }, pages(1));
      const before = { payment: "waiting", paidThrough: 0, paid: "0", sale: "terms", state: "running" };
      expect([job, await store.running()]).toMatchObject([before, []]);
      await store.paid(job.id, { pages: 0, amount: "0", transaction: "", isClosed: false });
      expect(await store.running()).toMatchObject([{ id: job.id, payment: "open" }]);
      clock.now += MAX_WAIT_MS;
      await store.sweep();
      expect(await store.find(other.id)).toMatchObject({ state: "failed", reason: "unpaid", payment: "closed" });
      expect(await store.find(job.id)).toMatchObject({ state: "running", payment: "open" });
    });

    test("a job without terms that waits begins with its owner's first request, and has its whole time from then on", async () => {
      await using at = await begin({ payment: "waiting", maxRunMs: 10 * MAX_WAIT_MS });
      const { store, job, clock } = at;
      const forgotten = await at.add({ payment: "waiting", maxRunMs: 10 * MAX_WAIT_MS }, pages(1));
      clock.now += 9 * MAX_WAIT_MS;
      await store.sweep();
      expect([job.payment, await store.running()]).toEqual(["waiting", []]);
      await store.begin(job.id);
      expect(await store.running()).toMatchObject([{ id: job.id, payment: "none" }]);
      clock.now += MAX_WAIT_MS;
      await store.sweep();
      expect(await store.find(forgotten.id)).toMatchObject({ state: "failed", reason: "time", results: 0 });
      clock.now += 5 * MAX_WAIT_MS;
      // A further request adds no time.
      await store.begin(job.id);
      await store.sweep();
      expect(await store.find(job.id)).toMatchObject({ state: "running" });
      clock.now += 4 * MAX_WAIT_MS;
      await store.sweep();
      expect(await store.find(job.id)).toMatchObject({ state: "failed", reason: "time" });
    });

    test("a job that waits for its payment does not begin with a request", async () => {
      await using at = await begin({ sale: "terms" });
      await at.store.begin(at.job.id);
      expect(await at.store.find(at.job.id)).toMatchObject({ payment: "waiting" });
    });

    test("a paid amount is never recorded as unpaid again, and a closed payment stays closed", async () => {
      await using at = await begin({ sale: "terms" });
      const { store, job } = at;
      await store.paid(job.id, { pages: 7, amount: "35", transaction: "", isClosed: false });
      await store.paid(job.id, { pages: 7, amount: "34", transaction: "", isClosed: false });
      await store.paid(job.id, { pages: 3, amount: "9", transaction: "0xtx", isClosed: true });
      expect(await store.find(job.id)).toMatchObject({
        paidThrough: 7,
        paid: "35",
        transaction: "0xtx",
        payment: "closed",
      });
      await store.paid(job.id, { pages: 8, amount: "40", transaction: "", isClosed: false });
      expect(await store.find(job.id)).toMatchObject({
        paidThrough: 8,
        paid: "40",
        transaction: "0xtx",
        payment: "closed",
      });
    });

    test("a job gets another secret and other terms", async () => {
      await using at = await begin({ sale: "terms" });
      await at.store.rename(at.job.id, { secretHash: "of another", sale: "others" });
      expect(await at.store.find(at.job.id)).toMatchObject({ secretHash: "of another", sale: "others" });
    });

    test("each result has the number of pages that were delivered up to it", async () => {
      await using at = await begin({ limit: 3 }, pages(6));
      const { store, job } = at;
      const taken = await store.take(job, SHARE);
      const outcomes = taken.map((one, index) => (index % 2 === 0 ? failed(one) : delivered(one)));
      await store.finish(job, { finished: outcomes.slice(0, 3), found: [] });
      await store.finish(job, { finished: outcomes.slice(3), found: [] });
      const results = await store.results(job, 0, 10);
      expect(results.map(({ number, pages: count }) => [number, count])).toEqual([
        [1, 0],
        [2, 1],
        [3, 1],
        [4, 2],
        [5, 2],
        [6, 3],
      ]);
    });

    test("a page of results has 8 MiB at most, or one longer result", async () => {
      await using at = await begin({}, pages(5));
      const { store, job } = at;
      const [half, more] = [4 * 1024 * 1024, 8 * 1024 * 1024 + 1].map((bytes) => Buffer.alloc(bytes));
      const bodies = [half, half, Buffer.alloc(1), more, half];
      for (const [at_, taken] of (await store.take(job, SHARE)).entries())
        await store.finish(job, {
          finished: [{ taken, kind: "delivered", result: bodies[at_] ?? Buffer.alloc(0) }],
          found: [],
        });
      const numbers = async (after: number) => (await store.results(job, after, 10)).map(({ number }) => number);
      expect([await numbers(0), await numbers(2), await numbers(3), await numbers(4)]).toEqual([[1, 2], [3], [4], [5]]);
    });

    test("a thousand jobs run at one time, and a further one can begin when one of them has ended", async () => {
      await using at = await begin();
      const { store, job } = at;
      const create = (): Promise<boolean> => store.create(newJob(), []);
      const made = await Promise.all(Array.from({ length: MAX_RUNNING_JOBS - 1 }, create));
      expect(made.every((isMade) => isMade)).toBe(true);
      expect(await create()).toBe(false);
      await store.end(job.id, "cancelled", "");
      expect([await create(), await create()]).toEqual([true, false]);
    });

    test("delivered pages that cost less are added up, in the job and up to each result", async () => {
      await using at = await begin({ limit: 2 }, pages(4));
      const { store, job } = at;
      const taken = await store.take(job, SHARE);
      const finished = taken.map((one, index) => ({ ...(index === 0 ? failed(one) : delivered(one)), saved: 80 }));
      expect(await store.finish(job, { finished: finished.slice(0, 2), found: [] })).toMatchObject({ saved: 80 });
      expect(await store.finish(job, { finished: finished.slice(2), found: [] })).toMatchObject({
        saved: 160,
        delivered: 2,
      });
      const results = await store.results(job, 0, 10);
      expect(results.map(({ pages: count, saved }) => [count, saved])).toEqual([
        [0, 0],
        [1, 80],
        [2, 160],
      ]);
    });

    test("a webhook is due if its job has something to send, and belongs to one service at a time", async () => {
      await using at = await begin({}, pages(2));
      const { store, job, clock } = at;
      const { hooks } = store;
      expect(await hooks.of(job.number)).toBeUndefined();
      await hooks.add(job.id);
      await hooks.add(job.id);
      const other = (await at.another()).hooks;
      const taken = [...(await hooks.take(5, false)), ...(await other.take(5, false))];
      expect(taken).toMatchObject([{ jobId: job.id, job: job.number, sent: -1, tries: 0, turn: 1 }]);
      const [first] = taken;
      if (first === undefined) throw new Error("one was expected");
      clock.now += LEASE_MS;
      const [second] = await other.take(5, false);
      if (second === undefined) throw new Error("one was expected");
      const progress = { sent: 0, tries: 0, failure: "", nextMs: 0 };
      expect(await hooks.record(first, progress)).toBe(false);
      expect(await other.record(second, progress)).toBe(true);
      expect(await hooks.of(job.number)).toEqual({ sent: 0, tries: 0, failure: "", failingSince: 0, isOver: false });
      // The start is sent, and there is no result yet.
      expect(await hooks.take(5, false)).toEqual([]);
      await deliver(store, job, await store.take(job, SHARE));
      const [third] = await hooks.take(5, false);
      if (third === undefined) throw new Error("one was expected");
      await hooks.record(third, { sent: 0, tries: 1, failure: "status 500", nextMs: 1_000 });
      const since = clock.now;
      clock.now += 1_000;
      expect(await hooks.take(5, false)).toEqual([]);
      const [fourth] = await hooks.take(5, true);
      expect(fourth).toMatchObject({ sent: 0, tries: 1, failure: "status 500", failingSince: since });
      if (fourth === undefined) throw new Error("one was expected");
      await hooks.record(fourth, { sent: 0, tries: 2, failure: "timeout", nextMs: 1_000 });
      clock.now -= 86_400_000;
      const [fifth] = await hooks.take(5, true);
      if (fifth === undefined) throw new Error("a clock that was set back delays no webhook");
      clock.now += 86_400_000;
      await hooks.record(fifth, { sent: 0, tries: 3, failure: "timeout", nextMs: undefined });
      expect(await hooks.of(job.number)).toMatchObject({
        tries: 3,
        failingSince: since,
        failure: "timeout",
        isOver: true,
      });
      clock.now += LEASE_MS;
      expect([...(await hooks.take(5, true)), ...(await hooks.take(5, false))]).toEqual([]);
    });

    test("several services that work at the same time finish every address once", async () => {
      const seeds = Array.from({ length: 20 }, (_, site) => pages(10, `https://s${site}.example`)).flat();
      await using at = await begin({ limit: 5_000 }, seeds);
      const { job } = at;
      const services = [at.store, await at.another(), await at.another()];
      const seen: string[] = [];
      await Promise.all(
        [...services, ...services].map(async (store, index) => {
          for (;;) {
            const taken = await store.take(job, { hosts: 5, addresses: 7, delayMs: 0 });
            seen.push(...taken.map(({ url }) => url));
            // All of them find the same addresses, in different orders.
            const found = pages(60, `https://s${(index + seen.length) % 20}.example`, 1);
            const finished = taken.map((one) => delivered(one));
            const after = await store.finish(job, { finished, found: index % 2 === 0 ? found : found.toReversed() });
            if (after?.state !== "running") return;
          }
        }),
      );
      const end = await at.store.find(job.id);
      expect(new Set(seen).size).toBe(seen.length);
      expect(end).toMatchObject({ state: "completed", open: 0, delivered: seen.length, known: seen.length });
      const numbers = (await at.store.results(job, 0, 10_000)).map(({ number }) => number);
      expect(numbers).toEqual(seen.map((_, index) => index + 1));
    });
  });
}
