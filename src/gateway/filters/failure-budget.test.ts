import { expect, test } from "bun:test";
import { FailureBudget } from "./failure-budget.ts";

function create() {
  const time = { now: 1000 };
  return { time, budget: new FailureBudget(() => time.now) };
}

test("failures take 500 ms at once, and no more", () => {
  const { budget } = create();
  budget.charge(499);
  expect(budget.isSpent).toBe(false);
  budget.charge(1);
  expect(budget.isSpent).toBe(true);
});

test("a tenth of the time comes back, up to 500 ms", () => {
  const { time, budget } = create();
  budget.charge(520);
  time.now += 190;
  expect(budget.isSpent).toBe(true);
  time.now += 20;
  expect(budget.isSpent).toBe(false);
  time.now += 1_000_000;
  budget.charge(499);
  expect(budget.isSpent).toBe(false);
  budget.charge(1);
  expect(budget.isSpent).toBe(true);
});

test("the time before a failure comes back first", () => {
  const { time, budget } = create();
  budget.charge(500);
  time.now += 1000;
  budget.charge(99);
  expect(budget.isSpent).toBe(false);
  budget.charge(1);
  expect(budget.isSpent).toBe(true);
});
