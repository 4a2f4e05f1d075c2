import { expect } from "bun:test";
import { HOLD_MS, type Ledger, RECHECK_MS } from "../ledger.ts";
import { LONGEST_HOLD_MS } from "../live-holds.ts";
import { RESERVATION } from "./reservation.ts";

/** A ledger whose time a test lets pass. */
export interface HoldRig {
  readonly ledger: Ledger;
  /** The clock of the holds and the time of day, in milliseconds. */
  readonly clock: { now: number };
  /** Gives the signs of life that the ledger gives by itself every `HOLD_MS / 3`. */
  readonly tend: () => unknown;
}

/** For tests alone: holds are kept up while their payments move, and given up once they stand still for too long. */
export async function expectLongHolds({ ledger, clock, tend }: HoldRig): Promise<void> {
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= HOLD_MS / 2) {
      clock.now += Math.min(left, HOLD_MS / 2);
      await tend();
    }
  };
  const isFree = async (nonce: string): Promise<boolean> => (await ledger.reserve({ ...RESERVATION, nonce })).held;
  await tend();
  const { payment: open } = await ledger.reserve({ ...RESERVATION, nonce: "claimed" });
  await ledger.move(open, { state: "unknown", hold: false });
  await pass(RECHECK_MS + 1);
  expect(await ledger.claimOpen(5)).toHaveLength(1);
  expect(await isFree("still")).toBe(true);
  const { payment } = await ledger.reserve({ ...RESERVATION, nonce: "moves" });
  await pass(LONGEST_HOLD_MS - HOLD_MS);
  expect(await ledger.move(payment, { state: "verified", hold: true })).toBe(true);
  await pass(HOLD_MS);
  expect([await isFree("claimed"), await isFree("still"), await isFree("moves")]).toEqual([false, false, false]);
  // From the moment that they are given up, no sign of life comes any more.
  await pass(2 * HOLD_MS);
  expect([await isFree("claimed"), await isFree("still"), await isFree("moves")]).toEqual([true, true, false]);
  expect(await ledger.move(payment, { state: "settled", hold: false })).toBe(true);
}
