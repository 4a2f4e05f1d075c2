import { expect, test } from "bun:test";
import { ClockWatch } from "./clock-watch.ts";

const LEASE_MS = 15_000;

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MOST_DRIFT_MS = 2000;

/** A watch whose own clock starts at 50, and functions that move or read the clocks. */
function watched(): { watch: ClockWatch; look: (ms: number, database: number) => void; pass: (ms: number) => void } {
  let own = 50;
  const watch = new ClockWatch(() => own);
  const pass = (ms: number): void => {
    own += ms;
  };
  const look = (ms: number, database: number): void => {
    pass(ms);
    watch.saw(database);
  };
  return { watch, look, pass };
}

test("a clock that was never read is not trusted", () => {
  const { watch, pass } = watched();
  pass(LEASE_MS * 2);
  expect([watch.hasLooked, watch.expected]).toEqual([false, undefined]);
});

test("a clock is trusted after it ran evenly for the duration of a lease, and its expected time is known", () => {
  const { watch, look, pass } = watched();
  look(0, 1_000_000);
  expect([watch.hasLooked, watch.expected]).toEqual([true, undefined]);
  pass(LEASE_MS - 1);
  expect(watch.expected).toBeUndefined();
  pass(1);
  expect(watch.expected).toBe(1_000_000 + LEASE_MS);
  look(10, 1_000_000 + LEASE_MS + 20);
  expect(watch.expected).toBe(1_000_000 + LEASE_MS + 20);
  pass(5);
  expect(watch.expected).toBe(1_000_000 + LEASE_MS + 25);
});

test.each([1, -1])("a clock may drift by %d times the limit of one reading, and no further", (sign) => {
  const { watch, look, pass } = watched();
  look(0, 1_000_000);
  look(1000, 1_001_000 + sign * MOST_DRIFT_MS);
  pass(LEASE_MS - 1000);
  expect(watch.expected).toBe(1_000_000 + LEASE_MS + sign * MOST_DRIFT_MS);
  look(0, 1_000_000 + LEASE_MS + sign * (2 * MOST_DRIFT_MS + 1));
  expect(watch.expected).toBeUndefined();
  pass(LEASE_MS - 1);
  expect(watch.expected).toBeUndefined();
  pass(1);
  expect(watch.expected).toBe(1_000_000 + 2 * LEASE_MS + sign * (2 * MOST_DRIFT_MS + 1));
});
