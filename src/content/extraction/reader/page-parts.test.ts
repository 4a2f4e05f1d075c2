import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { type Block, type Box, type Outline, outlineOf } from "./outline.ts";
import { commonBox, coreOf, groupAlike, isProse, largestGroup, sameParent, titleAmong, tokens } from "./page-parts.ts";
import { bodyOf } from "./words.ts";

function outline(html: string): Outline {
  const made = outlineOf(bodyOf(parseTree(html)));
  groupAlike(made.root);
  return made;
}
const words = (count: number): string => "word ".repeat(count);
const named = (box: Box | undefined): string | undefined => box?.element?.attribs["id"] ?? box?.element?.name;

const found = (html: string, title = "Night trains of Europe") => {
  const { blocks } = outline(html);
  return blocks[titleAmong(blocks, title)]?.text;
};

describe("the heading that is most like the title", () => {
  test.each<[string, string, string | undefined]>([
    ["has the same words", "<h2>Trains</h2><h2>Night trains of Europe</h2>", "Night trains of Europe"],
    ["is the first of equal ones", "<h2>Night trains</h2><h2>Trains, night</h2>", "Night trains"],
    ["is of level 1 before level 2", "<h2>Night trains</h2><h1>Trains, night</h1>", "Trains, night"],
    ["is of level 3", "<h3>Night trains</h3>", "Night trains"],
    ["is not of level 4", "<h4>Night trains</h4>", undefined],
    ["is not hidden", "<h2 hidden>Night trains</h2>", undefined],
    ["is not a text", "<p>Night trains</p>", undefined],
    ["has more than 30 % of all words", "<h2>Night trains a b</h2>", "Night trains a b"],
    ["has not 30 % of all words", "<h2>Night a b c</h2>", undefined],
    ["counts a word once", "<h2>Night night night</h2><h2>Night trains night</h2>", "Night trains night"],
  ])("%s", (_what, html, heading) => {
    expect(found(html)).toBe(heading as string);
  });

  test("is not known without a title", () => {
    expect(found("<h1>Night</h1>", " – ")).toBeUndefined();
  });
});

test.each<[string, string[]]>([
  ["Night-trains of 2026!", ["night", "trains", "of", "2026"]],
  ["夜行列车 go", ["夜", "行", "列", "车", "go"]],
  ["…", []],
  [`${"x".repeat(500)}y`, ["x".repeat(500)]],
])("the words of %j are %j", (text, expected) => {
  expect(tokens(text)).toEqual(expected);
});

test.each<[string, boolean]>([
  [`<p>${words(12)}.</p>`, true],
  [`<p>${words(11)}.</p>`, false],
  [`<p>${words(12)}</p>`, false],
  [`<p>${words(9)} <a href=/x>${words(3)}</a>.</p>`, true],
  [`<p>${words(8)} <a href=/x>${words(4)}</a>.</p>`, false],
])("%s is running text: %p", (html, isSo) => {
  expect(isProse(outline(html).blocks[0])).toBe(isSo);
  expect(isProse(undefined)).toBe(false);
});

const groups = (html: string) =>
  outline(html).blocks.map(({ box: { alike, alikeWords, alikeIndex } }) => [alike, alikeWords, alikeIndex].join(" "));

const list = (id: string, count: number, text: string, name = "li") =>
  `<div class=${id}>${`<${name} id=${id}>${text}</${name}>`.repeat(count)}</div>`;

const largest = (html: string) => named(largestGroup(outline(html).root));

describe("siblings are alike", () => {
  test.each<[string, string, string[]]>([
    ["with the same name", "<p>a</p><p>b c</p><div>d</div>", ["2 3 0", "2 3 1", "1 0 0"]],
    [
      "with the same first class",
      "<p class='x y'>a</p><p class='x z'>b</p><p class=z>c</p>",
      ["2 2 0", "2 2 1", "1 0 0"],
    ],
    ["with others between them", "<p class=x>a</p><div>b</div><p class=x>c</p>", ["2 2 0", "1 0 0", "2 2 1"]],
    ["without those that have no words", "<p>a</p><p></p><p>b</p>", ["2 2 0", "2 2 1"]],
    ["below an only child", "<div><p>a</p><p>b</p></div>", ["2 2 0", "2 2 1"]],
    ["not as an only child", "<div><p>a</p></div>", ["1 0 0"]],
  ])("%s", (_how, html, expected) => {
    expect(groups(html)).toEqual(expected);
  });

  test("in groups of which one has the most words", () => {
    expect(largest(list("a", 3, "one") + list("b", 3, "one two") + list("c", 3, "one"))).toBe("b");
    expect(largest(list("a", 3, "one") + list("b", 2, "one two"))).toBe("a");
    expect(largest(list("a", 3, "one") + list("b", 3, "one two", "p"))).toBe("a");
    expect(largest(list("a", 2, "one"))).toBeUndefined();
  });
});

const core = (html: string) => named(coreOf(outline(html).blocks));

describe("the box with the most running text", () => {
  const prose = (count = 12) => `<p>${words(count)}.</p>`;

  test.each<[string, string, string | undefined]>([
    ["is around its paragraphs", `<main id=a>${prose()}${prose()}</main><div id=b>${prose()}</div>`, "a"],
    [
      "is not the box around others",
      `<main id=a><div id=b>${prose(20)}${prose(20)}</div><div id=c>${prose()}</div></main>`,
      "b",
    ],
    [
      "is the box around parts with half of the words each",
      `<main id=a><div>${prose()}</div><div>${prose()}</div><div>${prose()}</div></main>`,
      "a",
    ],
    ["does not count hidden text", `<div id=a hidden>${prose(50)}</div><div id=b>${prose()}</div>`, "b"],
    ["does not count other text", `<div id=a><p>${words(50)}</p></div><div id=b>${prose()}</div>`, "b"],
    ["is not known without running text", "<p>word</p>", undefined],
  ])("%s", (_what, html, expected) => {
    expect(core(html)).toBe(expected as string);
  });
});

test("the relation of two blocks is that of their boxes", () => {
  const { blocks } = outline("<main id=m><p>a<br><br>b</p><p>c</p><div><p>d</p></div></main><p>e</p>");
  // Each text is a block.
  const [a, b, c, d, e] = blocks as [Block, Block, Block, Block, Block];
  expect([sameParent(a, b), sameParent(a, c), sameParent(a, d)]).toEqual([3, 2, 0]);
  expect([named(commonBox(a.box, d.box)), named(commonBox(d.box, a.box)), named(commonBox(a.box, e.box))]).toEqual([
    "m",
    "m",
    "body",
  ]);
  expect(commonBox(a.box, b.box)).toBe(a.box);
});
