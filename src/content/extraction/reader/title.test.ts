import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { metadataOf } from "./metadata.ts";
import { outlineOf } from "./outline.ts";
import { titleOf } from "./title.ts";
import { bodyOf } from "./words.ts";

function titleIn(html: string, url = "https://www.daily-quay.test/a"): string {
  const tree = parseTree(html);
  return titleOf(metadataOf(tree), outlineOf(bodyOf(tree)), url);
}

const SITE = '<meta property="og:site_name" content="The Daily Quay">';

describe("the title of a page", () => {
  test.each<[string, string, string]>([
    [
      "is its heading if the document's title begins with it",
      "<title>Tide - The Daily Quay</title><h1>Tide</h1>",
      "Tide",
    ],
    ["is the title for social media", '<title>Q</title><meta property="og:title" content="A tide">', "A tide"],
    ["has no name of the site at its end", `${SITE}<title>A tide | The Daily Quay</title>`, "A tide"],
    ["has no name of the site at its beginning", `${SITE}<title>The Daily Quay: A tide</title>`, "A tide"],
    ["has no name of the site that its host tells", "<title>A tide — Daily-Quay.test</title>", "A tide"],
    ["keeps a dash of its own", "<title>Salt - a history of the sea</title>", "Salt - a history of the sea"],
    [
      "is not a heading that is the same on each page",
      "<title>Tides and ports | Quay handbook</title><h1>Quay handbook</h1><h2>Tides and ports</h2>",
      "Tides and ports",
    ],
    [
      "has the heading's capitals",
      "<title>WHAT IS A TIDE? - The Quay</title><h1>What is a tide?</h1>",
      "What is a tide?",
    ],
    ["has no sign that links to the heading", '<title>Pool — kettle</title><h1>Pool<a href="#p">¶</a></h1>', "Pool"],
    [
      "is JSON-LD's headline if there is no other title",
      '<script type="application/ld+json">{"@type":"Article","headline":"A tide"}</script>',
      "A tide",
    ],
    [
      "has no name of a Chinese site",
      `<meta property="og:site_name" content="江城晚报"><title>停航六年_江城晚报</title>`,
      "停航六年",
    ],
    [
      "has no name of a Japanese site in brackets",
      `<meta property="og:site_name" content="山の器"><title>【山の器】粉引の飯碗</title>`,
      "粉引の飯碗",
    ],
    ["keeps other brackets", "<title>【速報】停航の知らせ【再掲】</title>", "【速報】停航の知らせ【再掲】"],
    [
      "is a heading without the remark in brackets",
      "<title>停航の知らせ【動画】｜山</title><h1>停航の知らせ</h1>",
      "停航の知らせ",
    ],
    ["is the only heading if there is no other title", "<h1>A tide</h1>", "A tide"],
    ["is empty if the page has no title", "<p>Text</p>", ""],
    ["is not an endless title element", `<title>${"a - ".repeat(100_000)}</title><h1>A tide</h1>`, "A tide"],
  ])("%s", (_what, html, title) => {
    expect(titleIn(html)).toBe(title);
  });
});

test("the title of a start page begins with the site's name", () => {
  expect(titleIn(`${SITE}<title>The Daily Quay: all ports</title>`, "https://www.daily-quay.test/")).toBe(
    "The Daily Quay: all ports",
  );
});
