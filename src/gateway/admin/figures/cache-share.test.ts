import { expect, test } from "bun:test";
import { cacheShare } from "./cache-share.ts";

const NONE = { hits: 0, misses: 0, stale: 0, revalidated: 0, bypassed: 0 };

test("a cache without requests has no share of hits", () => {
  expect(cacheShare(undefined, NONE)).toBeUndefined();
  expect(cacheShare(undefined, { ...NONE, hits: 1, bypassed: 1 })).toBe(0.5);
});

test("the share of hits is that since the reading before", () => {
  const before = { hits: 2, stale: 3, revalidated: 4, misses: 5, bypassed: 6 };
  expect(cacheShare(before, { hits: 8, stale: 4, revalidated: 5, misses: 6, bypassed: 7 })).toBe(0.8);
});
