import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { fitCode } from "./code-parts.ts";
import { evenTemplates, fillTemplates } from "./consistent.ts";
import { addFirstPost } from "./first-post.ts";
import { dropOtherProducts } from "./other-products.ts";
import { addPrice } from "./price.ts";
import { type Outline } from "./outline.ts";
import { keepHeadings } from "./sections.ts";
import { dropNarrowCopies } from "./narrow-copies.ts";

const TEXT = "The night train leaves at half past ten.";

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
    expect(textsLeft(html, keepHeadings)).toEqual([...texts]);
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
    [
      "is added if the number of the article resembles one",
      "<h1>Saw</h1><p>€7.95 (out)</p><p>BEJ22T0</p>",
      ["Saw", "€7.95", "BEJ22T0"],
    ],
    ["is not added if it is there", "<h1>Saw</h1><p>$9.95 (out)</p><p>$7.95</p>", ["Saw", "$7.95"]],
  ])("%s", (_what, html, texts) => {
    expect(textsLeft(html, addPrice)).toEqual([...texts]);
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
    expect(textsLeft(html, addFirstPost)).toEqual([...texts]);
  });
});

describe("code between chosen texts", () => {
  test("is added, with that of all tabs", () => {
    const tabs =
      "<div><ul><li>npm (out)</li><li>Yarn (out)</li></ul><pre>npm install (out)</pre><pre>yarn add (out)</pre></div>";
    expect(textsLeft(`<p>${TEXT}</p>${tabs}<p>${TEXT}</p>`, fitCode)).toEqual([TEXT, "npm install", "yarn add", TEXT]);
  });

  test("is added at the end, after a text that announces it", () => {
    expect(textsLeft(`<p>Run this:</p><pre>npm install (out)</pre>`, fitCode)).toEqual(["Run this:", "npm install"]);
    expect(textsLeft(`<p>${TEXT}</p><pre>npm install (out)</pre>`, fitCode)).toEqual([TEXT]);
  });

  test("is not added beside other text", () => {
    const html = `<p>${TEXT}</p><p>A text that is not chosen (out)</p><pre>npm install (out)</pre><p>${TEXT}</p>`;
    expect(textsLeft(html, fitCode)).toEqual([TEXT, TEXT]);
  });

  test("has no name of its language above it", () => {
    const html = `<p>${TEXT}</p><div><span>js</span><pre>x()</pre></div><p>Go</p><p>${TEXT}</p>`;
    expect(textsLeft(html, fitCode)).toEqual([TEXT, "x()", "Go", TEXT]);
  });

  test("has no label of a button above it", () => {
    const html = `<p>${TEXT}</p><div><p>Code: <a href="#">Select all</a></p><pre>x()</pre></div>`;
    expect(textsLeft(html, fitCode)).toEqual([TEXT, "x()"]);
  });
});

const shelf = (prices: readonly string[]): string =>
  `<div>${prices.map((price, at) => `<div class="card"><h3>Kettle ${at}</h3><p class="price">${price}</p></div>`).join("")}</div>`;

describe("the short texts of one template", () => {
  test("are completed if most of them are chosen", () => {
    expect(textsLeft(shelf(["$1", "$2 (out)", "$3", "$4"]), fillTemplates)).toContain("$2");
  });

  test("are left out if most of them are", () => {
    expect(textsLeft(shelf(["$1", "$2 (out)", "$3 (out)", "$4 (out)"]), fillTemplates)).not.toContain("$2");
  });
});

/** The rule for a page whose blocks have all the same score. */
function ranked(score: number): (outline: Outline, chosen: Uint8Array) => void {
  return (outline, chosen) => {
    evenTemplates(outline, chosen, { scores: new Float32Array(outline.blocks.length).fill(score), threshold: 0.5 });
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

  test("stay if they are many and their average score is low", () => {
    expect(textsLeft(shelf(["$1", "$2", "$3 (out)", "$4 (out)"]), ranked(0.1))).toContain("$2");
  });
});

describe("the other products on the page of a product", () => {
  const cards = ["Axe", "File", "Plane"].map((name) => `<li><a href="/${name}">${name}</a><b>$4.99</b></li>`).join("");

  test("are dropped below its price", () => {
    expect(textsLeft(`<h1>Saw</h1><p>$7.95</p><p>${TEXT}</p><ul>${cards}</ul>`, dropOtherProducts)).toEqual([
      "Saw",
      "$7.95",
      TEXT,
    ]);
  });

  test("are kept if the first price is in their list, because the page is a list of products", () => {
    expect(textsLeft(`<h1>Tools</h1><ul>${cards}</ul><p>$7.95</p>`, dropOtherProducts)).toContain("Plane$4.99");
  });

  test("are not variants without links", () => {
    const sizes = ["S", "M", "L"].map((name) => `<li>${name} <b>$4.99</b></li>`).join("");
    expect(textsLeft(`<h1>Saw</h1><p>$7.95</p><ul>${sizes}</ul>`, dropOtherProducts)).toContain("M $4.99");
  });
});

describe("a part that only narrow screens show", () => {
  const benefits = `<h2>Benefits</h2><p>${TEXT}</p>`;

  test("is dropped if the page has its texts elsewhere", () => {
    const html = `<div class="hero--mobile">${benefits}</div><div>${benefits}</div>`;
    expect(textsLeft(html, dropNarrowCopies)).toEqual(["Benefits", TEXT]);
  });

  test.each<[string, string]>([
    ["has other texts", `<div class="lg:hidden">${benefits}<p>Only here and nowhere else.</p></div><h2>Benefits</h2>`],
    ["is the whole page", `<div class="mobile">${benefits}${benefits}</div>`],
  ])("is kept if it %s", (_what, html) => {
    expect(textsLeft(html, dropNarrowCopies)).toContain(TEXT);
  });
});
