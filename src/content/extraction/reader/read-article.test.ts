import { describe, expect, test } from "bun:test";
import { blockText } from "../../testing/block-text.ts";
import { mean, readerCorpus, tokenF1 } from "../../testing/reader-corpus.ts";
import { parseTree } from "../tree/tree.ts";
import { articleOf } from "./read-article.ts";

/** The minimum for each type of page: the mean token F1 of its pages. */
const FLOORS: Readonly<Record<string, number>> = {
  article: 0.97,
  collection: 0.94,
  docs: 0.97,
  forum: 0.88,
  listing: 0.9,
  product: 0.95,
  service: 0.95,
};

/** The minimum for each page. */
const FLOOR_OF_A_PAGE = 0.7;

describe("the corpus", () => {
  const scores = readerCorpus().map(({ type, name, html, text, url }) => {
    const { article } = articleOf(parseTree(html), url);
    return { type, name, f1: tokenF1(blockText(article), text) };
  });

  test("has at least forty pages, and some of each type", () => {
    expect(scores.length).toBeGreaterThanOrEqual(40);
    expect([...new Set(scores.map(({ type }) => type))]).toEqual(Object.keys(FLOORS));
  });

  test.each(Object.entries(FLOORS))("of %s is read with a token F1 of at least %d", (type, floor) => {
    expect(mean(scores.filter((score) => score.type === type).map(({ f1 }) => f1))).toBeGreaterThanOrEqual(floor);
  });

  test.each(scores.map(({ name, f1 }) => [name, f1] as const))("page %s is read well enough", (_name, f1) => {
    expect(f1).toBeGreaterThanOrEqual(FLOOR_OF_A_PAGE);
  });
});

const products = (count: number): string =>
  `<script type="application/ld+json">${JSON.stringify(Array.from({ length: count }, () => ({ "@type": "Product", name: "Saw" })))}</script>`;

describe("a list of other products", () => {
  const others = ["Plane", "File", "Rasp"].map((name) => `<li><a href="/p">${name}</a> <b>$4.99</b></li>`).join("");
  const read = (head: string): string => {
    const tree = parseTree(`${head}<main><h1>Saw</h1><p>$7.95</p><p>A saw of steel.</p><ul>${others}</ul></main>`);
    // More scores than blocks: all of them are chosen.
    return blockText(articleOf(tree, "https://shop.test/saw", { scores: new Float32Array(50).fill(1) }).article);
  };
  test.each([
    ["is left out of a page that declares one product", products(1), false],
    [
      "is left out of the page of a product by its OpenGraph type",
      '<meta property="og:type" content="product">',
      false,
    ],
    ["is kept in a page that declares several", products(2), true],
    ["is kept in a page without a product", "", true],
  ])("%s", (_what, head, isKept) => {
    expect(read(head).includes("Rasp")).toBe(isKept);
    expect(read(head)).toContain("$7.95");
  });
});
