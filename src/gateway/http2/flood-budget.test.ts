import { expect, test } from "bun:test";
import { FloodBudget } from "./flood-budget.ts";
import { RecentResets } from "./recent-resets.ts";

const RESET_COST = 10;

test("a thousand resets at once are allowed, and a hundred a second afterwards", () => {
  let now = 5000;
  const budget = new FloodBudget(() => now);
  for (let i = 0; i < 1000; i++) expect(budget.spend(RESET_COST)).toBe(true);
  expect(budget.spend(1)).toBe(false);
  now += 1001;
  for (let i = 0; i < 100; i++) expect(budget.spend(RESET_COST)).toBe(true);
  expect(budget.spend(1)).toBe(false);
  // A debt is paid first.
  expect(budget.spend(100)).toBe(false);
  now += 50;
  expect(budget.spend(1)).toBe(false);
  now += 100;
  expect(budget.spend(1)).toBe(true);
});

test("work restores credit, up to its most", () => {
  const budget = new FloodBudget(() => 0);
  budget.spend(9999);
  budget.earn(50_000);
  expect([budget.spend(10_000), budget.spend(1)]).toEqual([true, false]);
  budget.earn(2);
  expect([budget.spend(1), budget.spend(1)]).toEqual([true, false]);
});

test("the clock is read only when no credit is left", () => {
  let reads = 0;
  const budget = new FloodBudget(() => (reads += 1));
  expect([budget.spend(10_000), reads]).toEqual([true, 1]);
  expect([budget.spend(1), reads]).toEqual([true, 2]);
});

test("the last 128 reset streams are known, and older ones may have been reset", () => {
  const resets = new RecentResets();
  expect(resets.has(1)).toBe(false);
  for (let id = 3; id <= 257; id += 2) resets.add(id);
  expect([resets.has(1), resets.has(3), resets.has(257), resets.has(259)]).toEqual([false, true, true, false]);
  resets.delete(257);
  expect([resets.has(257), resets.has(255)]).toEqual([false, true]);
  resets.add(301);
  expect(resets.has(1)).toBe(false);
  resets.add(303);
  // Number 3 is not remembered, so number 1 may have been reset, too.
  expect([resets.has(1), resets.has(3), resets.has(5), resets.has(257), resets.has(299)]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  const jumping = new RecentResets();
  jumping.add(1001);
  for (let id = 1; id <= 255; id += 2) jumping.add(id);
  jumping.add(257);
  // The highest forgotten number counts.
  expect([jumping.has(999), jumping.has(1001), jumping.has(1003)]).toEqual([true, true, false]);
});
