import { expect, test } from "bun:test";
import { prepare } from "./prune.ts";
import { toText } from "../text.ts";
import { parseTree } from "./tree.ts";

function shown(html: string): string {
  const tree = parseTree(`<body>${html}`);
  prepare(tree, "https://site.test/");
  return toText(tree);
}

test.each([
  ["an icon's words", '<i aria-hidden="true">arrow_forward</i>'],
  ["a link that repeats another", '<a aria-hidden="true" href="/a">Read</a>'],
  ["a dialog", '<div aria-hidden="true" role="dialog">Subscribe now</div>'],
  ["a closed menu", '<div aria-hidden="true" class="nav dropdown-menu">Products</div>'],
  ["one character", '<span aria-hidden="true">×</span>'],
  ["a drawing", '<span aria-hidden="true"><svg><title>Arrow</title></svg></span>'],
])("%s that screen readers skip is left out", (_what, html) => {
  expect(shown(`<p>before</p>${html}<p>after</p>`)).toBe("before\nafter");
});

test.each([
  ["a word", '<span aria-hidden="true">five</span>'],
  ["a paragraph", '<p aria-hidden="true">five</p>'],
  ["a letter beside something", '<span aria-hidden="true">fi<b>ve</b></span>'],
  ["a menu that is not a closed one", '<div aria-hidden="true" class="menu">five</div>'],
])("%s that screen readers skip is visible, and kept", (_what, html) => {
  expect(shown(html)).toBe("five");
});

test.each(["sr-only", "title SR-Only", "\n headerlink\t", "Cookie-Banner-2 cookie-banner"])(
  "an element with the class attribute %j is left out",
  (names) => {
    expect(shown(`<p>before</p><p class="${names}">five</p><p>after</p>`)).toBe("before\nafter");
  },
);

test.each(["", "  ", "sr-onl sr-only-text", "x-headerlink", `${"x ".repeat(2000)}sr-only`])(
  "an element with the class attribute %j is kept",
  (names) => {
    expect(shown(`<p class="${names}">five</p>`)).toBe("five");
  },
);
