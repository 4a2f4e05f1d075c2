import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { toHtml } from "../html.ts";
import { ChosenTree } from "./chosen-tree.ts";
import { outlineOf } from "./outline.ts";
import { bodyOf } from "./words.ts";
import { Document, Element } from "domhandler";

/** The HTML of a copy without the blocks that have "(out)" in their text. */
function copyOf(html: string): string {
  const body = bodyOf(parseTree(html));
  const outline = outlineOf(body);
  const chosen = Uint8Array.from(outline.blocks, ({ text }) => (text.includes("(out)") ? 0 : 1));
  const { children } = new ChosenTree(outline, chosen).copy(body, outline.root);
  return toHtml(new Document([new Element("x", {}, children)]))
    .replace(/^<x>|<\/x>$/g, "")
    .trim();
}

describe("the copy of the chosen blocks", () => {
  test.each<[string, string, string]>([
    ["has their elements", "<div><p>A <b>b</b></p><p>(out)</p></div>", "<div><p>A <b>b</b></p></div>"],
    ["has no elements without them", "<div><ul><li>(out)</li></ul></div><p>A</p>", "<p>A</p>"],
    ["has no scripts and styles", "<p>A<script>x</script><style>y</style></p>", "<p>A</p>"],
    [
      "has scripts of formulas",
      '<p>A<script type="math/tex">x</script></p>',
      '<p>A<script type="math/tex">x</script></p>',
    ],
    ["has white space between texts", "<p><b>A</b> <b>B</b></p>", "<p><b>A</b> <b>B</b></p>"],
    ["has no white space at the beginning of an element", "<div> <p>A</p></div>", "<div><p>A</p></div>"],
    ["has one space for white space between blocks", "<p>A</p>\n\n<p>B</p>", "<p>A</p> <p>B</p>"],
    [
      "has the indentation of code",
      "<pre><code>\n  <b>a</b>\n    <b>b</b></code></pre>",
      "<pre><code>\n  <b>a</b>\n    <b>b</b></code></pre>",
    ],
    ["has an element of white space as this space", "<p><b>A</b><i> </i><b>B</b></p>", "<p><b>A</b> <b>B</b></p>"],
    [
      "has an element of elements of white space so too",
      "<p><b>A</b><i><u> </u></i><b>B</b></p>",
      "<p><b>A</b> <b>B</b></p>",
    ],
    ["has no empty elements", "<p><b>A</b><i></i></p>", "<p><b>A</b></p>"],
    ["has line breaks", "<p>A<br>B</p>", "<p>A<br>B</p>"],
    ...["<img>", "<video></video>", "<audio></audio>", "<iframe></iframe>", "<amp-img></amp-img>"].map(
      (media): [string, string, string] => {
        const html = `<div><p>A text of five words</p><div><a href="/x">${media}</a></div></div>`;
        return [`has ${media} in elements of its own`, html, html];
      },
    ),
    [
      "has an audio element with a text for old browsers",
      "<div><p>A text of five words</p><div><audio>Your browser is too old.</audio></div></div>",
      "<div><p>A text of five words</p><div><audio>Your browser is too old.</audio></div></div>",
    ],
    ["has a line break in its own element", "<p>A<span><br></span>B</p>", "<p>A<br>B</p>"],
    ["has a line break in its own element with spaces", "<p>A<span> <br> </span>B</p>", "<p>A<br>B</p>"],
    ["has no line breaks in another element", "<p>A<i><br></i>B</p>", "<p>AB</p>"],
    ["has no element of two line breaks", "<p>A<span><br><br></span>B</p>", "<p>AB</p>"],
    [
      "has an empty line of code",
      "<pre><div>A</div><div><br></div><div>B</div></pre>",
      "<pre><div>A</div><br><div>B</div></pre>",
    ],
    [
      "has no empty line outside of code",
      "<section><div>A</div><div><br></div></section>",
      "<section><div>A</div></section>",
    ],
    ["has no line breaks of elements that are left out", "<div><p>(out)<br>(out)</p></div><p>A</p>", "<p>A</p>"],
    [
      "has the cells of a row that are left out",
      "<table><tbody><tr><td>A</td><td>(out)</td></tr></tbody></table>",
      "<table><tbody><tr><td>A</td><td></td></tr></tbody></table>",
    ],
    [
      "has a row without its cells",
      "<table><tbody><tr><td>A</td></tr><tr><td>(out)</td></tr></tbody></table>",
      "<table><tbody><tr><td>A</td></tr><tr></tr></tbody></table>",
    ],
    ["shows hidden elements", '<div hidden aria-hidden="true"><p>A</p></div>', "<div><p>A</p></div>"],
    ["shows elements that their style hides", '<p style="display: none">A</p>', "<p>A</p>"],
    ["shows elements that their style makes invisible", '<p style="VISIBILITY:hidden">A</p>', "<p>A</p>"],
    ["keeps other styles", '<p style="color:red" id="x">A</p>', '<p id="x" style="color:red">A</p>'],
    ["leaves out what is hidden in a line", "<p>A <b style='display:none'>B</b> <i hidden>C</i></p>", "<p>A  </p>"],
    ["keeps what is too small", '<p style="display:block;font-size:0">A</p>', '<p style="font-size:0">A</p>'],
    ["opens dialogs", "<dialog>A</dialog>", '<dialog open="">A</dialog>'],
  ])("%s", (_what, html, copy) => {
    expect(copyOf(html)).toBe(copy);
  });
});

