import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

const NAV = '<header><nav><ul><li><a href="/">Home</a></li><li><a href="/sea">Sea</a></li></ul></nav></header>';
const FOOTER = '<footer><p>© 2026 The Gazette. <a href="/privacy">Privacy</a></p></footer>';
const OUTDATED =
  "<div><h2>Your browser is outdated</h2><p>Please update your browser to use this site. Some parts will not work.</p></div>";
const LOGIN =
  '<form action="/login"><h2>Log in</h2><label>E-mail <input type="email"></label><label>Password <input type="password"></label>' +
  '<button>Log in</button><p>No account yet? <a href="/new">Register now</a></p></form>';

const sentence = (day: number): string =>
  `On day ${day} the keeper of the lighthouse wrote that the ferry had left early, and that the farmers from the islands had to wait.`;
const paragraphs = Array.from({ length: 9 }, (_none, day) => sentence(day + 1));
const OTHERS = "A cookie is a small file that remembers what you chose on this site, until you delete it. ".repeat(20);

function read(shown: string, data: string): string {
  const html = `<html lang="en"><head><title>The ferry and the lighthouse</title></head><body>${NAV}${shown}${FOOTER}${data}</body></html>`;
  return readArticle(parseTree(html), "https://www.site.test/sea/the-ferry-and-the-lighthouse").content;
}

function json(value: unknown, type = "application/json"): string {
  return `<script type="${type}">${JSON.stringify(value)}</script>`;
}

const blocks = {
  page: { legal: OTHERS, story: { title: "The ferry", body: paragraphs.map((text) => ({ kind: "p", text })) } },
};

describe("a page that shows only a notice has the article of its data", () => {
  test.each([
    ["paragraphs", OUTDATED, json(blocks)],
    ["paragraphs behind a log-in form", LOGIN, json(blocks)],
    [
      "a text for search engines",
      LOGIN,
      json({ "@type": "Article", articleBody: paragraphs.join("\n") }, "application/ld+json"),
    ],
    [
      "HTML",
      OUTDATED,
      `<script>window.__STATE__ = ${JSON.stringify({ html: `<p>${paragraphs.join("</p><p>")}</p>` })};</script>`,
    ],
  ])("%s", (_what, shown, data) => {
    expect(read(shown, data).split("\n\n")).toEqual(paragraphs);
  });
});

describe("a page keeps what it shows", () => {
  test.each([
    ["if the data have other texts", OUTDATED, json({ legal: OTHERS })],
    ["if the data are cut off", OUTDATED, json(blocks).replace("]", "")],
    [
      "if it shows an article",
      `<article><h1>The ferry and the lighthouse</h1>${`<p>${OTHERS}</p>`.repeat(2)}</article>`,
      json(blocks),
    ],
  ])("%s", (_what, shown, data) => {
    expect(read(shown, data)).not.toContain("keeper of the lighthouse");
  });
});
