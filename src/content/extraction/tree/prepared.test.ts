import { describe, expect, test } from "bun:test";
import { toHtml } from "../html.ts";
import { prepare } from "./prune.ts";
import { parseTree } from "./tree.ts";

/** The HTML of a body that was prepared. */
function prepared(html: string): string {
  const tree = parseTree(html);
  prepare(tree, "https://site.test/d/");
  return toHtml(tree).replaceAll(/^<html>(?:<head><\/head>)?<body>|<\/body><\/html>$/g, "");
}

test.each<[string, string, string]>([
  ["scripts and styles", "a<script>x</script><style>y</style><noscript>z</noscript>", "a"],
  [
    "controls of forms without text",
    "a<meter>1</meter><progress>2</progress><textarea>3</textarea><datalist><option>4</datalist>",
    "a",
  ],
  [
    "formulas in scripts",
    "x<script type='math/tex; mode=display'>x</script><script type='text/x'>y</script>",
    'x<script type="math/tex; mode=display">x</script>',
  ],
  ["drawings", "a<svg><title>T</title></svg>", "a"],
  ["templates", "a<template>b</template>", "a"],
  ["text for screen readers", "a<b class='sr-only'>c</b>", "a"],
  ["hidden elements", "a<b hidden>c</b>", "a"],
  ["comments", "a<!-- b -->c", "ac"],
  [
    "a drawing that names a link",
    "<a href=x><svg><title>T <g>u</g></title></svg></a>",
    '<a href="https://site.test/d/x" aria-label="T u"></a>',
  ],
  [
    "a label that names a link",
    "<a href=x><svg aria-label=L><title>T</title></svg></a>",
    '<a href="https://site.test/d/x" aria-label="L"></a>',
  ],
  [
    "the first name of a link",
    "<a href=x><svg aria-label=L></svg><svg aria-label=M></svg></a>",
    '<a href="https://site.test/d/x" aria-label="L"></a>',
  ],
  [
    "the own name of a link",
    "<a href=x aria-label=K><svg aria-label=L></svg></a>",
    '<a href="https://site.test/d/x" aria-label="K"></a>',
  ],
  ["a drawing without a name", "<a href=x><svg></svg></a>", '<a href="https://site.test/d/x"></a>'],
  [
    "a text for screen readers that names a link",
    "<a href=x><i class=sr-only>S <b>t <u>v</u></b></i></a>",
    '<a href="https://site.test/d/x" aria-label="S t v"></a>',
  ],
  [
    "a picture without an address that names a link",
    "<a href=x><img alt=P></a>",
    '<a href="https://site.test/d/x" aria-label="P"></a>',
  ],
  ["a picture without name and address", "<a href=x><img></a>", '<a href="https://site.test/d/x"></a>'],
  ["a link to its place", "<p><a href='#x'>¶</a>a</p>", "<p>a</p>"],
  ["a link to a place with words", "<p><a href='#x'>a</a></p>", '<p><a href="https://site.test/d/#x">a</a></p>'],
  [
    "a link to a place with a picture",
    "<p><a href='#x'><img src=i></a></p>",
    '<p><a href="https://site.test/d/#x"><img src="https://site.test/d/i"></a></p>',
  ],
  ["a link to a place with a drawing", "<p>a<a href='#x'><svg><title>t</title></svg></a></p>", "<p>a</p>"],
  ["a link to a place in a heading", "<h2><a href='#x'>a</a></h2>", "<h2><a>a</a></h2>"],
  ["a link to a place in a part of a heading", "<h2><b><a href='#x'>a</a></b></h2>", "<h2><b><a>a</a></b></h2>"],
  ["a link elsewhere in a heading", "<h2><a href='/x'>a</a></h2>", '<h2><a href="https://site.test/x">a</a></h2>'],
  ["a link to a script", "<a href='javascript:x'>a</a>", "<a>a</a>"],
  ["a link without an address", "<a name=x>a</a>", '<a name="x">a</a>'],
  ["an area", "<map><area href=x></map>", '<map><area href="https://site.test/d/x"></map>'],
  ["a picture", "<img src=i>", '<img src="https://site.test/d/i">'],
  ["a picture that counts", "a<img src=i width=1 height=1>", "a"],
  ["a picture of another scheme", "a<img src=ftp://x/i>", "a"],
  ["a video", "<video src=v>old</video>", '<video src="https://site.test/d/v"></video>'],
  [
    "a video with sources",
    "<video><source src=v><source src=w>old</video>",
    '<video src="https://site.test/d/v"></video>',
  ],
  [
    "a video with a source of its own",
    "<video src=u><source src=v></video>",
    '<video src="https://site.test/d/u"></video>',
  ],
  ["a video without", "a<video><track src=v></video>", "a"],
  ["sound", "<audio><source src=v></audio>", '<audio src="https://site.test/d/v"></audio>'],
  [
    "a frame of a player",
    "<iframe src='https://www.youtube.com/embed/abcdefghijk' title=' T '></iframe>",
    '<a href="https://www.youtube.com/watch?v=abcdefghijk">T</a>',
  ],
  [
    "a frame of a player without a title",
    "<iframe src='https://www.youtube.com/embed/abcdefghijk'></iframe>",
    '<a href="https://www.youtube.com/watch?v=abcdefghijk">https://www.youtube.com/watch?v=abcdefghijk</a>',
  ],
  ["another frame", "a<iframe src=/x></iframe>", "a"],
  ["a frame without an address", "a<iframe></iframe>", "a"],
  [
    "a shadow tree",
    "<x-a><template shadowrootmode=open><i>s</i><slot></slot></template>l</x-a>",
    "<x-a><i>s</i><slot>l</slot></x-a>",
  ],
])("a page with %s is prepared", (_what, html, expected) => {
  expect(prepared(html)).toBe(expected);
});

