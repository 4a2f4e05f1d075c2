import { expect, test } from "bun:test";
import { isPhraseAround, isPostDetail, isTrailerHeading, namedAround } from "./boilerplate.ts";

test.each<[string, ReturnType<typeof namedAround>]>([
  ["newsletter-box", "surely"],
  ["post__share", "surely"],
  ["siteSidebar", "surely"],
  ["ad", "surely"],
  ["Ads_slot__x3f", "surely"],
  ["mainNav", "with-links"],
  ["site-navigation top", "with-links"],
  ["search-results", undefined],
  ["has-sidebar", undefined],
  ["elementor-widget elementor-widget-text-editor", undefined],
  ["x1ad9 kXsAdB", undefined],
  ["shared-memory", undefined],
  ["card-img-overlay", undefined],
  ["entry-content", undefined],
  ["", undefined],
])("the class %p names what is around content: %p", (names, named) => {
  expect(namedAround(names)).toBe(named);
  expect(namedAround(undefined, names)).toBe(named);
});

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
])("the heading %p stands above other pages: %p", (text, is) => {
  expect(isTrailerHeading(text)).toBe(is);
});

test.each<[string, boolean]>([
  ["profile-rank", true],
  ["js-vote-count", true],
  ["message-actionBar", true],
  ["post-content", false],
  ["devoted", false],
])("the class %p is a detail of a post: %p", (names, is) => {
  expect(isPostDetail(names)).toBe(is);
});
