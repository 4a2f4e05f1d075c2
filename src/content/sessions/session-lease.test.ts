import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { SESSION_LEASE_MS } from "../../store/jobs/session-store.ts";
import { holdLease } from "./session-lease.ts";

const THIRD = SESSION_LEASE_MS / 3;
const TAKEN = { id: "a", turn: 1, state: new Uint8Array() };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A lease taken now, the time, and its renewals, to which the test replies. */
function hold() {
  const renewals: PromiseWithResolvers<boolean>[] = [];
  let now = 0;
  const renew = (): Promise<boolean> => {
    const renewal = Promise.withResolvers<boolean>();
    renewals.push(renewal);
    return renewal.promise;
  };
  const lease = holdLease({ renew }, TAKEN, { since: 0, now: () => now });
  return {
    lease,
    pass: (ms: number): boolean => {
      now += ms;
      jest.advanceTimersByTime(ms);
      return lease.lost.aborted;
    },
    reply: async (at: number, isHeld: boolean | Error): Promise<boolean> => {
      if (isHeld instanceof Error) renewals[at]?.reject(isHeld);
      else renewals[at]?.resolve(isHeld);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      return lease.lost.aborted;
    },
  };
}

test("a lease that is never renewed is lost after its time", async () => {
  const { pass } = hold();
  expect(pass(SESSION_LEASE_MS - 1)).toBe(false);
  expect(pass(1)).toBe(true);
});

test("a renewal extends a lease from its beginning, and one that fails does not", async () => {
  const { pass, reply } = hold();
  pass(THIRD);
  pass(THIRD - 1);
  // The first renewal began at a third.
  await reply(0, true);
  pass(1);
  await reply(1, new Error("the store is down"));
  expect(pass(2 * THIRD - 1)).toBe(false);
  expect(pass(1)).toBe(true);
});

test("the late reply to an earlier renewal shortens no lease", async () => {
  const { pass, reply } = hold();
  pass(THIRD);
  pass(THIRD);
  await reply(1, true);
  await reply(0, true);
  expect(pass(SESSION_LEASE_MS - 1)).toBe(false);
  expect(pass(1)).toBe(true);
});

test("a lease that another use has is lost at once", async () => {
  const { pass, reply } = hold();
  pass(THIRD);
  expect(await reply(0, false)).toBe(true);
});

test("a lease that has ended is not lost later, whatever the store replies", async () => {
  const { lease, pass, reply } = hold();
  pass(THIRD);
  lease.end();
  expect(await reply(0, true)).toBe(false);
  expect(pass(3 * SESSION_LEASE_MS)).toBe(false);
});
