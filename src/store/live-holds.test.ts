import { expect, test } from "bun:test";
import { LiveHolds, LONGEST_HOLD_MS } from "./live-holds.ts";

test("leases without progress for the longest time are reported until they are dropped", () => {
  let now = 7;
  const holds = new LiveHolds(() => now);
  holds.touch("still");
  holds.touch("moves");
  holds.touch("over");
  now += 1;
  holds.touch("moves");
  holds.drop("over");
  now = 7 + LONGEST_HOLD_MS;
  expect(holds.forgotten()).toEqual([]);
  now += 1;
  expect(holds.forgotten()).toEqual(["still"]);
  expect(holds.forgotten()).toEqual(["still"]);
  holds.drop("still");
  expect(holds.forgotten()).toEqual([]);
  now += 1;
  expect(holds.forgotten()).toEqual(["moves"]);
});
