import { expect, test } from "bun:test";
import fc from "fast-check";
import { CacheStore } from "./store.ts";
import { StoredResponse } from "./stored-response.ts";

const POLICY = { ttl: 60, targets: [] };
const HEAD = { status: 200, reason: "", fields: "Cache-Control: max-age=60\r\n", askedAt: 0, receivedAt: 0, date: 0 };

function response(uri: string, length = 10, variant = ""): StoredResponse {
  return new StoredResponse({ uri, variant }, HEAD, new Uint8Array(length), POLICY);
}

test("the least recently used response is removed first", () => {
  const store = new CacheStore({ maxEntries: 2, maxBytes: 1_000_000 });
  for (const uri of ["a", "b"]) store.put(response(uri));
  store.find("a", "");
  store.put(response("c"));
  expect(["a", "b", "c"].map((uri) => store.find(uri, "") !== undefined)).toEqual([true, false, true]);
});

test("variants of a URI are separate, and invalidation removes them together", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 1_000_000 });
  for (const variant of ["gzip", "br"]) store.put(response("a", 10, variant));
  store.put(response("b"));
  expect([store.find("a", "gzip")?.variant, store.find("a", "zstd")]).toEqual(["gzip", undefined]);
  store.invalidate("a");
  expect([store.has("a"), store.entries]).toEqual([false, 1]);
});

test("a response is outdated if its own URI was invalidated after the request, or more than the store remembers", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 1_000_000 });
  store.invalidate("a");
  const { version } = store;
  expect(store.isOutdated("a", version)).toBe(false);
  store.invalidate("b");
  expect(["a", "b"].map((uri) => store.isOutdated(uri, version))).toEqual([false, true]);
  for (let i = 0; i < 1023; i++) store.invalidate(`other ${i}`);
  expect(["a", "b"].map((uri) => store.isOutdated(uri, version))).toEqual([false, true]);
  store.invalidate("last");
  expect(["a", "b"].map((uri) => store.isOutdated(uri, version))).toEqual([true, true]);
});

test("space for a body is reserved before it arrives, up to the limit", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 2000 });
  store.put(response("a", 500));
  expect(store.reserve(1500)).toBe(true);
  expect([store.entries, store.bytes]).toEqual([0, 1500]);
  expect(store.reserve(501)).toBe(false);
  store.release(1500);
  expect(store.bytes).toBe(0);
});

test("old responses make room for a body only as far as it needs more than is free", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 2000 });
  store.put(response("a", 500));
  expect(store.reserve(2000 - store.bytes)).toBe(true);
  expect([store.entries, store.bytes]).toEqual([1, 2000]);
  expect(store.reserve(1)).toBe(true);
  expect(store.entries).toBe(0);
});

test("a response larger than the cache is not stored", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 2000 });
  store.put(response("a", 5000));
  expect([store.entries, store.bytes]).toEqual([0, 0]);
});

test("entries and bytes are counted exactly and stay within their limits, after any operations", () => {
  const step = fc.record({
    kind: fc.constantFrom("put", "find", "invalidate", "freshen"),
    uri: fc.constantFrom("a", "b", "c", "d", "e"),
    variant: fc.constantFrom("", "x"),
    size: fc.integer({ min: 0, max: 3000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let [entries, bytes] = [0, 0];
      const store = new CacheStore({ maxEntries: 4, maxBytes: 6000 }, (more, moreBytes) => {
        entries += more;
        bytes += moreBytes;
      });
      for (const { kind, uri, variant, size } of steps) {
        const found = kind === "put" || kind === "invalidate" ? undefined : store.find(uri, variant);
        if (kind === "put") store.put(response(uri, size, variant));
        else if (kind === "invalidate") store.invalidate(uri);
        else if (kind === "freshen" && found !== undefined) {
          store.freshen(found, { ...HEAD, fields: `X: ${"y".repeat(size)}\r\n` }, POLICY);
        }
        expect(store.entries).toBeLessThanOrEqual(4);
        expect(store.bytes).toBeLessThanOrEqual(6000);
        expect([store.entries, store.bytes]).toEqual([entries, bytes]);
      }
      const all = ["a", "b", "c", "d", "e"].flatMap((uri) => ["", "x"].map((variant) => store.find(uri, variant)));
      expect(all.reduce((sum, one) => sum + (one?.bytes ?? 0), 0)).toBe(store.bytes);
      store.close();
      expect([store.entries, store.bytes, entries, bytes]).toEqual([0, 0, 0, 0]);
    }),
    { numRuns: 200 },
  );
});

test("a response that was removed before is not removed again, and holds no other", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 1_000_000 });
  const [first, replaced, last] = [response("a", 10, "x"), response("a"), response("a", 10, "y")];
  for (const one of [first, replaced, last, response("a")]) store.put(one);
  expect([replaced.older, replaced.newer]).toEqual([undefined, undefined]);
  const { entries, bytes } = store;
  store.remove(replaced);
  expect([store.entries, store.bytes]).toEqual([entries, bytes]);
  expect(["x", "", "y"].filter((variant) => store.find("a", variant) === undefined)).toEqual([]);
});

test("a closed store accepts nothing", () => {
  const store = new CacheStore({ maxEntries: 9, maxBytes: 1_000_000 });
  store.put(response("a"));
  store.close();
  store.put(response("b"));
  expect([store.entries, store.bytes, store.has("a"), store.has("b")]).toEqual([0, 0, false, false]);
});
