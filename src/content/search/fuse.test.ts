import { expect, test } from "bun:test";
import { fuse } from "./fuse.ts";
import { type SearchResult } from "./web/result.ts";

function results(letters: string): SearchResult[] {
  return Array.from(letters).map((letter) => ({ title: letter, url: `https://${letter}.test/`, snippet: letter }));
}

const CASES: readonly (readonly [lists: readonly string[], fused: string])[] = [
  [[], ""],
  [["abc"], "abc"],
  [["abc", ""], "abc"],
  // Two second places (2/62) count more than one first place (1/61).
  [["abc", "dbe"], "badce"],
  [["abc", "def"], "adbecf"],
  [["abc", "cba"], "acb"],
  [["ab", "ba", "b"], "ba"],
];

test.each(CASES)("the lists %j become %j", (lists, fused) => {
  const merged = fuse(lists.map(results));
  expect(merged.map(({ title }) => title).join("")).toBe(fused);
});

test("a list counts once for a page, even if it contains the page several times", () => {
  const twice = [...results("a"), { title: "again", url: "http://www.a.test", snippet: "" }, ...results("b")];
  expect(fuse([twice, results("b")]).map(({ title }) => title)).toEqual(["b", "a"]);
});

test("the text comes from the list that ranks the page first, with any snippet that exists", () => {
  const lists = [
    [{ title: "First", url: "https://a.test/", snippet: "" }],
    [{ title: "Second", url: "http://www.a.test/?utm_source=x", snippet: "words" }],
  ];
  expect(fuse(lists)).toEqual([{ title: "First", url: "https://a.test/", snippet: "words" }]);
});
