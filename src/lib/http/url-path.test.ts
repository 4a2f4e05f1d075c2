import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalisePath } from "./url-path.ts";

const CASES: readonly (readonly [path: string, normal: string | undefined])[] = [
  ["/", "/"],
  ["/a/b", "/a/b"],
  ["/a/b/", "/a/b/"],
  ["/a/./b", "/a/b"],
  ["/a/../b", "/b"],
  ["/a/..", "/"],
  ["/a/b/..", "/a/"],
  ["/a/.", "/a/"],
  ["/..", "/"],
  ["/../../a", "/a"],
  ["//a", "/a"],
  ["/a//b///", "/a/b/"],
  ["/%61", "/a"],
  ["/a/%2e%2E/b", "/b"],
  ["/a/.%2e/b", "/b"],
  ["/a%7Eb%3bc", "/a~b%3Bc"],
  ["/a..b/.c", "/a..b/.c"],
  ["/a;x=1", "/a;x=1"],
  ["/a/b;x/c", "/a/b;x/c"],
  ["/a/...;/b", "/a/...;/b"],
  ["/a/..;/b", undefined],
  ["/a/%2e%2E;x=1/b", undefined],
  ["/.;/a", undefined],
  ["/a/..;", undefined],
  ["/;/a", undefined],
  ["/;", undefined],
  ["/a/;x=1/b", undefined],
  ["/a//;/b", undefined],
  ["/a/;", undefined],
  ["/%3b/a", undefined],
  ["/a/%2E.%3Bx/b", undefined],
  ["/a;/b;x=1;y", "/a;/b;x=1;y"],
  ["/a%3b/b", "/a%3B/b"],
  ["/%C0%AE%c0%ae/a", undefined],
  ["/a%c1%9cb", undefined],
  ["/a/%e0%80%AFb", undefined],
  ["/a/%f0%80%80%afb", undefined],
  ["/%C3%A9%E2%82%AC", "/%C3%A9%E2%82%AC"],
  ["/%2f", undefined],
  ["/%5c", undefined],
  ["/%00", undefined],
  ["/%0d", undefined],
  ["/a%0Ab", undefined],
  ["/a\\b", undefined],
  ["/%", undefined],
  ["/%4", undefined],
  ["/%zz", undefined],
];

for (const [path, normal] of CASES) {
  test(`${path} becomes ${normal ?? "a refusal"}`, () => {
    expect(normalisePath(path)).toBe(normal);
  });
}

test("a normalised path is not changed by a second call, for any input", () => {
  const char = fc.constantFrom("/", ".", "%", "2", "e", "E", "f", "5", "c", "a", "~", ";", "3", "B", "\\");
  fc.assert(
    fc.property(fc.string({ unit: char, maxLength: 24 }), (text) => {
      const once = normalisePath(`/${text}`);
      if (once === undefined) return;
      expect(normalisePath(once)).toBe(once);
      expect(once.startsWith("/")).toBe(true);
      expect(once.split("/").slice(1, -1)).not.toContain("");
      expect(once.split("/")).not.toContain("..");
      expect(once).not.toMatch(/\/(?:\.{0,2})(?:;|%3B)/);
    }),
  );
});
