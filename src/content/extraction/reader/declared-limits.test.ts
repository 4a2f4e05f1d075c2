import { describe, expect, test } from "bun:test";
import { elementsOf } from "../selectors/select-all.ts";
import { elementText } from "../selectors/element-text.ts";
import { parseTree } from "../tree/tree.ts";
import { dataArticleOf } from "./data-article.ts";
import { declareTexts, noTexts } from "./declared-texts.ts";

const declared = (value: unknown) => {
  const texts = noTexts();
  declareTexts(value, texts, { nodes: 1_000, characters: 1_000 });
  return Object.fromEntries(Object.entries(texts).filter(([, all]) => all.length > 0));
};

describe("the texts that JSON-LD declares are", () => {
  test.each<[string, unknown, object]>([
    ["contents", { articleBody: "a", text: "b", description: "c", other: "d" }, { content: ["a", "b", "c"] }],
    ["lists of contents", { recipeIngredient: ["a", "b"] }, { content: ["a", "b"] }],
    ["reviews", { reviewBody: "a", commentText: "b" }, { reviews: ["a", "b"] }],
    ["contents of reviews", { "@type": "Review", text: "a", name: "b" }, { reviews: ["a"] }],
    [
      "contents of comments",
      { comment: { "@type": ["Comment"], text: "a", deep: { text: "b" } } },
      { reviews: ["a", "b"] },
    ],
    ["names", { name: "a", headline: "b", title: "c" }, { names: ["a", "b", "c"] }],
    ["crumbs", { "@type": "BreadcrumbList", itemListElement: [{ name: "a", text: "b" }] }, { crumbs: ["a"] }],
    [
      "crumbs before reviews",
      { "@type": "BreadcrumbList", review: { "@type": "Review", name: "a" } },
      { crumbs: ["a"] },
    ],
    ["people", { author: "a", creator: { name: "b", text: "c" } }, { people: ["a", "b"] }],
    ["people by their type", { "@type": "Person", name: "a", description: "b" }, { people: ["a"] }],
    ["things of people", { "@type": "Person", worksFor: { name: "a" } }, { names: ["a"] }],
    ["not of the site", { "@type": "Organization", name: "a", description: "b" }, {}],
    ["of things of the site", { "@type": "WebSite", about: { name: "a" } }, { names: ["a"] }],
    ["not empty", { name: "", text: "" }, {}],
    ["not numbers", { name: 5, text: null }, {}],
  ])("%s", (_which, value, expected) => {
    expect(declared(value)).toEqual(expected);
  });

  test("twelve levels deep", () => {
    const deep = (levels: number): unknown => (levels === 0 ? { name: "a" } : { x: deep(levels - 1) });
    expect([declared(deep(12)), declared(deep(13))]).toEqual([{ names: ["a"] }, {}]);
  });

  test("500 of each kind", () => {
    const names = Array.from({ length: 501 }, () => "a");
    expect(declared({ name: names, headline: "b" })).toMatchObject({ names: { length: 500 } });
  });

  test("as many as the budget allows", () => {
    const texts = noTexts();
    const budget = { nodes: 3, characters: 5 };
    declareTexts([{ text: "abc" }, { text: "def" }, { text: "g" }], texts, budget);
    expect([texts.content, budget]).toEqual([["abc"], { nodes: 0, characters: 2 }]);
    const whole = noTexts();
    declareTexts({ text: ["abcdef", "abcde"] }, whole, { nodes: 9, characters: 5 });
    expect(whole.content).toEqual(["abcde"]);
  });
});

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
