import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { openStore } from "../open/open-store.ts";
import { type Store } from "../store.ts";
import {
  expectBoundedReaping,
  expectForgottenLeases,
  expectLongLeases,
  expectReturnedCredit,
  type LeaseRig,
} from "../testing/long-leases.ts";
import { RESERVATION } from "../testing/reservation.ts";

const LEASE_MS = 15_000;

/** A store in memory, and the timer that renews its leases. */
function openRig(path = ":memory:", busyMs?: number): LeaseRig & { store: Store; timer: NodeJS.Timeout } {
  const clock = { now: 1_800_000_000_000 };
  using timers = spyOn(globalThis, "setInterval");
  const store = openStore(path, () => clock.now, busyMs);
  const at = timers.mock.calls.findIndex(([, ms]) => ms === LEASE_MS / 3);
  const [tend] = timers.mock.calls[at] ?? [];
  // The return value of setInterval. The types of the mock do not include it.
  const timer = timers.mock.results[at]?.value as NodeJS.Timeout | undefined;
  if (typeof tend !== "function" || timer === undefined || timer === null)
    throw new Error("Nothing gives signs of life");
  return { store, ledger: store.ledger, clock, tend: () => tend(), timer };
}

test("leases end with their payments, or after a long time without progress", async () => {
  const rig = openRig();
  await expectLongLeases(rig);
  await rig.store.close();
});

test("a process forgets a lease when it ends, and when another process has taken it over", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const path = join(folder, "state.db");
  const rig = openRig(path);
  const other = openStore(path, () => rig.clock.now);
  await expectForgottenLeases(rig, other.ledger);
  await Promise.all([rig.store.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

test("one renewal deletes a thousand payments at most", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const path = join(folder, "state.db");
  const rig = openRig(path);
  clearInterval(rig.timer);
  const dead = openRig(path);
  clearInterval(dead.timer);
  const file = new Database(path, { readonly: true });
  const left = async (): Promise<number> => {
    // The timer does not wait for the renewal.
    await new Promise(setImmediate);
    return Number(file.query("SELECT count(*) FROM payments").values().flat()[0]);
  };
  await expectBoundedReaping(rig, dead.ledger, left);
  file.close();
  await Promise.all([rig.store.close(), dead.store.close()]);
  rmSync(folder, { recursive: true });
});

test("a payment that is released or fails is free for the next process before the caller has its result", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const [one, other] = [1, 2].map(() => openStore(join(folder, "state.db"))) as [Store, Store]; // one of each item
  for (const state of ["released", "failed"] as const) {
    const { payment } = await one.ledger.reserve({ ...RESERVATION, nonce: state });
    const moved = one.ledger.move(payment, { state, lease: false });
    expect((await other.ledger.find(payment))?.state).toBe(state === "failed" ? "failed" : undefined);
    expect(await moved).toBe(true);
  }
  await Promise.all([one.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

test("the timer of renewals does not keep the process running, and ends with the store", async () => {
  const { store, timer } = openRig();
  expect(timer.hasRef()).toBe(false);
  using cleared = spyOn(globalThis, "clearInterval");
  await store.close();
  expect(cleared).toHaveBeenCalledWith(timer);
});

test("an unpaid payment is deleted two minutes after its end, unless a process works on it", async () => {
  const { store, ledger, clock, tend } = openRig();
  const validBefore = clock.now / 1000;
  const names = ["reserved", "verified", "released", "failed", "held"] as const;
  for (const nonce of names) {
    const { payment } = await ledger.reserve({ ...RESERVATION, nonce, validBefore });
    if (nonce === "held") continue;
    if (nonce === "released") await ledger.move(payment, { state: "verified", lease: true });
    await ledger.move(payment, { state: nonce, lease: false });
  }
  const left = async (): Promise<string[]> => {
    const found = await Promise.all(names.map((nonce) => ledger.find({ ...RESERVATION, nonce })));
    return found.flatMap((payment) => payment?.nonce ?? []);
  };
  const end = clock.now + 120_000;
  while (clock.now + LEASE_MS < end) {
    clock.now += LEASE_MS;
    await tend();
  }
  clock.now = end + 999;
  await tend();
  expect(await left()).toEqual([...names]);
  clock.now += 1;
  await tend();
  expect(await left()).toEqual(["failed", "held"]);
  await store.close();
});

test("renewals ignore a file that cannot be reached", async () => {
  const { store, tend } = openRig();
  await store.close();
  expect(() => tend()).not.toThrow();
});

test("a step of the machine's time does not end a lease", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const path = join(folder, "state.db");
  const time = { ms: Date.now() };
  using _ = spyOn(Date, "now").mockImplementation(() => time.ms);
  const [one, other] = [openStore(path), openStore(path)];
  expect((await one.ledger.reserve(RESERVATION)).leased).toBe(true);
  time.ms += 10 * LEASE_MS;
  expect((await other.ledger.reserve(RESERVATION)).leased).toBe(false);
  await Promise.all([one.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

test("the credit that a dead process had reserved is returned by another one, when the lease has ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const [rig, dead] = [openRig(join(folder, "state.db")), openRig(join(folder, "state.db"))];
  for (const { timer } of [rig, dead]) clearInterval(timer);
  await expectReturnedCredit({ ...rig, clock: linked(rig, dead) }, dead.ledger, rig.store.credits);
  await Promise.all([rig.store.close(), dead.store.close()]);
  rmSync(folder, { recursive: true });
});

/** One clock for both. */
function linked(one: LeaseRig, other: LeaseRig): LeaseRig["clock"] {
  return {
    get now() {
      return one.clock.now;
    },
    set now(ms) {
      one.clock.now = ms;
      other.clock.now = ms;
    },
  };
}

test("a renewal that finds the file busy fails silently", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-leases-"));
  const path = join(folder, "state.db");
  const { store, clock, tend, timer } = openRig(path, 10);
  clearInterval(timer);
  const other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  tend();
  // It has failed when a later write has. A rejection that nothing handles would fail this test.
  const tying = store.paymentIds.tie({ payer: "a", id: "b" }, "c", clock.now + 1000);
  expect(await tying.catch(messageOf)).toContain("locked");
  other.run("COMMIT");
  other.close();
  await store.close();
  rmSync(folder, { recursive: true });
});
