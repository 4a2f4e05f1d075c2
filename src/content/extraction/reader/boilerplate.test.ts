import { expect, test } from "bun:test";
import { isPhraseAround, isTrailerHeading } from "./boilerplate.ts";

test.each<[string, boolean]>([
  ["Share this article", true],
  ["ADVERTISEMENT", true],
  ["Read more…", true],
  ["12 shares", true],
  ["4 min read", true],
  ["分享", true],
  ["Répondre", true],
  ["Share prices fell on Tuesday", false],
  ["The end", false],
])("%p is a label: %p", (text, is) => {
  expect(isPhraseAround(text)).toBe(is);
});

test.each<[string, boolean]>([
  ["Related articles", true],
  ["You may also like:", true],
  ["Comments (14)", true],
  ["相关阅读", true],
  ["Related work in the field of tides", false],
  ["Commentary", false],
])("the heading %p announces other pages: %p", (text, is) => {
  expect(isTrailerHeading(text)).toBe(is);
});
