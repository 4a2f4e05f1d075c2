import { expect, test } from "bun:test";
import { LiveLeases, LONGEST_LEASE_MS } from "./live-leases.ts";

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
