import { expect, test } from "bun:test";
import { toIndexPage } from "./index-page.ts";
import { plainText } from "./plain-text.ts";
import { parseTree } from "./tree/tree.ts";

const WORDS = "The harbour is dredged once a year, and ships of any size can lie there in winter. ".repeat(5);

function page(head: string, body: string) {
  const html = `<!doctype html><html><head><title>Harbour</title>${head}</head><body><article><h1>Harbour</h1><p>${WORDS}</p>${body}</article></body></html>`;
  return toIndexPage(parseTree(html), "https://a.test/dir/page");
}

test("returns the article as plain text, and its links without duplicates, absolute, without fragments", () => {
  const body = `<p>See <a href="../other#part">the <b>other</b> page</a>, <a href="/dir/page#top">this</a>, <a href="../other">again</a>,
    <a href="mailto:a@b.test">mail</a>, <a rel="nofollow sponsored" href="/sold">sold</a>, <a href="http://[">none</a>.</p>`;
  const { title, content, fields } = page("", body);
  expect(title).toBe("Harbour");
  expect(content).toContain("See the other page, this, again");
  expect(content).not.toContain("https://");
  expect(fields?.["links"]).toEqual(["https://a.test/other", "https://a.test/dir/page"]);
  expect(fields?.["texts"]).toEqual(["the other page", "this"]);
});

test("returns the base, the canonical address, and the directives for robots", () => {
  const head = `<base href="/base/"><base href="/second/"><link rel="canonical alternate" href="self"><meta name="ROBOTS" content="noindex"><meta name="turnpike" content="nofollow">`;
  const { fields } = page(head, `<a href="x">x</a>`);
  expect(fields?.["canonical"]).toBe("https://a.test/base/self");
  expect(String(fields?.["robots"]).trim()).toBe("noindex nofollow");
  expect(fields?.["links"]).toEqual(["https://a.test/base/x"]);
  expect(page(`<link rel="canonical" href="http://[">`, "").fields?.["canonical"]).toBeNull();
});

test("returns at most two thousand links of a page", () => {
  const links = Array.from({ length: 3_000 }, (_, n) => `<a href="/${n}">${n}</a>`).join(" ");
  expect([page("", links).fields?.["links"] ?? []].flat().length).toBe(2_000);
});

const MARKDOWN: readonly (readonly [markdown: string, text: string])[] = [
  ["# Title\n\n> quoted\n\n- one\n- two\n\n1. first", "Title\n quoted\n one\n two\n first"],
  ['**bold** and `code` and [text](https://a.test/x "title") ![alt](pic.png)', "bold and code and text alt"],
  ['[![alt](pic.png) text](https://a.test/x "title")', "alt text"],
  ["| A | B |\n| --- | :-: |\n| 1 | 2 |", "A B\n\n 1 2"],
  ["```js\nlet x = 1;\n```", "let x = 1;"],
  ["a<br>b H<sub>2</sub>O \\<br> 5", "a b H 2 O <br> 5"],
  ["5 \\* 3 \\[not a link\\]", "5 * 3 [not a link]"],
];
function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

test.each(MARKDOWN)("Markdown %j loses its marks", (markdown, text) => {
  expect(squeezed(plainText(markdown))).toBe(squeezed(text));
});

test.each(["[", "](", "[x](", "`", "|-", "-", "> ", "\\", "![", "1.\n"])(
  "a megabyte of %j loses its marks at once",
  (piece) => {
    expect(typeof plainText(piece.repeat(1_000_000 / piece.length))).toBe("string");
  },
);
