import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { parseTree } from "../tree/tree.ts";
import { fitCode } from "./code-parts.ts";
import { addPrice } from "./price.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { keepHeadings } from "./sections.ts";
import { groupByTemplate } from "./templates.ts";
import { keepTogether, shareScores } from "./together.ts";
import { bodyOf } from "./words.ts";

const TEXT = "The night train leaves at half past ten.";

describe("the heading of a chosen text", () => {
  test.each<[string, string, readonly string[]]>([
    ["is added", `<section><h2>Night (out)</h2><p>${TEXT}</p></section>`, ["Night", TEXT]],
    [
      "is added above the heading of its first part",
      `<section><h2>Night (out)</h2><h3>Out (out)</h3><p>${TEXT}</p></section>`,
      ["Night", "Out", TEXT],
    ],
    [
      "is not added above a heading of its own level",
      `<section><h2>Night (out)</h2><h2>Day</h2><p>${TEXT}</p></section>`,
      ["Day", TEXT],
    ],
    ["is not added above other text", `<section><h2>Night (out)</h2><p>(out)</p><p>${TEXT}</p></section>`, [TEXT]],
    ["is not added from a sidebar", `<aside><h2>Night (out)</h2><p>${TEXT}</p></aside>`, [TEXT]],
    [
      "is not added from another part of the page",
      `<div><div><div><div><h2>Night (out)</h2></div></div></div></div><div><div><div><div><p>${TEXT}</p></div></div></div></div>`,
      [TEXT],
    ],
  ])("%s", (_what, html, texts) => {
    expect(textsLeft(html, keepHeadings)).toEqual([...texts]);
  });
});

describe("the price of a product", () => {
  test.each<[string, string, readonly string[]]>([
    ["is added", "<h1>Saw</h1><p>€7.95 (out)</p><p>$15 (out)</p><p>BEJ22T0</p>", ["Saw", "€7.95", "BEJ22T0"]],
    ["is not added if it is there", "<h1>Saw</h1><p>$9.95 (out)</p><p>$7.95</p>", ["Saw", "$7.95"]],
  ])("%s", (_what, html, texts) => {
    expect(textsLeft(html, addPrice)).toEqual([...texts]);
  });
});

describe("code after a chosen text", () => {
  test("is added, with that of all tabs", () => {
    const tabs =
      "<div><ul><li>npm (out)</li><li>Yarn (out)</li></ul><pre>npm install (out)</pre><pre>yarn add (out)</pre></div>";
    expect(textsLeft(`<p>${TEXT}</p>${tabs}<p>${TEXT}</p>`, fitCode)).toEqual([TEXT, "npm install", "yarn add", TEXT]);
  });

  test("is added at the end", () => {
    expect(textsLeft(`<p>${TEXT}</p><pre>npm install (out)</pre>`, fitCode)).toEqual([TEXT, "npm install"]);
  });

  test("is not added after other text", () => {
    const html = `<p>${TEXT}</p><p>A text that is not chosen (out)</p><pre>npm install (out)</pre><p>${TEXT}</p>`;
    expect(textsLeft(html, fitCode)).toEqual([TEXT, TEXT]);
  });
});

const shelf = (prices: readonly string[]): string =>
  `<div>${prices.map((price, at) => `<div class="card"><h3>Kettle ${at}</h3><p class="price">${price}</p></div>`).join("")}</div>`;

/** The rule for a page whose blocks have all the same score. */
function ranked(score: number): (outline: Outline, chosen: Uint8Array) => void {
  return (outline, chosen) => {
    keepTogether(outline, chosen, { scores: new Float32Array(outline.blocks.length).fill(score), threshold: 0.5 });
  };
}

const KETTLES = ["$1", "$2 (out)", "$3 (out)", "$4 (out)", "$5 (out)"];

describe("the short texts of one template, of which some are chosen", () => {
  test("are all added if their average score is near the threshold", () => {
    expect(textsLeft(shelf(KETTLES), ranked(0.4))).toContain("$5");
  });

  test("are all dropped if they are few and their average score is low", () => {
    expect(textsLeft(shelf(KETTLES), ranked(0.1))).toEqual([
      "Kettle 0",
      "Kettle 1",
      "Kettle 2",
      "Kettle 3",
      "Kettle 4",
    ]);
  });
});

/** The shared scores of paragraphs, of which the first has 1 and the others have 0. */
const shared = (...texts: readonly string[]): number[] => {
  const { blocks } = outlineOf(bodyOf(parseTree(texts.map((text) => `<p>${text}</p>`).join(""))));
  groupByTemplate(blocks);
  return [
    ...shareScores(
      blocks,
      Float32Array.from(texts, (_text, at) => (at === 0 ? 1 : 0)),
    ),
  ];
};

describe("the scores of texts of one template", () => {
  const [text, short] = ["word ".repeat(8), "word ".repeat(7)];

  test("are their mean by words", () => {
    expect(shared("word ".repeat(32), text, text, text, text)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
  });

  test("are their own for fewer than five texts of eight words", () => {
    expect(shared(text, text, text, text)).toEqual([1, 0, 0, 0]);
    expect(shared(text, text, text, text, short)).toEqual([1, 0, 0, 0, 0]);
  });
});
