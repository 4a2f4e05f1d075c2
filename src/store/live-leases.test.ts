import { expect, test } from "bun:test";
import { LiveLeases } from "./live-leases.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const LONGEST_LEASE_MS = 900_000;

test("leases without progress for the longest time are reported until they are dropped", () => {
  let now = 7;
  const leases = new LiveLeases(() => now);
  leases.touch("still");
  leases.touch("moves");
  leases.touch("over");
  now += 1;
  leases.touch("moves");
  leases.drop("over");
  now = 7 + LONGEST_LEASE_MS;
  expect(leases.forgotten()).toEqual([]);
  now += 1;
  expect(leases.forgotten()).toEqual(["still"]);
  expect(leases.forgotten()).toEqual(["still"]);
  leases.drop("still");
  expect(leases.forgotten()).toEqual([]);
  now += 1;
  expect(leases.forgotten()).toEqual(["moves"]);
});
