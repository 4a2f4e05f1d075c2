import { expect, test } from "bun:test";
import { showNoscript } from "./noscript.ts";
import { toText } from "./text.ts";
import { prepare } from "./tree/prune.ts";
import { parseTree } from "./tree/tree.ts";

const words = (count: number, word: string): string => `${word} `.repeat(count).trim();

/** The text of a page after its `noscript` was shown, if it is. */
function shown(html: string): string {
  const tree = parseTree(html);
  showNoscript(tree);
  prepare(tree, "https://site.test/");
  return toText(tree).replace(/\s+/g, " ").trim();
}

test.each<[string, string, string]>([
  [
    "with more words than the page",
    `<p>Loading</p><noscript><p>${words(80, "crawler")}</p></noscript>`,
    words(80, "crawler"),
  ],
  [
    "that is the longest",
    `<p>Loading</p><noscript>${words(90, "short")}</noscript><noscript>${words(100, "longer")}</noscript><noscript>${words(80, "last")}</noscript>`,
    words(100, "longer"),
  ],
  [
    "beside hidden text",
    `<p hidden>${words(200, "menu")}</p><noscript>${words(90, "crawler")}</noscript>`,
    words(90, "crawler"),
  ],
])("a `noscript` %s is shown", (_what, html, text) => {
  expect(shown(`<html><body>${html}</body></html>`)).toContain(text);
});

test.each<[string, string, string]>([
  ["of less than 80 words", `<body><p>Loading</p><noscript>${words(79, "crawler")}</noscript>`, "Loading"],
  ["of less than 400 characters", `<body><p>Loading</p><noscript>${words(99, "un")}</noscript>`, "Loading"],
  [
    "with as many words as the page",
    `<body><p>${words(80, "visible")}</p><noscript>${words(80, "crawler")}</noscript>`,
    words(80, "visible"),
  ],
  ["in the head", `<head><noscript>${words(90, "crawler")}</noscript></head><body><p>Loading</p>`, "Loading"],
])("a `noscript` %s is not shown", (_what, html, text) => {
  expect(shown(html)).toBe(text);
});