const link = (count: number) => prepared(`<p>x<a href="#x">${"<i></i>".repeat(count)}</a></p>`);

test("a link to a place whose first 50 nodes have no words counts as having words", () => {
  expect([link(49), link(50)].map((html) => html.includes("<a"))).toEqual([false, true]);
});

/** The text of a body that was prepared, or "" if the part with "five" is left out. */
const isLeft = (html: string): boolean => prepared(`<p>a</p>${html}`).includes("five");

const tagged = (text: string): string => text.replace(/./g, (char) => `&#${0xe0000 + char.charCodeAt(0)};`);

test("characters without a shape that repeat ASCII are left out, except in the flag of a region", () => {
  expect(prepared(`<p>a${tagged("five")}b</p><p>&#x1f3f4;${tagged("gbwls")}&#xe007f;</p>`)).toMatch(
    /ab.*\u{1f3f4}\u{e0067}.*\u{e007f}/su,
  );
});

describe("an element is left out", () => {
  test.each<[string, string, boolean]>([
    ["with the attribute", "<p hidden>five</p>", true],
    ["but not until it is found", "<p hidden=UNTIL-FOUND>five</p>", false],
    ["as a part that a script shows", "<p x-cloak x-show=a>five</p>", true],
    ["but not with one of its attributes", "<p x-cloak>five</p>", false],
    ["but not with the other one", "<p x-show=a>five</p>", false],
    ["as a closed dialog", "<dialog>five</dialog>", true],
    ["but not as an open one", "<dialog open>five</dialog>", false],
    ["by its style", '<p style="color:red; DISPLAY : none">five</p>', true],
    ["by its visibility", '<p style="visibility:hidden">five</p>', true],
    ["by its place off the page", '<p style="position:absolute; left:-9999px">five</p>', true],
    ["by its place above the page", '<p style="position:fixed;top: -100em">five</p>', true],
    ["but not with a negative margin", '<p style="margin-left:-9999px">five</p>', false],
    ["but not near the page", '<p style="position:relative;left:-120px">five</p>', false],
    ["by the size of its letters", '<p style="color:red;font-size: 0px">five</p>', true],
    [
      "but not if they have elements of another size",
      '<p style="font-size:0"><b style="font-size:1em">five</b></p>',
      false,
    ],
    ["but not by a size below one", '<p style="font-size:0.9em">five</p>', false],
    ["by letters of one pixel", '<p style="color:red;font-size: 1px">five</p>', true],
    ["by almost no size", '<p style="font-size:.01em">five</p>', true],
    ["as clipped", '<p style="position:absolute;clip:rect(0, 0,0 0)">five</p>', true],
    ["as clipped to a pixel", '<p style="clip:rect(1px 1px 1px 1px);">five</p>', true],
    ["but not as a picture of some size", '<p style="clip:rect(0,90px,60px,0)">five</p>', false],
    ["by a path without inside", '<p style="clip-path: inset(50%)">five</p>', true],
    ["but not as rounded", '<p style="clip-path: inset(5%)">five</p>', false],
    ["by the colour of its background", '<p style="background:#fff;color: white !important">five</p>', true],
    ["but not by another one", '<p style="background-color:#fff;color:#eee">five</p>', false],
    ["but not by unknown colours", '<p style="background:var(--a);color:var(--b)">five</p>', false],
    ["but not before a script shows it", '<p style="opacity:0">five</p>', false],
    ["but not in place of a picture", `<p style="text-indent:-9999px">five</p>`, false],
    ["by its collapse", '<p style="visibility: collapse">five</p>', true],
    ["by a style that begins so", '<p style="x-display:none; display:none-x2">five</p>', true],
    ["but not by a style with this end", '<p style="x-display:none">five</p>', false],
    [
      "but not by a style of more than 2,048 characters",
      `<p style="${"a:b;".repeat(510)}display:none">five</p>`,
      false,
    ],
    ["by a style of 2,048 characters", `<p style="${"a:b;".repeat(509)}display:none">five</p>`, true],
    ["but not as a formula", '<p class="mwe-math-mathml-inline" style="display:none">five</p>', false],
    ["as a banner by its id", "<p id=CookieBanner>five</p>", true],
    ["as a banner by its class", '<p class="x cc-window">five</p>', true],
    ["but not as the body", "<body class=cc-window hidden>five</body>", false],
    ["as the output of a formula", "<p class=MathJax>five</p>", true],
    ["but not as its container", "<mjx-container class=MathJax>five</mjx-container>", false],
    ["as the drawing of a formula", '<b class="katex-mathml">x</b><b class="katex-html">five</b>', true],
    ["but not without the formula", '<b>x</b><b class="katex-html">five</b>', false],
    ["but not as the first drawing", '<p><b class="katex-html">five</b></p>', false],
    ["as a button that copies", '<button class="x copybtn">five</button>', true],
    ["but not as another button", '<button class="x">five</button>', false],
    ["but not as a text with this class", '<p class="copy">five</p>', false],
    ["as a mark beside a heading", "<h2>A<a class=headerlink href=/x>five</a></h2>", true],
    ["but not as a whole heading", "<h2><a class=headerlink href=/x>five</a></h2>", false],
    ["but not as a whole heading beside marks", "<h2> # <a class=headerlink href=/x>five</a></h2>", false],
    ["beside another element of a heading", "<h2><b></b><a class=headerlink href=/x>five</a></h2>", true],
    ["as another element in a heading", "<h2><b class=headerlink>five</b></h2>", true],
    ["as such a link outside of headings", "<p><a class=headerlink href=/x>five</a></p>", true],
    ["but not as an element of a whole heading", "<h2><a class=headerlink href=/x><b>five</b></a></h2>", false],
    ["deep in a whole heading", "<h2><a class=headerlink href=/x><b><i>five</i></b></a></h2>", true],
    ["beside 20 marks of a heading", `<h2>${"<!-- --> ".repeat(10)}<a class=headerlink href=/x>five</a></h2>`, true],
    ["but not beside 19", `<h2>${"<!-- --> ".repeat(9)}<!-- --><a class=headerlink href=/x>five</a></h2>`, false],
    ["as a link that screen readers skip", "<a aria-hidden=true href=/x>five</a>", true],
    ["but not as one that they do not skip", "<a aria-hidden=false href=/x>five</a>", false],
  ])("%s: %#", (_how, html, isOut) => {
    expect(isLeft(html)).toBe(!isOut);
  });
});

