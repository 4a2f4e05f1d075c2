import { expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { AddressShares } from "./address-shares.ts";

/** The workers of one server. */
function workersOf(count: number): { readonly workers: readonly AddressShares[]; readonly zone: SharedZone } {
  const zone = SharedZone.local(zoneShape(count));
  const key = new BigInt64Array(1);
  const workers = Array.from({ length: count }, (_, i) => new AddressShares({ zone, row: i + 1 }, key));
  return { workers, zone };
}

test("an address gets connections up to its limit, and a released one can be taken again", () => {
  const { workers } = workersOf(1);
  const [only] = workers;
  expect([1, 2, 3].map(() => only?.take("192.0.2.1", 2))).toEqual([true, true, false]);
  expect(only?.take("192.0.2.2", 2)).toBe(true);
  only?.release("192.0.2.1");
  expect([1, 2].map(() => only?.take("192.0.2.1", 2))).toEqual([true, false]);
});

test("an address counts its connections in all workers, and none of another address", () => {
  const { workers } = workersOf(3);
  const [first, second, third] = workers;
  expect([first, second, third, first, second].map((one) => one?.take("2001:db8:", 4))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([first, second, third].map((one) => one?.take("192.0.2.7", 3))).toEqual([true, true, true]);
  third?.release("2001:db8:");
  expect([second?.take("2001:db8:", 4), first?.take("2001:db8:", 4)]).toEqual([true, false]);
});

test("a dead worker's connections count no more after its row is cleared", () => {
  const { workers, zone } = workersOf(2);
  const [lives, dies] = workers;
  for (let i = 0; i < 5; i++) dies?.take("192.0.2.1", 5);
  expect(lives?.take("192.0.2.1", 5)).toBe(false);
  zone.cells(2).fill(0);
  expect(lives?.take("192.0.2.1", 5)).toBe(true);
});

test("with 10,000 addresses of one connection each, every address keeps nearly its whole share", () => {
  const { workers } = workersOf(2);
  const [first, second] = workers;
  for (let i = 0; i < 10_000; i++) first?.take(`a${i}`, 64);
  let refused = 0;
  for (let i = 0; i < 1000; i++) if (second?.take(`b${i}`, 16) === false) refused++;
  expect(refused).toBe(0);
  for (let i = 0; i < 10_000; i++) first?.release(`a${i}`);
  expect([1, 2].map(() => second?.take("fresh", 1))).toEqual([true, false]);
});
