import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TurnpikeError } from "../../lib/errors.ts";
import { type JobStore } from "../../store/jobs/job-store.ts";
import { MAX_OWN_SESSIONS, SESSION_LEASE_MS, type SessionStore } from "../../store/jobs/session-store.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { type BrowsingState } from "../page/browsing-state.ts";
import { Sessions } from "./sessions.ts";

const HOUR = { ttlMs: 3_600_000, idleMs: 3_600_000 };
const DAY_MS = 86_400_000;

let folder: string;
const stores: JobStore[] = [];
/** Milliseconds by which the clock of the store was changed. */
let step = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-sessions-"));
  step = 0;
  jest.useFakeTimers();
});
afterEach(async () => {
  jest.useRealTimers();
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const down = () => Promise.reject(new Error("the connection to postgres://user:secret@host was lost"));

/** The sessions of one service of several. `change` replaces calls of its store. */
function service(change: Partial<SessionStore> = {}, maxBytes?: number): Sessions {
  const store = openSqliteJobs(join(folder, "jobs.sqlite"), () => Date.now() + step, maxBytes);
  stores.push(store);
  const sessions = new Proxy(store.sessions, {
    get: (target, name) => {
      const own: unknown = Reflect.get(change, name) ?? Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  return new Sessions({
    store: { sessions, isFull: (error) => store.isFull(error) },
    random,
    now: () => performance.now(),
  });
}

const storing = (value: string) => async (state: BrowsingState) => {
  state.storage = new Map([["https://shop.test", [["key", value]]]]);
};
const stored = async ({ storage }: BrowsingState) => storage.get("https://shop.test")?.[0]?.[1] ?? "nothing";
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof TurnpikeError ? error.code : error),
  );

/** A use that lasts until its lease is lost, and leaves a state. `hasBegun` resolves when it has the session. */
function longUse(sessions: Sessions, id: string, secret: string) {
  const begun = Promise.withResolvers<void>();
  const over = sessions.using(id, secret, async (state, lost) => {
    begun.resolve();
    await new Promise((resolve) => lost.addEventListener("abort", resolve));
    await storing("late")(state);
    throw new Error("the page was stopped");
  });
  return { hasBegun: begun.promise, outcome: codeOf(over) };
}

describe("a use", () => {
  test("keeps its session from other services for as long as it lasts", async () => {
    const [one, other] = [service(), service()];
    const { session, secret } = await one.add(HOUR, "");
    const use = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const done = one.using(session.id, secret, async (state) => {
      begun.resolve();
      await use.promise;
      await storing("first")(state);
    });
    await begun.promise;
    for (let waited = 0; waited < 3 * SESSION_LEASE_MS; waited += 1_000) {
      jest.advanceTimersByTime(1_000);
      await Promise.resolve();
      expect(await codeOf(other.using(session.id, secret, stored))).toBe("session-busy");
    }
    use.resolve();
    await done;
    expect(await other.using(session.id, secret, stored)).toBe("first");
  });

  test("whose session another service has, after a step of the clock, is stopped and keeps nothing", async () => {
    const [one, other] = [service(), service()];
    const { session, secret } = await one.add({ ttlMs: 2 * DAY_MS, idleMs: DAY_MS }, "");
    const { hasBegun, outcome } = longUse(one, session.id, secret);
    await hasBegun;
    step = 3_600_000;
    await other.using(session.id, secret, storing("newer"));
    jest.advanceTimersByTime(SESSION_LEASE_MS / 3);
    expect(await outcome).toBe("session-busy");
    expect(await other.using(session.id, secret, stored)).toBe("newer");
  });

  test("whose session was ended is stopped", async () => {
    const [one, other] = [service(), service()];
    const { session, secret } = await one.add(HOUR, "");
    const { hasBegun, outcome } = longUse(one, session.id, secret);
    await hasBegun;
    await other.end(session.id, secret);
    jest.advanceTimersByTime(SESSION_LEASE_MS / 3);
    expect(await outcome).toBe("session-busy");
    expect(await codeOf(other.using(session.id, secret, stored))).toBe("not-found");
  });

  test("that does not reach the store for the time of its lease is stopped", async () => {
    let isDown = false;
    const one = service({
      renew: async () => {
        if (isDown) throw new Error("the store is down");
        return true;
      },
    });
    const { session, secret } = await one.add(HOUR, "");
    let isLost = false;
    const { hasBegun, outcome } = longUse(one, session.id, secret);
    void outcome.then(() => (isLost = true));
    await hasBegun;
    jest.advanceTimersByTime(SESSION_LEASE_MS - 1);
    // The last renewal was at two thirds of the lease.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    isDown = true;
    jest.advanceTimersByTime((2 * SESSION_LEASE_MS) / 3);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(isLost).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await outcome).toBe("store-unavailable");
  });
});

test("a session has a secret of its own, or the given one, and no other is accepted", async () => {
  const sessions = service();
  const [one, two] = [await sessions.add(HOUR, ""), await sessions.add(HOUR, "")];
  expect([one.secret, two.secret]).toEqual([
    expect.stringMatching(/^[\w-]{32}$/),
    expect.not.stringMatching(one.secret),
  ]);
  const third = await sessions.add(HOUR, one.secret);
  expect(third.secret).toBe(one.secret);
  expect((await sessions.list(one.secret)).map(({ id }) => id).toSorted()).toEqual(
    [one.session.id, third.session.id].toSorted(),
  );
  for (const secret of ["", two.secret]) {
    expect(await codeOf(sessions.find(one.session.id, secret))).toBe("not-found");
    expect(await codeOf(sessions.using(one.session.id, secret, stored))).toBe("not-found");
    expect(await codeOf(sessions.end(one.session.id, secret))).toBe("not-found");
    expect(await codeOf(sessions.leftOut(one.session.id, secret))).toBe("not-found");
  }
  expect(one.session.id).toMatch(/^[\da-f]{32}$/);
  const gone = service({ take: () => Promise.resolve(undefined) });
  expect(await codeOf(gone.using(one.session.id, one.secret, stored))).toBe("not-found");
  expect(await codeOf(sessions.add(HOUR, "short"))).toBe("invalid-parameters");
});

describe("a store", () => {
  test("that is down is an error of each request, and a state that it does not take changes nothing", async () => {
    const up = service();
    const { session, secret } = await up.add(HOUR, "");
    await up.using(session.id, secret, storing("old"));
    const broken = service({ create: down, find: down, withSecret: down, take: down, remove: down });
    expect([
      await codeOf(broken.add(HOUR, "")),
      await codeOf(broken.list(secret)),
      await codeOf(broken.find(session.id, secret)),
      await codeOf(broken.end(session.id, secret)),
      await codeOf(broken.using(session.id, secret, stored)),
    ]).toEqual(Array.from({ length: 5 }, () => "store-unavailable"));
    expect(await codeOf(service({ remove: down }).end(session.id, secret))).toBe("store-unavailable");
    expect(await codeOf(service({ leave: down }).using(session.id, secret, storing("new")))).toBe("store-unavailable");
    expect(await codeOf(up.using(session.id, secret, stored))).toBe("session-busy");
    jest.advanceTimersByTime(SESSION_LEASE_MS);
    expect(await up.using(session.id, secret, stored)).toBe("old");
  });

  test("without room keeps the state of each session, and has room again when a session ends", async () => {
    const sessions = service({}, 512 * 1024);
    const [x, y] = ["x".repeat(150_000), "y".repeat(300_000)];
    const { session, secret } = await sessions.add(HOUR, "");
    const { session: other } = await sessions.add(HOUR, secret);
    await sessions.using(session.id, secret, storing(x));
    expect(await codeOf(sessions.using(other.id, secret, storing(y)))).toBe("overloaded");
    expect(await sessions.using(session.id, secret, stored)).toBe(x);
    await sessions.end(session.id, secret);
    jest.advanceTimersByTime(SESSION_LEASE_MS);
    await sessions.using(other.id, secret, storing(y));
    expect((await sessions.find(other.id, secret)).bytes).toBeGreaterThan(y.length);
  });

  test("takes a bounded number of sessions with one secret, and each is listed and can be ended", async () => {
    const sessions = service();
    const { secret } = await sessions.add(HOUR, "");
    const more = Array.from({ length: 2 * MAX_OWN_SESSIONS }, () => codeOf(sessions.add(HOUR, secret)));
    const outcomes = await Promise.all(more);
    expect(outcomes.filter((one) => one === "done")).toHaveLength(MAX_OWN_SESSIONS - 1);
    expect(new Set(outcomes)).toEqual(new Set(["done", "overloaded"]));
    const listed = await sessions.list(secret);
    expect(listed).toHaveLength(MAX_OWN_SESSIONS);
    for (const { id } of listed) await sessions.end(id, secret);
    expect([await sessions.list(secret), await codeOf(sessions.add(HOUR, secret))]).toEqual([[], "done"]);
  });

  test("whose clock is set forward lists no session that has expired by it, and none is used", async () => {
    const sessions = service();
    const { session, secret } = await sessions.add(HOUR, "");
    const { session: long } = await sessions.add({ ttlMs: 3 * DAY_MS, idleMs: 3 * DAY_MS }, secret);
    await sessions.using(long.id, secret, storing("kept"));
    step = DAY_MS;
    expect((await sessions.list(secret)).map(({ id }) => id)).toEqual([long.id]);
    expect([
      await codeOf(sessions.find(session.id, secret)),
      await codeOf(sessions.using(session.id, secret, stored)),
      await codeOf(sessions.end(session.id, secret)),
    ]).toEqual(["not-found", "not-found", "not-found"]);
    step = -DAY_MS;
    expect(await sessions.using(long.id, secret, stored)).toBe("kept");
    const { expiresAt, createdAt, usedAt } = await sessions.find(long.id, secret);
    expect([expiresAt - createdAt, usedAt < createdAt]).toEqual([3 * DAY_MS, true]);
  });
});