describe("a hidden element is kept, since a reader opens it in its place", () => {
  test.each<[string, string, boolean]>([
    ["as the panel of a tab", "<p role=tabpanel hidden>five</p>", true],
    ["as a region", "<p role=region style='display:none'>five</p>", true],
    ["but not in another role", "<p role=note hidden>five</p>", false],
    ["as an accordion", "<p class='x my-accordion' x-cloak x-show=a>five</p>", true],
    ["but not with another class", "<p class=accordions hidden>five</p>", false],
    ["but not with the class beyond 2,048 characters", `<p class="${"a ".repeat(1024)}faq" hidden>five</p>`, false],
    ["below a heading that opens it", "<h3 aria-expanded=false>A</h3><p hidden>five</p>", true],
    ["below a heading with a button", "<h3><button aria-controls=x>A</button></h3> <p hidden>five</p>", true],
    ["below a term", "<dl><dt aria-expanded=false>A<dd hidden>five</dl>", true],
    ["but not below a heading of level 1", "<h1 aria-expanded=false>A</h1><p hidden>five</p>", false],
    ["but not below another heading", "<h3>A</h3><p hidden>five</p>", false],
    ["but not below another button", "<h3><i><button aria-controls=x>A</button></i></h3><p hidden>five</p>", false],
    ["but not further below", "<h3 aria-expanded=false>A</h3><p>b</p><p hidden>five</p>", false],
    ["below comments", "<h3 aria-expanded=false>A</h3><!-- --> <!-- --><p hidden>five</p>", true],
    ["but not below more comments", "<h3 aria-expanded=false>A</h3> <!-- --> <!-- --><p hidden>five</p>", false],
  ])("%s: %#", (_how, html, isSo) => {
    expect(isLeft(html)).toBe(isSo);
  });
});
