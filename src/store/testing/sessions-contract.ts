import { describe, expect, test } from "bun:test";
import { type JobStore } from "../jobs/job-store.ts";
import { type NewSession, type SessionStore, type TakenSession } from "../jobs/session-store.ts";
import { type OpenJobs } from "./jobs-contract.ts";

const MAX_OWN_SESSIONS = 100;
const SESSION_LEASE_MS = 15_000;

const HOUR_MS = 3_600_000;

const newSession = (id: string, more: Partial<NewSession> = {}): NewSession => ({
  id,
  secretHash: `hash of ${id}`,
  ttlMs: HOUR_MS,
  idleMs: HOUR_MS,
  ...more,
});

async function taken(store: SessionStore, id: string): Promise<TakenSession> {
  const one = await store.take(id);
  if (one === undefined || one === "busy") throw new Error(`the session ${id} cannot be taken`);
  return one;
}

/** For tests only: behaviour that every store of sessions must have. */
export function testSessions(name: string, newDatabase: () => Promise<OpenJobs>): void {
  async function begin() {
    const open = await newDatabase();
    const clock = { now: 1_800_000_000_000 };
    const stores: JobStore[] = [await open(() => clock.now), await open(() => clock.now)];
    return {
      clock,
      jobs: stores[0],
      // Two services with one database.
      store: stores[0]?.sessions ?? fail(),
      other: stores[1]?.sessions ?? fail(),
      [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((one) => one.close()))),
    };
  }

  describe(`${name}: sessions`, () => {
    test("a session keeps the state of its last use, and other services see it", async () => {
      await using at = await begin();
      const { clock, store, other } = at;
      expect(await store.create(newSession("a"))).toBe(true);
      const first = await taken(store, "a");
      expect([first.turn, first.state.length]).toEqual([1, 0]);
      clock.now += 5;
      expect(await store.leave(first, new Uint8Array([0, 255, 10]))).toBe(true);
      const times = { createdAt: clock.now - 5, usedAt: clock.now, expiresAt: clock.now - 5 + HOUR_MS };
      expect(await other.find("a")).toEqual({
        id: "a",
        secretHash: "hash of a",
        idleMs: HOUR_MS,
        uses: 1,
        bytes: 3,
        ...times,
      });
      expect([[...(await other.stateOf("a"))], (await other.stateOf("b")).length]).toEqual([[0, 255, 10], 0]);
      const second = await taken(other, "a");
      expect([second.turn, ...second.state]).toEqual([2, 0, 255, 10]);
      expect(await other.leave(second)).toBe(true);
      expect(await store.find("a")).toMatchObject({ uses: 1, bytes: 3 });
    });

    test("a session belongs to one use at a time, and a late use changes nothing", async () => {
      await using at = await begin();
      const { clock, store, other } = at;
      await store.create(newSession("a"));
      const first = await taken(store, "a");
      expect(await other.take("a")).toBe("busy");
      clock.now += SESSION_LEASE_MS - 1;
      expect(await store.renew(first)).toBe(true);
      clock.now += SESSION_LEASE_MS - 1;
      expect(await other.take("a")).toBe("busy");
      clock.now += 1;
      const second = await taken(other, "a");
      expect(await store.renew(first)).toBe(false);
      expect(await store.leave(first, new Uint8Array([1]))).toBe(false);
      expect(await other.leave(second, new Uint8Array([2]))).toBe(true);
      expect(await other.leave(second, new Uint8Array([3]))).toBe(false);
      expect([...(await taken(store, "a")).state]).toEqual([2]);
    });

    test("a session in use does not expire without use, and one whose use was killed can be used again", async () => {
      await using at = await begin();
      const { clock, store, other, jobs } = at;
      await store.create(newSession("a", { idleMs: 10_000 }));
      const first = await taken(store, "a");
      clock.now += SESSION_LEASE_MS - 1;
      expect(await store.renew(first)).toBe(true);
      clock.now += SESSION_LEASE_MS + 9_999;
      await jobs?.sweep();
      expect((await taken(other, "a")).turn).toBe(2);
      clock.now += SESSION_LEASE_MS + 10_000;
      expect([await other.find("a"), await other.take("a")]).toEqual([undefined, undefined]);
    });

    test("a step of the clock gives no session to two uses, and keeps none from a later use", async () => {
      await using at = await begin();
      const { clock, store, other } = at;
      await store.create(newSession("a", { ttlMs: 10 * HOUR_MS, idleMs: 10 * HOUR_MS }));
      const first = await taken(store, "a");
      clock.now += HOUR_MS;
      const second = await taken(other, "a");
      expect([await store.renew(first), await store.leave(first, new Uint8Array([1]))]).toEqual([false, false]);
      clock.now -= HOUR_MS;
      // The use that runs has time for its next renewal.
      expect(await store.take("a")).toBe("busy");
      expect(await other.renew(second)).toBe(true);
      clock.now -= HOUR_MS;
      expect(await store.take("a")).toBe("busy");
      clock.now += SESSION_LEASE_MS;
      const third = await taken(store, "a");
      expect([await other.leave(second), await store.leave(third)]).toEqual([false, true]);
    });

    test("a session expires without use after the clock was set back, also one whose use was killed", async () => {
      await using at = await begin();
      const { clock, store, jobs } = at;
      for (const id of ["idle", "killed"]) await store.create(newSession(id, { idleMs: 10_000 }));
      await taken(store, "killed");
      clock.now -= 24 * HOUR_MS;
      await jobs?.sweep();
      const found = async (passed: number): Promise<boolean[]> => {
        clock.now += passed;
        return [(await store.find("idle")) !== undefined, (await store.find("killed")) !== undefined];
      };
      expect([await found(9_999), await found(1)]).toEqual([
        [true, true],
        [false, true],
      ]);
      expect([await found(SESSION_LEASE_MS - 1), await found(1)]).toEqual([
        [false, true],
        [false, false],
      ]);
    });

    test("of many uses that begin at once, one gets the session", async () => {
      await using at = await begin();
      const { store, other } = at;
      await store.create(newSession("a"));
      const all = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? store : other).take("a")));
      expect(all.filter((one) => one === "busy")).toHaveLength(9);
    });

    test("a session expires by its age and without use, and is then removed", async () => {
      await using at = await begin();
      const { clock, store, jobs } = at;
      await store.create(newSession("old", { ttlMs: 2_000 }));
      await store.create(newSession("idle", { idleMs: 1_000 }));
      clock.now += 999;
      await store.leave(await taken(store, "idle"), new Uint8Array([1]));
      clock.now += 999;
      expect(await store.find("idle")).toMatchObject({ uses: 1 });
      clock.now += 2;
      expect([await store.find("old"), await store.find("idle"), await store.take("idle")]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      await jobs?.sweep();
      expect(await store.remove("old")).toBe(false);
    });

    test("a session that is removed during a use keeps nothing of it", async () => {
      await using at = await begin();
      const { store, other } = at;
      await store.create(newSession("a"));
      const one = await taken(store, "a");
      expect([await other.remove("a"), await other.remove("a")]).toEqual([true, false]);
      expect(await store.leave(one, new Uint8Array([1]))).toBe(false);
      expect([await store.find("a"), await store.take("a")]).toEqual([undefined, undefined]);
    });

    test("lists the sessions with one secret, whose number is bounded", async () => {
      await using at = await begin();
      const { clock, store, other } = at;
      const own = { secretHash: "mine" };
      for (let n = 0; n < MAX_OWN_SESSIONS; n += 1) {
        clock.now += 1;
        expect(await store.create(newSession(`s${n}`, own))).toBe(true);
      }
      expect(await store.create(newSession("one too many", own))).toBe(false);
      expect(await store.create(newSession("of another"))).toBe(true);
      for (const id of ["s98", "s99"]) expect(await store.remove(id)).toBe(true);
      const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
      const added = await Promise.all(names.map((id, n) => (n % 2 === 0 ? store : other).create(newSession(id, own))));
      expect(added.filter(Boolean)).toHaveLength(2);
      for (const id of names) await store.remove(id);
      clock.now += 1;
      for (const id of ["s98", "s99"]) await store.create(newSession(id, own));
      const listed = (await store.withSecret("mine")).map(({ id }) => id);
      expect([listed.length, listed[0], listed.at(-1)]).toEqual([MAX_OWN_SESSIONS, "s0", `s${MAX_OWN_SESSIONS - 1}`]);
      expect(await store.withSecret("nobody's")).toEqual([]);
    });
  });
}

function fail(): never {
  throw new Error("the store is not open");
}
