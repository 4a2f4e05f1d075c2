import { expect, spyOn } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { type Ledger, type Payment } from "../ledger.ts";
import { LiveLeases } from "../live-leases.ts";
import { type Credits } from "../credits.ts";
import { CHARGE, CREDIT } from "./credits-contract.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;
const RECHECK_MS = 30_000;

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const LONGEST_LEASE_MS = 900_000;

/** A ledger with a clock that a test controls. */
export interface LeaseRig {
  readonly ledger: Ledger;
  /** The clock of leases and the system time, in milliseconds. */
  readonly clock: { now: number };
  /** Renews the leases, as the ledger does every `LEASE_MS / 3`. */
  readonly tend: () => unknown;
}

/** For tests only: leases are renewed while their payments change, and given up after a long time without a change. */
export async function expectLongLeases({ ledger, clock, tend }: LeaseRig): Promise<void> {
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= LEASE_MS / 2) {
      clock.now += Math.min(left, LEASE_MS / 2);
      await tend();
    }
  };
  const isFree = async (nonce: string): Promise<boolean> => (await ledger.reserve({ ...RESERVATION, nonce })).leased;
  await tend();
  const { payment: open } = await ledger.reserve({ ...RESERVATION, nonce: "claimed" });
  await ledger.move(open, { state: "unknown", lease: false });
  await pass(RECHECK_MS + 1);
  expect(await ledger.claimOpen(5)).toHaveLength(1);
  expect(await isFree("still")).toBe(true);
  const { payment } = await ledger.reserve({ ...RESERVATION, nonce: "moves" });
  await pass(LONGEST_LEASE_MS - LEASE_MS);
  expect(await ledger.move(payment, { state: "verified", lease: true })).toBe(true);
  await pass(LEASE_MS);
  expect([await isFree("claimed"), await isFree("still"), await isFree("moves")]).toEqual([false, false, false]);
  // After a lease was given up, it is not renewed again.
  await pass(2 * LEASE_MS);
  expect([await isFree("claimed"), await isFree("still"), await isFree("moves")]).toEqual([true, true, false]);
  expect(await ledger.move(payment, { state: "verified", lease: true })).toBe(true);
  await pass(LONGEST_LEASE_MS + 2 * LEASE_MS);
  expect(await isFree("moves")).toBe(true);
}

/** For tests only: a process remembers a lease no longer than it has it, however the lease ends. */
export async function expectForgottenLeases({ ledger, clock, tend }: LeaseRig, other: Ledger): Promise<void> {
  const reserve = async (nonce: string): Promise<Payment> => (await ledger.reserve({ ...RESERVATION, nonce })).payment;
  const ended = await reserve("ended");
  expect(await ledger.move(ended, { state: "settled", lease: true })).toBe(true);
  expect(await ledger.move(ended, { state: "settled", lease: false, delivered: true })).toBe(true);
  expect(await ledger.move(await reserve("released"), { state: "released", lease: false })).toBe(true);
  const lost = [await reserve("lost"), await reserve("lost too")];
  clock.now += LEASE_MS + 1;
  for (const { nonce } of lost) expect((await other.reserve({ ...RESERVATION, nonce })).leased).toBe(true);
  for (const [at, payment] of lost.entries()) {
    expect(await ledger.move(payment, { state: "verified", lease: at === 0 })).toBe(false);
  }
  await reserve("held");
  using forgotten = spyOn(LiveLeases.prototype, "forgotten");
  clock.now += LONGEST_LEASE_MS + 1;
  await tend();
  expect(forgotten.mock.results.map(({ value }) => value)).toEqual([["held"]]);
}

/** For tests only: a renewal deletes a thousand ended payments at most. `dead` is the ledger of a process that is then killed. */
export async function expectBoundedReaping(
  { clock, tend }: LeaseRig,
  dead: Ledger,
  left: () => Promise<number>,
): Promise<void> {
  const validBefore = clock.now / 1000;
  for (let begun = 0; begun < 1050; begun += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => dead.reserve({ ...RESERVATION, nonce: `0x${begun + i}`, validBefore })),
    );
  await tend();
  expect(await left()).toBe(1050);
  clock.now += 121_000;
  // The second one finds the first one under way, and does nothing.
  await Promise.all([tend(), tend()]);
  expect(await left()).toBe(50);
  await tend();
  expect(await left()).toBe(0);
}

/** For tests only: a renewal returns what a dead process has reserved of credit, when its lease has ended, and nothing else. */
export async function expectReturnedCredit(
  { ledger, clock, tend }: LeaseRig,
  dead: Ledger,
  credits: Credits,
): Promise<void> {
  const left = async (): Promise<string | undefined> => (await credits.find(CREDIT.id))?.balance;
  await credits.open(CREDIT, { id: "grant-1", kind: "bought", amount: "100", payment: "0xnonce" });
  const { payment: lost } = await dead.reserve(CHARGE);
  const { payment: booked } = await dead.reserve({ ...CHARGE, nonce: "0xbooked", amount: "20" });
  await dead.move(booked, { state: "settled", lease: true, transaction: "" });
  const { payment: alive } = await ledger.reserve({ ...CHARGE, nonce: "0xalive", amount: "1" });
  await dead.reserve({ ...RESERVATION, nonce: "0xchain" });
  clock.now += LEASE_MS - 1;
  await tend();
  expect(await left()).toBe("49");
  clock.now += 2;
  await tend();
  await until(async () => (await left()) === "79");
  expect(await dead.move(lost, { state: "settled", lease: false, transaction: "" })).toBe(false);
  expect(await ledger.move(alive, { state: "settled", lease: false, transaction: "" })).toBe(true);
  expect([await left(), (await ledger.find(booked))?.state]).toEqual(["79", "settled"]);
  expect((await ledger.find({ ...RESERVATION, nonce: "0xchain" }))?.state).toBe("reserved");
}
