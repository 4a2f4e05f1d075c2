import { expect, test } from "bun:test";
import { HostPaces, type Seen } from "./host-paces.ts";

const seen = (change: Partial<Seen> = {}): Seen => ({
  host: "a.example",
  elapsedMs: 400,
  isTrouble: false,
  retryAfterMs: undefined,
  crawlDelayMs: 0,
  ...change,
});

/** Paces with at least 100 ms between two requests, and their clock. */
function begin() {
  const clock = { now: 1_000_000 };
  return { clock, paces: new HostPaces(100, () => clock.now) };
}

test("requests to a host are apart by the longest of the least time, its pace and the asked delay; other hosts are free", () => {
  const { clock, paces } = begin();
  expect([paces.reserve("a.example", 0), paces.reserve("a.example", 700)]).toEqual([0, 100]);
  expect([paces.reserve("a.example", 0), paces.reserve("b.example", 0)]).toEqual([800, 0]);
  clock.now += 5000;
  expect(paces.reserve("a.example", 999_999_999)).toBe(0);
  const longest = paces.reserve("a.example", 0);
  expect(longest).toBeGreaterThan(1000);
  expect(longest).toBeLessThan(999_999_999);
});

test("a delay that robots.txt asks for is the pace, and is reported once", () => {
  const { paces } = begin();
  expect(paces.expect("a.example", 100)).toBeUndefined();
  expect(paces.expect("a.example", 101)).toEqual({ host: "a.example", intervalMs: 101, pauseMs: 101 });
  expect(paces.expect("a.example", 101)).toBeUndefined();
  expect(paces.learn(seen({ crawlDelayMs: 101 }))).toBeUndefined();
  expect([paces.reserve("a.example", 0), paces.reserve("a.example", 0)]).toEqual([0, 101]);
});

test("a host gets as many requests as four pages at once need, by its average time, and only a large change is reported", () => {
  const { paces } = begin();
  const learnt = (elapsedMs: number) => paces.learn(seen({ elapsedMs }))?.intervalMs;
  expect(learnt(1000)).toBe(250);
  // The average: 80 % of the one before, and 20 % of the newest.
  expect([learnt(2000), learnt(3000)]).toEqual([undefined, 390]);
  // It is faster again, in steps.
  expect(Array.from({ length: 6 }, () => learnt(0))).toEqual([undefined, undefined, 284, undefined, undefined, 207]);
});

test("a host in trouble gets a request a second at most, then half as many each time, and none during its pause", () => {
  const { clock, paces } = begin();
  const trouble = () => paces.learn(seen({ isTrouble: true }));
  expect(trouble()).toEqual({ host: "a.example", intervalMs: 1000, pauseMs: 5000 });
  expect(paces.reserve("a.example", 0)).toBe(5000);
  clock.now += 5000;
  expect(paces.reserve("a.example", 0)).toBe(1000);
  expect([trouble(), trouble()].map((pace) => pace?.intervalMs)).toEqual([2000, 4000]);
  for (let i = 0; i < 6; i++) trouble();
  expect(trouble()?.intervalMs).toBe(60_000);
  // Without trouble, the time shrinks by a tenth with each response.
  expect([paces.learn(seen()), paces.learn(seen())?.intervalMs, paces.learn(seen())?.intervalMs]).toEqual([
    undefined,
    undefined,
    43_740,
  ]);
});

test("a pause that a host asks for is kept, up to a bound, and also without trouble", () => {
  const { paces } = begin();
  expect(paces.learn(seen({ retryAfterMs: 9000, isTrouble: true }))?.pauseMs).toBe(9000);
  expect(paces.learn(seen({ retryAfterMs: 0, isTrouble: true }))).toEqual({
    host: "a.example",
    intervalMs: 2000,
    pauseMs: 0,
  });
  expect(paces.learn(seen({ retryAfterMs: 1 }))?.pauseMs).toBe(1);
  expect(paces.reserve("a.example", 0)).toBe(9000);
  expect(paces.learn(seen({ retryAfterMs: 1e12 }))?.pauseMs).toBeLessThan(1e9);
});

test("a pace is reported if it is a quarter longer than the last one, or a fifth shorter", () => {
  const { paces } = begin();
  const learnt = (crawlDelayMs: number) => paces.learn(seen({ elapsedMs: 0, crawlDelayMs }))?.intervalMs;
  expect([learnt(399), learnt(498), learnt(499)]).toEqual([399, undefined, 499]);
  // It becomes shorter in steps of a tenth: 449, then 404.
  expect([learnt(399), learnt(399), learnt(399)]).toEqual([undefined, undefined, 399]);
});
