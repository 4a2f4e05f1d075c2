import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree.ts";
import { fitCode } from "./code-parts.ts";
import { fillTemplates } from "./consistent.ts";
import { addFirstPost } from "./first-post.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { groupAlike } from "./page-parts.ts";
import { addPrice } from "./price.ts";
import { keepHeadings } from "./sections.ts";
import { groupByTemplate } from "./templates.ts";
import { bodyOf } from "./words.ts";

const TEXT = "The night train leaves at half past ten.";

/** The texts that a rule leaves of all blocks without "(out)" in their text. The mark is removed. */
function left(html: string, rule: (outline: Outline, chosen: Uint8Array) => void): string[] {
  const outline = outlineOf(bodyOf(parseTree(html)));
  groupAlike(outline.root);
  groupByTemplate(outline.blocks);
  const chosen = Uint8Array.from(outline.blocks, ({ text }) => (text.includes("(out)") ? 0 : 1));
  rule(outline, chosen);
  return outline.blocks.filter((_block, at) => chosen[at] === 1).map(({ text }) => text.replace("(out)", "").trim());
}

describe("the heading of a chosen text", () => {
  test.each<[string, string, readonly string[]]>([
    ["is added", `<section><h2>Night (out)</h2><p>${TEXT}</p></section>`, ["Night", TEXT]],
    ["is not added above other text", `<section><h2>Night (out)</h2><p>(out)</p><p>${TEXT}</p></section>`, [TEXT]],
    ["is not added from a sidebar", `<aside><h2>Night (out)</h2><p>${TEXT}</p></aside>`, [TEXT]],
    [
      "is not added from another part of the page",
      `<div><div><div><div><h2>Night (out)</h2></div></div></div></div><div><div><div><div><p>${TEXT}</p></div></div></div></div>`,
      [TEXT],
    ],
  ])("%s", (_what, html, texts) => {
    expect(left(html, keepHeadings)).toEqual([...texts]);
  });
});

describe("the price of a product", () => {
  const offers = "<ul><li>$4.99</li><li>$9.99</li></ul>";
  test.each<[string, string, readonly string[]]>([
    [
      "is added before those of other products",
      `<h1>Saw</h1><p>$7.95 (out)</p>${offers}`,
      ["Saw", "$7.95", "$4.99", "$9.99"],
    ],
    [
      "is added before the price of shipping",
      "<h1>Saw</h1><p>$7.95 (out)</p><p>$15 for fast shipping</p>",
      ["Saw", "$7.95", "$15 for fast shipping"],
    ],
    ["is not added if it is there", "<h1>Saw</h1><p>$9.95 (out)</p><p>$7.95</p>", ["Saw", "$7.95"]],
  ])("%s", (_what, html, texts) => {
    expect(left(html, addPrice)).toEqual([...texts]);
  });
});

const post = (text: string): string => `<article class="message-body"><div>${text}</div></article>`;

describe("the first post of a thread", () => {
  const replies = post("Take the train.") + post("Take the bus.");
  test.each<[string, string, readonly string[]]>([
    [
      "is added",
      `<h1>When?</h1>${post(`${TEXT} (out)`)}${replies}`,
      ["When?", TEXT, "Take the train.", "Take the bus."],
    ],
    [
      "replaces its copy before the title",
      `<div>${TEXT}</div><h1>When?</h1>${post(TEXT)}${replies}`,
      ["When?", TEXT, "Take the train.", "Take the bus."],
    ],
    ["is not added without replies", `<h1>When?</h1>${post(`${TEXT} (out)`)}${post("No.")}`, ["When?", "No."]],
    [
      "is not a label",
      `<h1>When?</h1>${post("Sort by (out)")}${replies}`,
      ["When?", "Take the train.", "Take the bus."],
    ],
  ])("%s", (_what, html, texts) => {
    expect(left(html, addFirstPost)).toEqual([...texts]);
  });
});

describe("code between chosen texts", () => {
  test("is added, with that of all tabs", () => {
    const tabs =
      "<div><ul><li>npm (out)</li><li>Yarn (out)</li></ul><pre>npm install (out)</pre><pre>yarn add (out)</pre></div>";
    expect(left(`<p>${TEXT}</p>${tabs}<p>${TEXT}</p>`, fitCode)).toEqual([TEXT, "npm install", "yarn add", TEXT]);
  });

  test("is not added beside other text", () => {
    const html = `<p>${TEXT}</p><p>A text that is not chosen (out)</p><pre>npm install (out)</pre><p>${TEXT}</p>`;
    expect(left(html, fitCode)).toEqual([TEXT, TEXT]);
  });

  test("has no name of its language above it", () => {
    const html = `<p>${TEXT}</p><div><span>js</span><pre>x()</pre></div><p>Go</p><p>${TEXT}</p>`;
    expect(left(html, fitCode)).toEqual([TEXT, "x()", "Go", TEXT]);
  });
});

const shelf = (prices: readonly string[]): string =>
  `<div>${prices.map((price, at) => `<div class="card"><h3>Kettle ${at}</h3><p class="price">${price}</p></div>`).join("")}</div>`;

describe("the short texts of one template", () => {
  test("are completed if most of them are chosen", () => {
    expect(left(shelf(["$1", "$2 (out)", "$3", "$4"]), fillTemplates)).toContain("$2");
  });

  test("are left out if most of them are", () => {
    expect(left(shelf(["$1", "$2 (out)", "$3 (out)", "$4 (out)"]), fillTemplates)).not.toContain("$2");
  });
});
