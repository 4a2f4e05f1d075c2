import { describe, expect, test } from "bun:test";
import { languageCorpus } from "../../testing/language-corpus.ts";
import { mean, tokenF1 } from "../../testing/reader-corpus.ts";
import { plainText } from "../plain-text.ts";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

/** The minimum for each page, for the mean of each language, and for the mean of all pages. */
const FLOOR_OF_A_PAGE = 0.8;
const FLOOR_OF_A_LANGUAGE = 0.88;
const FLOOR = 0.94;

const PAGES = languageCorpus().map((page) => {
  const found = readArticle(parseTree(page.html), page.url);
  return { ...page, found, f1: tokenF1(plainText(found.content), page.text) };
});

describe("pages of thirteen languages", () => {
  test.each(PAGES.map(({ name, f1 }) => [name, f1] as const))("%s is read well enough", (_name, f1) => {
    expect(f1).toBeGreaterThanOrEqual(FLOOR_OF_A_PAGE);
  });

  test.each([...new Set(PAGES.map(({ group }) => group))])("%s is read well enough on average", (group) => {
    const own = PAGES.filter((page) => page.group === group);
    expect(own).toHaveLength(3);
    expect(mean(own.map(({ f1 }) => f1))).toBeGreaterThanOrEqual(FLOOR_OF_A_LANGUAGE);
  });

  test("are read well on average", () => {
    expect(mean(PAGES.map(({ f1 }) => f1))).toBeGreaterThanOrEqual(FLOOR);
  });

  test.each(PAGES.map((page) => [page.name, page] as const))("%s has its title, site and language", (_name, page) => {
    const { title, siteName, language } = page.found;
    expect({ title, siteName }).toEqual({ title: page.title.replace(/\s+/g, " "), siteName: page.siteName });
    expect(language?.slice(0, 2)).toBe(page.language.slice(0, 2));
  });

  test.each(PAGES.filter(({ kind }) => kind === "news").map((page) => [page.name, page] as const))(
    "%s has its author and day, and no texts from around the article",
    (_name, { found, byline, published, absent }) => {
      expect({ byline: found.byline, day: found.published?.slice(0, 10) }).toEqual({ byline, day: published });
      expect(absent.filter((text) => found.content.includes(text))).toEqual([]);
    },
  );
});