const IMG = '<img src="/a.png" alt="x">';
const isKept = (html: string): boolean => copyOf(html).includes("a.png");

const ICON = '<a href="/m" aria-label="Manual"><svg></svg></a>';

describe("a link that shows only an icon is copied", () => {
  test.each<[string, string, boolean]>([
    ["in a chosen paragraph", `<p>A ${ICON}</p>`, true],
    ["in a chosen item", `<ul><li>A ${ICON}</li></ul>`, true],
    ["in a chosen definition", `<dl><dt>B</dt><dd>A ${ICON}</dd></dl>`, true],
    ["in a cell of a chosen row", `<table><tr><td>A</td><td>${ICON}</td></tr></table>`, true],
    [
      "in a cell, with the icon of a font",
      '<table><tr><td>A</td><td><a href="/m" title="Manual"><i></i></a></td></tr></table>',
      true,
    ],
    ["not with the icon of a font elsewhere", '<p>A <a href="/m" title="Manual"><i></i></a></p>', false],
    [
      "not in a row that is left out",
      `<table><tr><td>(out)</td><td>${ICON}</td></tr><tr><td>A</td></tr></table>`,
      false,
    ],
    ["not in a line that is left out", `<p>(out) ${ICON}</p><p>A</p>`, false],
    ["not alone in a paragraph", `<p>A</p><p>${ICON}</p>`, false],
    ["not beside a heading", `<h2>A ${ICON}</h2>`, false],
    ["not beside paragraphs", `<div><p>A</p>${ICON}</div>`, false],
    ["not if it is hidden", `<p>A ${ICON.replace("<a", "<a hidden")}</p>`, false],
    ["not if it leads to a place in the page", `<p>A ${ICON.replace("/m", "#m")}</p>`, false],
    [
      "not with words that are left out",
      `<ul><li>A<a href="/m"><div>(out) Manual</div><svg></svg></a></li></ul>`,
      false,
    ],
    ["not if it leads nowhere", `<p>A ${ICON.replace("/m", "")}</p>`, false],
  ])("%s", (_where, html, isCopied) => {
    expect(copyOf(html).includes("Manual")).toBe(isCopied);
  });

  test("without the icon, if it shows a picture too", () => {
    const copy = copyOf('<table><tr><td>A</td><td><a href="/m"><img src="a.png"><svg></svg></a></td></tr></table>');
    expect([copy.includes('<a href="/m"><img'), copy.includes("<svg")]).toEqual([true, false]);
  });
});

describe("the name of an icon is copied", () => {
  test.each<[string, string, boolean]>([
    ["from a cell of a chosen row", "<table><tr><td>A</td><td><svg><title>Yes</title></svg></td></tr></table>", true],
    [
      "from a text for screen readers alone in a cell",
      "<table><tr><td>A</td><td><i></i><b class=sr-only>Yes</b></td></tr></table>",
      true,
    ],
    ["not from a cell with words", "<table><tr><td>A <svg><title>Yes</title></svg></td></tr></table>", false],
    [
      "not from a row that is left out",
      "<table><tr><td>(out)</td><td><svg><title>Yes</title></svg></td></tr><tr><td>A</td></tr></table>",
      false,
    ],
    ["not from a script", "<table><tr><td>A</td><td><script>Yes</script></td></tr></table>", false],
    ["not from outside of tables", "<p>A <svg><title>Yes</title></svg></p>", false],
  ])("%s", (_where, html, isCopied) => {
    expect(copyOf(html).includes("Yes")).toBe(isCopied);
  });
});

describe("a checkbox is copied", () => {
  test.each<[string, string, boolean]>([
    ["in a chosen item", "<ul><li><input type=checkbox> A</li></ul>", true],
    ["in the label of a chosen item", "<ul><li><label><input type=CheckBox>A</label></li></ul>", true],
    ["before marked text", "<ul><li><input type=checkbox> <b>A</b></li></ul>", true],
    ["not in an item that is left out", "<ul><li><input type=checkbox> (out)</li><li>A</li></ul>", false],
    ["not outside of lists", "<p><input type=checkbox> A</p>", false],
    ["not before a block that it opens", "<ul><li><input type=checkbox> <div>A</div></li></ul>", false],
    ["not after the text", "<ul><li>A <input type=checkbox></li></ul>", false],
    ["not as another input", "<ul><li><input type=radio> A</li></ul>", false],
  ])("%s", (_where, html, isCopied) => {
    expect(copyOf(html).includes("<input")).toBe(isCopied);
  });
});

