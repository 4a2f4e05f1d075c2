import { expect, test } from "bun:test";
import { cleanText, shorten } from "./clean-text.ts";

const CASES: readonly (readonly [raw: unknown, text: string])[] = [
  ["plain", "plain"],
  ["  two\n\tlines  ", "two lines"],
  ["<b>bold</b> and <em class='x'>other</em>", "bold and other"],
  ["R&amp;D &#39;s &quot;best&quot; &lt;tag&gt; &nbsp;&#x20AC;", `R&D 's "best" <tag> €`],
  ["vector<int> a < b > c", "vector<int> a < b > c"],
  ["<script>alert(1)</script>after<style>p{}</style>", "after"],
  ["<img src=x onerror=alert(1)>picture", "picture"],
  ["zero\u200bwidth \u202eturned\u202c \u0000null\u0007", "zerowidth turned null"],
  ["family 👨‍👩‍👧", "family 👨‍👩‍👧"],
  ["half \ud83d", "half \ufffd"],
  ["&unknown; &amp", "&unknown; &"],
  [undefined, ""],
  [5, ""],
  [{ toString: () => "no" }, ""],
];

test.each(CASES)("%j reads %j", (raw, text) => {
  expect(cleanText(raw, 200, true)).toBe(text);
});

test("text without markup keeps characters that look like markup", () => {
  expect(cleanText("the <b> element &amp; others", 200, false)).toBe("the <b> element &amp; others");
});

test("a long text is cut at the end of a word, with an ellipsis, and never inside a character", () => {
  expect(shorten("one two three four five", 16)).toBe("one two three…");
  expect(shorten("onetwothreefour", 10)).toBe("onetwothr…");
  expect(shorten("😀😀😀😀", 3)).toBe("😀😀…");
  expect(shorten("short", 5)).toBe("short");
});

test.each(["<", "&", "<b", "</script", "<script>", "&#", " "])("a megabyte of %j is cleaned at once", (piece) => {
  expect(cleanText(piece.repeat(1_000_000 / piece.length), 300, true).length).toBeLessThanOrEqual(300);
});
