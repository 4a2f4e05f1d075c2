import { expect, test } from "bun:test";
import { ResponseCache, type Found } from "./response-cache.ts";

function found(count: number, length = 1): Found {
  const results = Array.from({ length: count }, (_, n) => ({
    title: "t".repeat(length),
    url: `https://a.test/${n}`,
    snippet: "",
  }));
  return { results, providers: ["local"], complete: true };
}

function setUp() {
  const clock = { now: 0 };
  return { clock, cache: new ResponseCache(() => clock.now) };
}

test("keeps a response for its time", () => {
  const { clock, cache } = setUp();
  cache.set("q", 10, found(3), 1000);
  clock.now = 999;
  expect(cache.get("q", 10)?.results.length).toBe(3);
  clock.now = 1000;
  expect(cache.get("q", 10)).toBeUndefined();
});

test("serves smaller counts, and larger counts if there are no more results", () => {
  const { cache } = setUp();
  cache.set("full", 10, found(12), 1000);
  cache.set("short", 10, found(7), 1000);
  expect(cache.get("full", 5)).toBeDefined();
  expect(cache.get("full", 11)).toBeUndefined();
  expect(cache.get("short", 50)).toBeDefined();
});

test("holds a thousand responses, and removes the least recently used", () => {
  const { cache } = setUp();
  for (let n = 0; n < 1000; n += 1) cache.set(`q${n}`, 1, found(1), 1000);
  cache.get("q0", 1);
  cache.set("one more", 1, found(1), 1000);
  expect([cache.get("q0", 1) !== undefined, cache.get("q1", 1)]).toEqual([true, undefined]);
});

test("holds eight million characters, and no response that is larger by itself", () => {
  const { cache } = setUp();
  for (let n = 0; n < 10; n += 1) cache.set(`q${n}`, 1, found(1, 1024 * 1024), 1000);
  const kept = Array.from({ length: 10 }, (_, n) => cache.get(`q${n}`, 1)).filter((entry) => entry !== undefined);
  expect(kept.length).toBe(7);
  cache.set("huge", 1, found(1, 9 * 1024 * 1024), 1000);
  expect(cache.get("huge", 1)).toBeUndefined();
});

test("keeps nothing if the time is zero", () => {
  const { cache } = setUp();
  cache.set("q", 1, found(1), 0);
  expect(cache.get("q", 1)).toBeUndefined();
});