describe("a picture is copied", () => {
  test.each<[string, string, boolean]>([
    ["beside chosen words", `<div><p>One two three four five</p>${IMG}</div>`, true],
    ["not beside others", `<div><p>One two three four (out)</p>${IMG}</div><p>A</p>`, false],
    ["if half of the words around it are chosen", `<div><p>One two three</p><p>One two (out)</p>${IMG}</div>`, true],
    ["not if fewer are", `<div><p>One two</p><p>One two (out)</p>${IMG}</div>`, false],
    [
      "by the words of a larger part, if there are fewer than five",
      `<main><div><p>A</p><p>B (out)</p>${IMG}</div><p>One two three four</p></main>`,
      true,
    ],
    [
      "by the words around it, if there are five",
      `<main><div><p>A b c d (out)</p>${IMG}</div><p>${"w ".repeat(9)}</p></main>`,
      false,
    ],
    ["in a figure without words", `<div><p>One two three four five</p><figure>${IMG}</figure></div>`, true],
    ["in a link without words", `<div><p>One two three four five</p><a href=/x>${IMG}</a></div>`, true],
    ["not on a page without words", IMG, false],
    ["in a sidebar with chosen words", `<aside><p>One two three four five</p>${IMG}</aside>`, true],
    [
      "in a sidebar inside of one with chosen words",
      `<aside><p>One two three four five</p><div>${IMG}</div></aside>`,
      true,
    ],
  ])("%s", (_when, html, isSo) => {
    expect(isKept(html)).toBe(isSo);
  });

  test.each(["nav", "footer", "aside", "form", "button"])("not in %s without chosen words", (element) => {
    expect(isKept(`<main><p>${"word ".repeat(20)}</p><${element}>${IMG}</${element}></main>`)).toBe(false);
    expect(isKept(`<main><p>${"word ".repeat(20)}</p><div>${IMG}</div></main>`)).toBe(true);
  });

  test.each<[string, string, boolean]>([
    ["as a video", '<video src="a.png"></video>', true],
    ["as a video in a loop with its sound", '<video loop src="a.png"></video>', true],
    ["as a silent video", '<video muted src="a.png"></video>', true],
    ["not as a silent video in a loop", '<video loop muted src="a.png"></video>', false],
    ["as one with a title", '<video loop muted title="x" src="a.png"></video>', true],
    ["as one with a label", '<video loop muted aria-label="x" src="a.png"></video>', true],
    ["not as a background", '<video class="x video-bg" src="a.png"></video>', false],
    ["not as a background by its id", '<video id="background" src="a.png"></video>', false],
    ["not as a space", '<img width="1px" src="a.png">', false],
    ["not as a line", '<img height="0" src="a.png">', false],
    ["of ten pixels", '<img height="10" src="a.png">', true],
    [
      "not as a place for another",
      '<img alt="x" src="/p/loading-spinner.a.png?x"><img src="blank_1x1.png" alt="a.png">',
      true,
    ],
    ["not as a placeholder", '<img alt="a.png" src="/p/placeholder.svg">', false],
    ["not as an icon without a text", '<img src="icon-a.png">', false],
    ["as an icon with a text", '<img alt="x" src="icon-a.png">', true],
    ["as an icon whose name is beyond 1,000 characters", `<img src="/${"x".repeat(1_000)}/icon-a.png">`, true],
    ["with its sources", '<picture><source srcset="a.png"><img src="b.png"></picture>', true],
    ["as a frame", '<iframe src="a.png"></iframe>', true],
  ])("%s", (_how, picture, isSo) => {
    expect(isKept(`<div><p>One two three four five</p>${picture}</div>`)).toBe(isSo);
  });
});

describe("a heading whose words are a link with the class of a mark is copied", () => {
  const heading = '<h2><a class="heading-anchor" href="#a">Engine</a></h2>';
  const hasHeading = (below: string, own = heading): boolean =>
    copyOf(`<p>First.</p>${own}${below}`).includes("Engine");

  test.each<[string, string, boolean]>([
    ["above chosen text", "<p>Text</p>", true],
    ["above chosen text behind other nodes", "<!-- --> <div></div><p>Text</p>", true],
    ["not above other text", "<p>Text (out)</p><p>Text</p>", false],
    ["not at the end", "", false],
    ["above text ten nodes below", `${"<i></i>".repeat(9)}<p>Text</p>`, true],
    ["not above text further below", `${"<i></i>".repeat(10)}<p>Text</p>`, false],
  ])("%s", (_where, below, isSo) => {
    expect(hasHeading(below)).toBe(isSo);
  });

  test("but no other element like it", () => {
    expect(hasHeading("<p>Text</p>", heading.replaceAll("h2>", "h7>"))).toBe(false);
  });
});
