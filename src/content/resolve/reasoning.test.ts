import { expect, test } from "bun:test";
import { reasoningOf } from "./reasoning.ts";

const NOTHING = {
  failed: [],
  copies: [],
  searches: 3,
  failedSearches: 0,
  invented: 0,
  orders: 0,
  unrelated: 0,
  unstated: 0,
  disputed: 0,
  omitted: 0,
};

test("after a resolution without failures, the reasoning contains only what decided", () => {
  expect(reasoningOf("It says so [1].", NOTHING)).toBe("It says so [1].");
});

test("failures come after what decided, and a failed model comes before it", () => {
  const failed = [{ url: "https://a.example/", reason: "its server responded with 404" }];
  const copies = ["https://b.example/"];
  const about = {
    ...NOTHING,
    failed,
    copies,
    searches: 2,
    failedSearches: 1,
    invented: 1,
    orders: 2,
    modelError: "it refused",
  };
  expect(reasoningOf("It says so [1].", about)).toBe(
    "The language model failed (it refused), so the embedded analyst judged. It says so [1]. 1 of 3 searches failed. " +
      "https://a.example/ gave no source: its server responded with 404. " +
      "https://b.example/ repeats the text of another source and does not count. " +
      "1 quote is in no source and was dropped. 2 quotes give orders to their reader and were dropped.",
  );
});

test("many pages and long addresses do not make the reasoning long", () => {
  const url = `https://a.example/${"x".repeat(8_000)}`;
  const failed = Array.from({ length: 20 }, () => ({ url, reason: "it cannot be read" }));
  const said = reasoningOf("", { ...NOTHING, failed, copies: failed.map((page) => page.url) });
  expect(said).toContain("Other pages that gave no source: 12.");
  expect(said).toContain("Other pages that repeat a source: 12.");
  expect(said.length).toBeLessThan(5_000);
});
