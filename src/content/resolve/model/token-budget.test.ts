import { afterAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStateFolder } from "../../testing/state-folder.ts";
import { TokenBudget } from "./token-budget.ts";

const DAY = 86_400_000;
const state = createStateFolder();
const log: string[] = [];
const clock = { now: Date.parse("2026-06-01T12:00:00Z") };

afterAll(() => state.remove());

function budget(name?: string): TokenBudget {
  const path = name === undefined ? undefined : join(state.path, name);
  return new TokenBudget({ path, maxPerDay: 1_000, now: () => clock.now, log: (message) => log.push(message) });
}

test("a day has its tokens, reserved or used, and the next day has them again", () => {
  const counts = budget();
  const first = counts.reserve(600);
  expect(() => counts.reserve(401)).toThrow("max_tokens_per_day is used up");
  counts.reserve(400);
  expect(counts.today.tokens).toBe(1_000);
  first.settle(100);
  expect(counts.today.tokens).toBe(500);
  expect(() => counts.reserve(501)).toThrow("max_tokens_per_day is used up");
  clock.now += DAY;
  expect(counts.today.tokens).toBe(0);
  counts.reserve(1_000).settle(7);
  expect(counts.today.tokens).toBe(7);
});

test("more tokens than those of a whole day are never reserved", () => {
  const counts = budget();
  expect(() => counts.reserve(1_001)).toThrow("max_tokens_per_day is used up");
  expect(counts.today.tokens).toBe(0);
});

test("tokens beyond the reserved ones count, so that the next call is refused", () => {
  const counts = budget();
  counts.reserve(10).settle(5_000);
  expect(counts.today.tokens).toBe(5_000);
  expect(() => counts.reserve(1)).toThrow("max_tokens_per_day is used up");
});

test("several processes share a file, which only its user may read, and a restart keeps the counts", () => {
  const [one, other] = [budget("shared.sqlite"), budget("shared.sqlite")];
  one.reserve(600);
  expect(() => other.reserve(500)).toThrow("max_tokens_per_day is used up");
  other.reserve(300).settle(200);
  expect([one.today.tokens, other.today.tokens]).toEqual([800, 800]);
  one.close();
  other.close();
  const after = budget("shared.sqlite");
  expect(after.today.tokens).toBe(800);
  expect(() => after.reserve(201)).toThrow("max_tokens_per_day is used up");
  after.close();
  expect(statSync(join(state.path, "shared.sqlite")).mode & 0o777).toBe(0o600);
});

test("a file that cannot be used stops the model, and is reported", () => {
  writeFileSync(join(state.path, "broken.sqlite"), "no database ".repeat(100));
  const counts = budget("broken.sqlite");
  expect(() => counts.reserve(1)).toThrow("its tokens cannot be counted");
  expect(log).toEqual([
    expect.stringMatching(/^cannot count the language model's tokens: .*: file is not a database$/),
  ]);
});

test("calls that end after the service are not counted again", () => {
  const counts = budget("late.sqlite");
  const late = counts.reserve(100);
  counts.close();
  late.settle(1);
  const after = budget("late.sqlite");
  expect(after.today.tokens).toBe(100);
  after.close();
});
