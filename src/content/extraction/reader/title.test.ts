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
    ["is its heading of two letters", "<title>Pi - The Daily Quay</title><h1>Pi</h1>", "Pi"],
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
    [
      "is the only heading if the title is the site",
      "<meta property=og:site_name content=Quay><title>Quay</title><h1>Tide tables</h1>",
      "Tide tables",
    ],
    [
      "is the title if there are several headings and it is the site",
      "<meta property=og:site_name content=Quay><title>Quay</title><h1>Tide</h1><h1>Port</h1>",
      "Quay",
    ],
    ["is a heading of level 2 that agrees", "<title>Tide tables</title><h2>Tide tables</h2>", "Tide tables"],
    [
      "is a heading that begins the title",
      "<title>Tide tables - Ports - Quay</title><h1>Tide tables</h1>",
      "Tide tables",
    ],
    [
      "is a heading of the first parts",
      "<title>Tide tables - Ports - Quay</title><h1>Tide tables: ports</h1>",
      "Tide tables: ports",
    ],
    ["is not a heading of the last part", "<title>Tide tables - Ports</title><h1>Ports</h1>", "Tide tables - Ports"],
    [
      "is a heading behind the site's name",
      "<meta property=og:site_name content=Quay><title>Quay - Tide tables</title><h1>Tide tables</h1><h1>More</h1>",
      "Tide tables",
    ],
    [
      "is a heading in other words",
      "<title>The tide tables of ports</title><h1>Tide tables for all ports</h1>",
      "Tide tables for all ports",
    ],
    [
      "is not a heading of other words",
      "<title>The tide tables of ports</title><h1>Ships that lie at anchor</h1>",
      "The tide tables of ports",
    ],
    [
      "is not a heading of two words that resembles it",
      "<title>Tide times of ports</title><h1>Tide tables</h1>",
      "Tide times of ports",
    ],
    ["is not a hidden heading", "<title>Tide - Q</title><h1 hidden>Tide</h1>", "Tide - Q"],
    ["is not a heading of navigation", "<title>Tide - Q</title><nav><h1>Tide</h1></nav>", "Tide - Q"],
    ["is a heading in several lines", "<title>Tide tables</title><h1>Tide<br><br>tables</h1>", "Tide tables"],
    ["is not one letter", "<title>T - Quay</title><h1>T</h1>", "T - Quay"],
    ["has no name of the site's host", "<title>Tide | Daily Quay</title>", "Tide"],
    ["has no name of the host with its ending", "<title>Tide | dailyquay.test</title>", "Tide"],
    ["keeps two letters that are in the host", "<title>Tide | DA</title>", "Tide | DA"],
    [
      "has no name of the site at its beginning",
      "<meta property=og:site_name content=Quay><title>Quay | Tide</title>",
      "Tide",
    ],
    [
      "has no name of the site twice",
      "<meta property=og:site_name content=Quay><title>Quay | Tide | Quay</title>",
      "Tide",
    ],
    ["has no empty part", "<title>Tide | </title>", "Tide"],
    [
      "is the social title before the headline",
      '<meta property=og:title content="Tide a"><script type="application/ld+json">{"headline":"Tide b"}</script>',
      "Tide a",
    ],
    [
      "is the first title that is not the site",
      "<meta property=og:site_name content=Quay><meta property=og:title content=Quay><title>Tide | Quay</title>",
      "Tide",
    ],
    [
      "is the name of the site if there is no other",
      "<meta property=og:site_name content=Quay><title>Quay</title>",
      "Quay",
    ],
    [
      "has the first brackets without the site",
      "<meta property=og:site_name content=山の器><title>飯碗【山の器】</title>",
      "飯碗",
    ],
    [
      "is the eleventh heading that agrees",
      "<title>Tide</title><h1>a1</h1><h1>a2</h1><h1>a3</h1><h1>a4</h1><h1>a5</h1><h1>a6</h1><h1>a7</h1><h1>a8</h1><h1>a9</h1><h1>a10</h1><h1>Tide!</h1>",
      "Tide",
    ],
    [
      "is the tenth heading that agrees",
      "<title>Tide</title><h1>a1</h1><h1>a2</h1><h1>a3</h1><h1>a4</h1><h1>a5</h1><h1>a6</h1><h1>a7</h1><h1>a8</h1><h1>a9</h1><h1>Tide!</h1>",
      "Tide!",
    ],
  ])("%s", (_what, html, title) => {
    expect(titleIn(html)).toBe(title);
  });
});

test("the title of a start page begins with the site's name", () => {
  expect(titleIn(`${SITE}<title>The Daily Quay: all ports</title>`, "https://www.daily-quay.test/")).toBe(
    "The Daily Quay: all ports",
  );
});
