import { describe, expect, test } from "bun:test";
import { type Document } from "domhandler";
import { mulberry32 } from "../../lib/testing/mulberry32.ts";
import { readerCorpus } from "../testing/reader-corpus.ts";
import { prepare } from "./tree/prune.ts";
import { ChosenTree } from "./reader/chosen-tree.ts";
import { outlineOf } from "./reader/outline.ts";
import { dropPictures } from "./reader/pictures.ts";
import { articleOf } from "./reader/read-article.ts";
import { linkErrors } from "./testing/link-errors.ts";
import { bodyOf } from "./reader/words.ts";
import { parseTree } from "./tree/tree.ts";

const URL_BASE = "https://site.test/page";

/** All functions that make or change a tree. Each gets its own tree. */
const SURGERIES: Readonly<Record<string, (html: string) => (Document | undefined)[]>> = {
  parsing: (html) => [parseTree(html)],
  preparing: (html) => {
    const tree = parseTree(html);
    prepare(tree, URL_BASE);
    return [tree];
  },
  outlining: (html) => {
    const tree = parseTree(html);
    outlineOf(bodyOf(tree));
    return [tree];
  },
  choosing: (html) => {
    const tree = parseTree(html);
    const body = bodyOf(tree);
    const outline = outlineOf(body);
    const chosen = Uint8Array.from(outline.blocks, (_block, at) => (at % 3 === 1 ? 0 : 1));
    const article = new ChosenTree(outline, chosen).copy(body, outline.root);
    prepare(article, URL_BASE, tree);
    dropPictures(article, { url: URL_BASE, name: "" });
    return [tree, article];
  },
  reading: (html) => [articleOf(parseTree(html), URL_BASE).article],
};

const TEXT = "The ferry crosses the sound at low tide, and takes on no cars when the wind is in the north. ";

const SLOTTED: readonly [what: string, html: string][] = [
  [
    "whose host's children go into a slot after white space",
    '<nav><x-a>\n<template shadowrootmode="open"><slot></slot></template><a href="/">Home</a></x-a></nav>',
  ],
  [
    "with slots of two names, whose order is not the children's",
    '<x-a><i slot="b">b</i>x<template shadowrootmode="open"><slot></slot><p><slot name="b"></slot></p></template>' +
      '<b slot="b">c</b>y</x-a>',
  ],
  [
    "in a slot of another",
    '<x-a><template shadowrootmode="open"><slot>old</slot></template><x-b>t<template shadowrootmode="closed">' +
      "u<slot></slot>v</template><i>w</i></x-b> after</x-a>",
  ],
];

describe.each(SLOTTED)("a shadow tree %s", (_what, html) => {
  test.each(Object.keys(SURGERIES))("has correct links after %s", (name) => {
    for (const tree of SURGERIES[name]?.(`${html}<p>${TEXT.repeat(4)}</p>`) ?? []) {
      expect(tree === undefined ? [] : linkErrors(tree)).toEqual([]);
    }
  });
});

test("a slot shows the children of its host, in their order", () => {
  const [, [, html] = ["", ""]] = SLOTTED;
  const tree = parseTree(`<body>${html}`);
  prepare(tree, URL_BASE);
  expect(JSON.stringify(textsOf(tree))).toBe('["x","y","b","c"]');
});

function textsOf(tree: Document): string[] {
  const texts: string[] = [];
  const collect = ({ children }: { readonly children: Document["children"] }): void => {
    for (const child of children) {
      if ("data" in child && child.data.trim() !== "") texts.push(child.data);
      if ("children" in child) collect(child);
    }
  };
  collect(tree);
  return texts;
}

test("every page of the corpus has correct links after every step", () => {
  for (const { name, html } of readerCorpus()) {
    for (const [step, surgery] of Object.entries(SURGERIES)) {
      const errors = surgery(html).flatMap((tree) => (tree === undefined ? [] : linkErrors(tree)));
      expect({ name, step, errors }).toEqual({ name, step, errors: [] });
    }
  }
});

const PIECES = [
  "<x-a>",
  "</x-a>",
  '<template shadowrootmode="open">',
  "</template>",
  "<slot>",
  "</slot>",
  '<slot name="b">',
  '<i slot="b">q</i>',
  "<nav>",
  "</nav>",
  "<div hidden>",
  "</div>",
  "<p>",
  "\n",
  TEXT.repeat(3),
  '<a href="/x">Home</a>',
  "<table><tr><td>",
  "</table>",
  '<iframe title="t" src="https://www.youtube.com/embed/abcdefghijk"></iframe>',
  '<video src="v.mp4">no</video>',
  "<h2>Related articles</h2>",
  "<b>",
  "</b>",
  "<svg><title>s</title></svg>",
  "<ul><li>Share</ul>",
];

/** Takes a second or two. */
const MADE_PAGES = 150;

test.each([1, 2, 3])("generated pages (seed %d) have correct links after every step", (seed) => {
  const next = mulberry32(seed);
  for (let made = 0; made < MADE_PAGES; made += 1) {
    const html = Array.from({ length: 4 + (next() % 24) }, () => PIECES[next() % PIECES.length] ?? "").join("");
    for (const [step, surgery] of Object.entries(SURGERIES)) {
      const errors = surgery(html).flatMap((tree) => (tree === undefined ? [] : linkErrors(tree)));
      expect({ html, step, errors }).toEqual({ html, step, errors: [] });
    }
  }
});
