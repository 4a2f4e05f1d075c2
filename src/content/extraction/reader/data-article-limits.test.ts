import { describe, expect, test } from "bun:test";
import { elementsOf } from "../selectors/select-all.ts";
import { elementText } from "../selectors/element-text.ts";
import { parseTree } from "../tree/tree.ts";
import { dataArticleOf } from "./data-article.ts";

const words = (count: number, word = "word"): string => Array.from({ length: count }, () => word).join(" ");

const json = (value: unknown, type = "application/json"): string =>
  `<script type="${type}">${JSON.stringify(value)}</script>`;

const read = (html: string, { title = "Word", shown = 0 } = {}): string[] | undefined => {
  const tree = dataArticleOf(parseTree(html), title, shown);
  return tree && [...elementsOf(tree)].filter(({ name }) => name === "p").map((one) => elementText(one));
};

const isFound = (html: string, options?: object): boolean => read(html, options) !== undefined;

describe("the article in the data of a page", () => {
  test.each<[string, string, boolean]>([
    ["has 120 words", json({ a: words(120) }), true],
    ["has not 119 words", json({ a: words(119) }), false],
    ["has texts of eight words", json({ a: Array.from({ length: 15 }, (_, at) => `${words(7)} n${at}`) }), true],
    ["has no texts of seven words", json({ a: Array.from({ length: 20 }, (_, at) => `${words(6)} n${at}`) }), false],
    ["has each text once", json({ a: [words(60), words(60)] }), false],
    ["has the texts of one place", json({ a: words(60), b: words(60, "other") }), false],
    ["has the texts of a list of objects", json({ a: [{ b: words(60) }, { b: `${words(59)} x` }] }), true],
    ["is 40 levels deep", json(JSON.parse(`${'{"a":'.repeat(40)}"${words(120)}"${"}".repeat(40)}`)), true],
    ["is not 42 levels deep", json(JSON.parse(`${'{"a":'.repeat(42)}"${words(120)}"${"}".repeat(42)}`)), false],
    ["stands in a script of another JSON", json({ a: words(120) }, " Application/LD+JSON "), true],
    ["stands in an assignment", `<script> window.a["b"] = {"c":"${words(120)}"}; </script>`, true],
    ["stands in no other code", `<script>var a = {"c":"${words(120)}"}</script>`, false],
    ["stands in no code behind an assignment", `<script>window.a = {"c":"${words(120)}"}; f()</script>`, false],
    ["stands in the first 2,000,000 characters", json({ a: "x".repeat(1_990_000) }) + json({ a: words(120) }), true],
    ["stands in no further ones", json({ a: "x".repeat(1_999_900) }) + json({ a: words(120) }), false],
  ])("%s", (_what, html, isSo) => {
    expect(isFound(html)).toBe(isSo);
  });

  test("has twice the words that the page shows", () => {
    const html = json({ a: words(200) });
    expect([isFound(html, { shown: 100 }), isFound(html, { shown: 101 })]).toEqual([true, false]);
  });

  test("has half of the words of the title", () => {
    const html = json({ a: `${words(120)} Tide` });
    expect([
      isFound(html, { title: "tide x" }),
      isFound(html, { title: "tide x y" }),
      isFound(html, { title: "" }),
    ]).toEqual([true, false, false]);
  });

  test("is the longest one", () => {
    expect(read(json({ a: words(130), b: words(140), c: words(125) }))?.[0]).toHaveLength(words(140).length);
  });

  test("is HTML, or has a paragraph in each line", () => {
    expect(read(json({ a: `<p>One</p><p class=x>${words(120)}</p>` }))).toEqual(["One", words(120)]);
    expect(read(json({ a: `One <b>\n \n${words(120)}` }))).toEqual(["One <b>", words(120)]);
  });
});
