import { expect, test } from "bun:test";
import { formsOf, keepParts } from "./forms.ts";
import { toText } from "./text.ts";
import { parseTree } from "./tree/tree.ts";

const NOTHING = { names: [], attributes: [], include: [], exclude: [] } as const;

test.each<[include: string[], exclude: string[], text: string]>([
  [[], ["nav", ".ad"], "a b c"],
  [["#b", "div"], [], "b c"],
  [["div"], ["#b"], "c"],
  [["h6"], [], ""],
])("the elements of %j without %j are %s", (include, exclude, text) => {
  const tree = parseTree('<nav>menu</nav><p>a</p><div><p id="b">b</p><p>c</p></div><p class="ad">ad</p>');
  keepParts(tree, { include, exclude });
  expect(toText(tree).split(/\s+/).join(" ").trim()).toBe(text);
});

test("links and pictures are absolute, each once, and only those of the web", () => {
  const html =
    '<base href="/dir/"><a href="a">1</a><a href="a#x">2</a><a href="#y">3</a><a href="javascript:x">4</a><img src="p.png"><img src="data:image/gif;base64,AAAA"><iframe src="f.html"></iframe><video src="v.webm"></video><link href="l.css">';
  const page = { html, parse: () => parseTree(html), url: "https://site.test/x/", isArticle: false };
  const { links, images, rawHtml } = formsOf(page, { ...NOTHING, names: ["links", "images", "rawHtml"] });
  expect({ links, images, rawHtml }).toEqual({
    links: [{ url: "https://site.test/dir/a", text: "1" }],
    images: [{ url: "https://site.test/dir/p.png", text: "" }],
    rawHtml: html,
  });
});

test("metadata are the first values of their names, with the title, the language and the icon", () => {
  const html =
    '<html lang="de"><title>T</title><link rel="shortcut icon" href="/i.png"><meta name="author" content="A"><meta name="author" content="B"><meta property="og:title" content="O"><meta name="__proto__" content="x">';
  const page = { html, parse: () => parseTree(html), url: "https://site.test/", isArticle: false };
  expect({ ...formsOf(page, NOTHING).meta }).toEqual({
    language: "de",
    title: "T",
    favicon: "/i.png",
    author: "A",
    "og:title": "O",
    ["__proto__"]: "x",
  });
});
