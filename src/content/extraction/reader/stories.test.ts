import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { dropLeads, dropSlides } from "./inserts.ts";
import { titleAmong } from "./page-parts.ts";
import { type Outline } from "./outline.ts";
import { dropNextStories, dropOutside } from "./stories.ts";

const TEXT =
  "The night train leaves the harbour at half past ten, and the people on the platform do not mind the rain.";
const LONG = `<p>${TEXT}</p>`.repeat(6);
const LONG_TEXTS = Array.from({ length: 6 }, () => TEXT);

function ofTitle(rule: (outline: Outline, chosen: Uint8Array, title: number) => void) {
  return (outline: Outline, chosen: Uint8Array): void =>
    rule(outline, chosen, titleAmong(outline.blocks, "Night trains"));
}

const story = (title: string, line: string): string => `<h1>${title}</h1>${line}<p>${TEXT}</p>`;
const AUTHOR = "<address>By Jonas Feld</address>";

describe("the stories below the first one", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "are dropped, if each has a date or an author",
      story("Night trains", AUTHOR) + story("School kitchens", "<p>14 March 2026</p>"),
      ["Night trains", "By Jonas Feld", TEXT],
    ],
    [
      "are kept, if they have none, as sections",
      story("Night trains", AUTHOR) + story("School kitchens", ""),
      ["Night trains", "By Jonas Feld", TEXT, "School kitchens", TEXT],
    ],
    [
      "are kept, if the first one has none",
      story("Night trains", "") + story("School kitchens", AUTHOR),
      ["Night trains", TEXT, "School kitchens", "By Jonas Feld", TEXT],
    ],
    [
      "are kept, if the same title comes again, as in a part for narrow screens",
      story("Night trains", AUTHOR).repeat(2),
      ["Night trains", "By Jonas Feld", TEXT, "Night trains", "By Jonas Feld", TEXT],
    ],
  ])("%s", (_what, html, texts) => {
    expect(textsLeft(html, ofTitle(dropNextStories))).toEqual([...texts]);
  });

  test("are kept, if they are many, as in a list", () => {
    const html = story("Night trains", AUTHOR) + story("Kitchens", AUTHOR).repeat(5);
    expect(textsLeft(html, ofTitle(dropNextStories))).toHaveLength(18);
  });
});

describe("texts outside of the box of the story", () => {
  test("are dropped", () => {
    const html = `<p>Storm warning</p><main><h1>Night trains</h1><div>${LONG}</div></main><div><h2>Other</h2><p>${TEXT}</p></div>`;
    expect(textsLeft(html, ofTitle(dropOutside))).toEqual(["Night trains", ...LONG_TEXTS]);
  });

  test("are kept, if the box around the title has few words", () => {
    const html = `<header><h1>Night trains</h1><p>${TEXT}</p></header><div>${LONG}</div>`;
    expect(textsLeft(html, ofTitle(dropOutside))).toEqual(["Night trains", TEXT, ...LONG_TEXTS]);
  });
});

describe("the captions of a row of pictures", () => {
  const slide = `<li><img src="/a.jpg"><span>The crew on the platform.</span></li>`;

  test.each<[string, string, readonly string[]]>([
    ["are dropped", `<p>${TEXT}</p><ul>${slide.repeat(3)}</ul>`, [TEXT]],
    [
      "are kept, if they are few",
      `<ul>${slide.repeat(2)}</ul>`,
      Array.from({ length: 2 }, () => "The crew on the platform."),
    ],
    [
      "are kept, if one of them has no picture",
      `<ul>${slide.repeat(2)}<li>Coal</li></ul>`,
      ["The crew on the platform.", "The crew on the platform.", "Coal"],
    ],
  ])("%s", (_what, html, texts) => {
    expect(textsLeft(html, dropSlides)).toEqual([...texts]);
  });
});

describe("a line that leads to another page", () => {
  const link = '<a href="/clocks">The village that forgot to change its clocks</a>';

  test.each<[string, string, boolean]>([
    ["is dropped", `<p>Read also: ${link}</p>`, false],
    ["is kept, if it is a sentence", `<p>Read about ${link}.</p>`, true],
    ["is kept in a list", `<ul><li>${link}</li></ul>`, true],
    [
      "is kept, if most of it is no link",
      `<p>Few people in the valley have ever heard of the strange and very old story of ${link}</p>`,
      true,
    ],
    ["is kept, if it leads to a place in the page", `<p>${link.replace("/clocks", "#clocks")}</p>`, true],
  ])("%s", (_what, html, isKept) => {
    expect(textsLeft(`<p>${TEXT}</p>${html}`, dropLeads)).toHaveLength(isKept ? 2 : 1);
  });

  test("is kept without a paragraph beside it", () => {
    expect(textsLeft(`<p>${link}</p><p>Clocks</p>`, dropLeads)).toHaveLength(2);
  });
});
