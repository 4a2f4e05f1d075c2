import { describe, expect, test } from "bun:test";
import { type CacheControl, NO_CACHE_CONTROL, parseCacheControl } from "./cache-control.ts";

/** RFC 9111 §5.2. */
describe("Cache-Control", () => {
  test.each<[string, Partial<CacheControl>]>([
    ["", {}],
    [" , ,", {}],
    [" ,\tmax-age=60, ,, no-store ,", { maxAge: 60, noStore: true }],
    ["max-age=60", { maxAge: 60 }],
    ["MaX-aGe=60", { maxAge: 60 }],
    ['max-age="60"', { maxAge: 60 }],
    ["max-age=060", { maxAge: 60 }],
    ["max-age=99999999999", { maxAge: 2_147_483_648 }],
    ["max-age=60, max-age=20, max-age=40", { maxAge: 20 }],
    ["s-maxage=5,max-age=1", { sMaxage: 5, maxAge: 1 }],
    ["No-Store, NO-CACHE", { noStore: true, noCache: true }],
    ['private="x-a, x-b", public', { isPrivate: true, isPublic: true }],
    [
      "must-revalidate, proxy-revalidate, must-understand",
      { mustRevalidate: true, proxyRevalidate: true, mustUnderstand: true },
    ],
    ["only-if-cached", { onlyIfCached: true }],
    ["max-stale, min-fresh=3", { maxStale: 2_147_483_648, minFresh: 3 }],
    ["max-stale=9", { maxStale: 9 }],
    ["stale-while-revalidate=1, stale-if-error=2", { staleWhileRevalidate: 1, staleIfError: 2 }],
    ['extension="a, max-age=1, \\" b", max-age=7', { maxAge: 7 }],
    ["unknown=1; max-age=1", { malformed: true }],
    ["max-age=-1", { malformed: true }],
    ["max-age=1.5", { malformed: true }],
    ["max-age", { malformed: true }],
    ["max-age=", { malformed: true }],
    ["max-age=a, no-store", { malformed: true, noStore: true }],
    ["max-age =60", { malformed: true }],
    ['private="x', { malformed: true, isPrivate: false }],
    ["no store", { malformed: true }],
  ])("%p", (value, expected) => {
    expect(parseCacheControl(value)).toEqual({ ...NO_CACHE_CONTROL, ...expected });
  });
});
