import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { metadataOf } from "./metadata.ts";
import { siteNameOf } from "./site-name.ts";

const LINK = '<a href="/">The Quay</a>';

test.each<[string, string, string]>([
  ["the declared name", `<meta property="og:site_name" content="Quay"><title>Tide - The Quay</title>${LINK}`, "Quay"],
  ["at the end of the title", `<title>Tide - The Quay</title>${LINK}`, "The Quay"],
  ["before the name of a program", `<title>Tide - The Quay - Powered by Board</title>${LINK}`, "The Quay"],
  ["at the beginning of the title", `<title>The Quay: tide</title>${LINK}`, "The Quay"],
  ["in brackets", '<title>【木匠铺】胡桃木小饭桌</title><a href="/">木匠铺</a>', "木匠铺"],
  [
    "the text of the logo",
    '<title>Tide | Quay</title><a href="https://www.site.test/"><img alt="Quay logo"></a>',
    "Quay",
  ],
  ["at the end rather than at the beginning", `<title>Home - The Quay</title><a href="/">Home</a>${LINK}`, "The Quay"],
  ["not the text of a link to another site", '<title>Tide - Pier</title><a href="https://pier.test/">Pier</a>', ""],
  ["not a part of a word", '<title>Tide - TheQuayside</title><a href="/">Quayside</a>', ""],
  ["not the whole title", `<title>The Quay</title>${LINK}`, ""],
])("%s", (_where, html, name) => {
  expect(siteNameOf(metadataOf(parseTree(html)), "https://www.site.test/a")).toBe(name);
});
