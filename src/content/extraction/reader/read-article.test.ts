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
