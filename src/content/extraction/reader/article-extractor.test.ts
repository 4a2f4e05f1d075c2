import { expect, test } from "bun:test";
import { parseTree } from "../tree.ts";
import { type Article, orNothing } from "./article-extractor.ts";
import { metadataOf } from "./metadata.ts";
import { readerPage } from "./reader-page.ts";

test("an extractor whose library fails finds nothing, and one whose library does not finds what it did", () => {
  const tree = parseTree("<p>Text.</p>");
  const page = readerPage(tree, "https://site.test/", metadataOf(tree));
  const article: Article = { tree };
  expect(orNothing(() => article)(page)).toBe(article);
  const fails = orNothing(() => {
    throw new TypeError("null is not an object");
  });
  expect(fails(page)).toBeUndefined();
});
