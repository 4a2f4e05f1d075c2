import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { fitCode } from "./code-parts.ts";
import { addComments } from "./comments.ts";
import { dropCopies } from "./copies.ts";
import { dropHidden, dropLeads, dropSlides } from "./inserts.ts";
import { type Outline } from "./outline.ts";
import { addPrice } from "./price.ts";
import { keepHeadings } from "./sections.ts";
import { dropNextStories, dropOutside } from "./stories.ts";
import { keepTogether } from "./together.ts";

const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `w${"abcdefghij"[at % 10]}`).join(" ");
/** Around an element: elements in one another. */
const inside = (levels: number, html: string): string => "<div>".repeat(levels) + html + "</div>".repeat(levels);
const AROUND = ["nav", "footer", "aside", "form", "button", "dialog"];

const isAddedOfHeading = (heading: string, text = "<p>Text</p>") =>
  textsLeft(`<section>${heading}${text}</section>`, keepHeadings).length > 1;

const isOut = (outline: Outline, chosen: Uint8Array) => {
  if (outline.blocks[0]?.heading === 2) chosen[0] = 0;
  keepHeadings(outline, chosen);
};

describe("a hidden text", () => {
  test.each<[string, string, boolean]>([
    ["of 59 words is left out", `<div hidden><p>${words(59)}</p></div>`, true],
    ["of 60 words stays", `<div hidden><p>${words(60)}</p></div>`, false],
    ["stays with another one", `<div hidden><p>${words(9)}</p><h2>A</h2></div>`, false],
    ["stays with another one of its form", "<section><b>A</b><p hidden>b</p></section>".repeat(2), false],
    ["is left out between visible ones of its form", "<p>Text</p><p hidden>A</p><p>(out)</p>", true],
    ["stays if only screen readers skip it", `<div aria-hidden=true class=modal>${words(9)}</div>`, false],
  ])("%s", (_which, html, isLeftOut) => {
    const left = textsLeft(html, dropHidden).filter((text) => !/^(?:Text)?$/.test(text));
    expect(left.length === 0).toBe(isLeftOut);
  });
});

describe("the heading of a chosen text", () => {
  test("has at most 25 words", () => {
    expect(isAddedOfHeading(`<h2>${words(24)} (out)</h2>`)).toBe(true);
    expect(isAddedOfHeading(`<h2>${words(25)} (out)</h2>`)).toBe(false);
  });

  test("is at most four levels below the box that it shares with the text", () => {
    expect([2, 3].map((levels) => isAddedOfHeading(inside(levels, "<h2>A (out)</h2>")))).toEqual([true, false]);
    expect([2, 3].map((levels) => isAddedOfHeading("<h2>A (out)</h2>", inside(levels, "<p>Text</p>")))).toEqual([
      true,
      false,
    ]);
  });

  test.each([...AROUND, "div hidden"])("is not one in %s", (element) => {
    expect(isAddedOfHeading(`<${element}><h2>A (out)</h2></${element}>`)).toBe(false);
  });

  test.each<[string, string, string]>([
    ["one that announces other pages", "<h2>Related articles</h2>", "<p>Text</p>"],
    ["one without text below", "<h2>A (out)</h2>", ""],
    ["one above another heading of its level", "<h2>A (out)</h2>", "<h2>Text</h2>"],
  ])("is not %s", (_which, heading, text) => {
    const html = `<section>${heading}${text}</section>`;

    expect(textsLeft(html, isOut)).toEqual(text === "" ? [] : ["Text"]);
  });

  test("is added with all its lines", () => {
    expect(textsLeft("<h2>One (out)<br><br>two (out)</h2><p>Text</p>", keepHeadings)).toEqual(["One", "two", "Text"]);
  });
});

const isAddedOfPrice = (html: string) => textsLeft(`<h1>Saw</h1>${html}`, addPrice).length > 1;

const below = (count: number) => "<p>A (out)</p>".repeat(count) + "<p>$5 (out)</p>";

describe("the price of a product", () => {
  test("stands at most 80 blocks below its name", () => {
    expect([isAddedOfPrice(below(78)), isAddedOfPrice(below(79))]).toEqual([true, false]);
  });

  test("has at most 6 words", () => {
    expect([isAddedOfPrice("<p>now $5 a b c (out)</p>"), isAddedOfPrice("<p>now $5 a b c d (out)</p>")]).toEqual([
      true,
      false,
    ]);
  });

  test.each(["nav", "aside", "footer", "button", "dialog", "div hidden"])("is not one in %s", (element) => {
    expect(isAddedOfPrice(`<${element}>$5 (out)</${element}>`)).toBe(false);
  });

  test.each([
    ["€ 5", true],
    ["5,00 €", true],
    ["EUR 5", true],
    ["5 EUR", true],
    ["ABC 5", false],
    ["5 ABC", false],
    ["5", false],
  ])("may be %p: %p", (price, isSo) => {
    expect(isAddedOfPrice(`<p>${price} (out)</p>`)).toBe(isSo);
  });

  test("is the first one", () => {
    expect(textsLeft("<p>$4 (out)</p><h1>Saw</h1><p>$5 (out)</p><p>$6 (out)</p>", addPrice)).toEqual(["Saw", "$5"]);
    expect(textsLeft("<h2>Saw</h2><p>$5 (out)</p>", addPrice)).toEqual(["Saw"]);
    expect(textsLeft("<h1 hidden>Saw</h1><p>$5 (out)</p>", addPrice)).toEqual(["Saw"]);
  });
});

const CODE = "<pre>run (out)</pre>";
const isAdded = (html: string) => textsLeft(html, fitCode).includes("run");

const between = (text: string) => `<p>Run.</p>${text}${CODE}`;

const near = (text: number, code: number) => `<main>${inside(text, "<p>Run.</p>")}${inside(code, CODE)}</main>`;

describe("code after a chosen text", () => {
  test("has no text of more than three words between", () => {
    expect(isAdded(between("<p>a b (out)</p>"))).toBe(true);
    expect(isAdded(between("<p>a b c (out)</p>"))).toBe(false);
    expect(isAdded(between("<h3>a (out)</h3>"))).toBe(false);
  });

  test("is near the text", () => {
    expect([isAdded(near(2, 6)), isAdded(near(4, 0)), isAdded(near(0, 7))]).toEqual([true, false, false]);
  });

  test("is not before it", () => {
    expect(isAdded(`${CODE}<p>Run.</p>`)).toBe(false);
  });

  test.each(["form", "button", "div hidden"])("is not in %s", (element) => {
    expect(isAdded(`<p>Run.</p><${element}>${CODE}</${element}>`)).toBe(false);
  });
});

const leftOfCopies = (html: string) => textsLeft(html, dropCopies).length;

const pair = (text: string) => `<p>One two</p><p>${text}</p>`;

const quoted = (text: string) => `<p>${text}</p><p>Between</p><blockquote>${text}</blockquote>`;

const cellsOfCopies = (count: number) => `<p>Rating</p><div>${"<div class=c>five stars</div>".repeat(count)}</div>`;

describe("copies", () => {
  test("of two texts in a row have at least five words", () => {
    expect(leftOfCopies(`${pair("a b c")}<p>Between</p>${pair("a b c")}`)).toBe(3);
    expect(leftOfCopies(`${pair("a b")}<p>Between</p>${pair("a b")}`)).toBe(5);
  });

  test("in a quote have at least twelve words", () => {
    expect([leftOfCopies(quoted(words(12))), leftOfCopies(quoted(words(11)))]).toEqual([2, 3]);
  });

  test.each(["table><tr><td", "pre", "dl><dd"])("are kept in %s", (element) => {
    const html = `<p>${words(12)}</p><p>Between</p><${element}><blockquote>${words(12)}</blockquote>`;
    expect(leftOfCopies(html)).toBe(3);
  });

  test("beside each other are kept if they are members of a group", () => {
    expect([leftOfCopies(cellsOfCopies(2)), leftOfCopies(cellsOfCopies(3))]).toEqual([2, 4]);
  });

  test("beside each other are kept in quotes", () => {
    expect(leftOfCopies("<blockquote><div>Yes</div></blockquote><blockquote><div>Yes</div></blockquote>")).toBe(2);
  });
});

const ofPlans = (own: string) =>
  `<p>Start</p><div>${["a", own].map((name) => `<section><h3>${name}</h3><p>${words(8)}</p><p>b</p></section>`).join("")}</div>`;

describe("the texts that two siblings have in common", () => {
  test("are kept if more than a fifth of the words of the second one are its own", () => {
    expect([leftOfCopies(ofPlans("c d e")), leftOfCopies(ofPlans("c d"))]).toEqual([7, 5]);
  });

  test("are dropped in a thread", () => {
    expect(textsLeft(ofPlans("c d e"), (outline, chosen) => dropCopies(outline, chosen, true))).toHaveLength(5);
  });
});

const row = (caption: string, count = 3) => `<ul>${`<li><img src=/a.png>${caption}</li>`.repeat(count)}</ul>`;

const isDroppedOfCaptions = (caption: string, count = 3) => textsLeft(row(caption, count), dropSlides).length === 0;

describe("the captions of a row of pictures", () => {
  test.each<[string, string, boolean]>([
    ["40 words", words(40), true],
    ["41 words", words(41), false],
    ["three sentences", "A b. C d. E f.", true],
    ["four sentences", "A b. C d. E f. G h.", false],
    ["a heading", "<h3>A</h3>", false],
    ["another picture", "<img src=/b.png>A", false],
  ])("of %s are dropped: %p", (_what, caption, isSo) => {
    expect(isDroppedOfCaptions(caption)).toBe(isSo);
  });

  test("are in groups of three, at any depth", () => {
    expect(isDroppedOfCaptions("A", 2)).toBe(false);
    expect(textsLeft(inside(3, row("A")), dropSlides)).toEqual([]);
  });
});

describe("a line that leads to another page", () => {
  const PROSE = `<p>${words(12)}.</p>`;
  const isDropped = (line: string, before = PROSE, after = "", isNews = true) =>
    textsLeft(before + line + after, (outline, chosen) => dropLeads(outline, chosen, isNews)).length <
    textsLeft(before + line + after, () => {}).length;
  const link = (count: number) => `<a href=/x>${words(count)}</a>`;

  test.each<[string, string, boolean]>([
    ["2 words", `<p>${link(2)}</p>`, false],
    ["3 words", `<p>${link(3)}</p>`, true],
    ["25 words", `<p>${link(25)}</p>`, true],
    ["26 words", `<p>${link(26)}</p>`, false],
    ["a link of half of its words", `<p>${words(4)} ${link(4)}</p>`, true],
    ["a link of fewer words", `<p>${words(5)} ${link(4)}</p>`, false],
    ["a full stop", `<p>${link(4)}.</p>`, false],
    ["two links", `<p>${link(4)} ${link(4)}</p>`, false],
    ["a link to a place", `<p>${link(4).replace("/x", "#x")}</p>`, false],
    ["no link", `<p>${words(4)}</p>`, false],
    ["the form of a heading", `<h2>${link(4)}</h2>`, false],
    ["a quote around it", `<blockquote>${link(4)}</blockquote>`, false],
    ["a table around it", `<table><tr><td>${link(4)}</table>`, false],
    ["a definition around it", `<dl><dd>${link(4)}</dl>`, false],
  ])("is dropped if it has %s: %p", (_what, line, isSo) => {
    expect(isDropped(line)).toBe(isSo);
  });

  test.each(["Read also:", "Lesen Sie auch:", "Читайте также:", "関連記事："])(
    "is dropped with the label %p",
    (label) => {
      const dropped = [label, "", "Word:"].map((of) => isDropped(`<p>${of} ${link(4)}</p>`, PROSE, "", false));
      expect(dropped).toEqual([true, false, false]);
    },
  );

  test("is dropped above a paragraph too", () => {
    expect(isDropped(`<p>${link(4)}</p>`, "", PROSE)).toBe(true);
    expect(isDropped(`<p>${link(4)}</p>`, "<p>Few words.</p>", "<p>Few words.</p>")).toBe(false);
  });
});

/** The first block is the title. */
const ofTitle =
  (rule: (outline: Outline, chosen: Uint8Array, title: number) => void) => (outline: Outline, chosen: Uint8Array) =>
    rule(outline, chosen, 0);
const LINE = "<p>14 March 2026</p>";

const stories = (count: number) =>
  Array.from({ length: count }, (_, at) => `<h1>Story ${"abcdef"[at]}</h1>${LINE}`).join("");

const leftOfStory = (count: number) => textsLeft(stories(count), ofTitle(dropNextStories)).length;

describe("a story below the first one", () => {
  const isDropped = (line: string, first = LINE) =>
    textsLeft(`<h1>One</h1>${first}<p>Text</p><h1>Two</h1>${line}<p>Text</p>`, ofTitle(dropNextStories)).at(-1) !==
      "Text" ||
    !textsLeft(`<h1>One</h1>${first}<p>Text</p><h1>Two</h1>${line}`, ofTitle(dropNextStories)).includes("Two");

  test.each<[string, string, boolean]>([
    ["a date in the fifth block", `<p>a</p>`.repeat(4) + LINE, true],
    ["a date in the sixth block", `<p>a</p>`.repeat(5) + LINE, false],
    ["a date in a line of 14 words", `<p>14 March 2026 ${words(11)}</p>`, true],
    ["a date in a longer line", `<p>14 March 2026 ${words(12)}</p>`, false],
    ["a date below a lead of 40 words", `<p>${words(40)}</p>${LINE}`, true],
    ["a date below a longer text", `<p>${words(41)}</p>${LINE}`, false],
    ["a time", "<p><time>today</time></p>", true],
    ["an address", "<address>Oda</address>", true],
    ["a heading with a date", "<h2>14 March 2026</h2>", false],
    ["a date below another title", `<h1>Three</h1>`, false],
  ])("has %s: %p", (_what, line, isSo) => {
    expect(isDropped(line)).toBe(isSo);
  });

  test("is one of at most four", () => {
    expect([leftOfStory(5), leftOfStory(6)]).toEqual([2, 12]);
  });
});

const leftOfBox = (count: number, others: number) =>
  textsLeft(
    `<p>Before</p><main><div><h1>One</h1><p>${words(count)}</p></div></main><p>${words(others)}</p>`,
    (outline, chosen) => {
      dropOutside(outline, chosen, 1);
    },
  ).length;

describe("the box of a story", () => {
  test("has at least 80 words below the title", () => {
    expect([leftOfBox(80, 3), leftOfBox(79, 3)]).toEqual([2, 4]);
  });

  test("has at least a fifth of all words", () => {
    // One word before, and one of the title.
    expect([leftOfBox(100, 398), leftOfBox(100, 399)]).toEqual([2, 4]);
  });

  test("has only chosen words", () => {
    const html = `<main><h1>One</h1><p>${words(90)} (out)</p></main><p>${words(90)}</p>`;
    expect(textsLeft(html, ofTitle(dropOutside))).toHaveLength(2);
  });

  test("is not known without a title", () => {
    expect(
      textsLeft(`<p>One</p><p>${words(90)}</p>`, (outline, chosen) => dropOutside(outline, chosen, -1)),
    ).toHaveLength(2);
  });
});

const left = (html: string, score: number) =>
  textsLeft(html, (outline, chosen) => {
    keepTogether(outline, chosen, { scores: new Float32Array(outline.blocks.length).fill(score), threshold: 0.5 });
  }).length;

const list = (count: number, chosen: number, text = "a") =>
  Array.from({ length: count }, (_, at) => `<p>${text}${at < chosen ? "" : " (out)"}</p>`).join("");

const table = (count: number, cell: string, first = cell) =>
  `<table><tr><td>${first}</td></tr>${`<tr><td class=b>${cell} (out)</td></tr>`.repeat(count - 1)}</table>`;

const cells = (long: number) => `<table><tr><td>${words(long)}<td>b (out)<td>c (out)</table>`;

describe("blocks that belong together", () => {
  /** Each block has this score. The lowest score of a chosen one is 0.5. */

  const [HIGH, LOW] = [0.31, 0.29];

  test("are at least four of a template", () => {
    expect([left(list(4, 1), HIGH), left(list(3, 1), HIGH)]).toEqual([4, 1]);
  });

  test("are kept from 60 % of the lowest chosen score on", () => {
    expect([left(list(4, 1), HIGH), left(list(4, 1), LOW)]).toEqual([4, 0]);
  });

  test("have at most 12 words in a template", () => {
    expect([left(list(4, 1, words(11)), HIGH), left(list(4, 1, words(12)), HIGH)]).toEqual([4, 1]);
  });

  test.each(["nav", "footer", "form", "button", "div hidden"])("are not in %s", (element) => {
    expect(left(`<${element}>${list(4, 1)}</${element}>`, HIGH)).toBe(1);
  });

  test("are the cells of a table of at most 400 blocks", () => {
    expect([left(table(400, words(12)), HIGH) > 1, left(table(401, words(12)), HIGH) > 1]).toEqual([false, false]);
    expect([left(table(400, words(3)), HIGH), left(table(401, words(12)), HIGH)]).toEqual([400, 1]);
  });

  test("are the cells of a table that have at most 12 words on average", () => {
    expect([left(cells(32), HIGH), left(cells(33), HIGH)]).toEqual([3, 1]);
  });

  test.each(["pre", "dl"])("are the parts of %s", (name) => {
    expect(left(`<${name}><div>a</div><i>b (out)</i></${name}>`, HIGH)).toBe(2);
  });

  test.each(["ul><li", "form", "section", "article", "main", "nav", "blockquote", "h2"])(
    "are not the cells of a table with %s",
    (part) => {
      const html = `<table><tr><td><${part}>${words(13)}</td><td class=b>b c d e (out)</td></tr></table>`;
      expect(left(html, HIGH)).toBe(1);
      expect(left(html.replace(`<${part}>`, "<div>"), HIGH)).toBe(2);
    },
  );
});

test("the cells of a table do not belong together with another table in one of them", () => {
  const html = "<table><tr><td>a<table><tr><td>x</table></td><td>b (out)</td></tr></table>";
  expect(
    textsLeft(html, (outline, chosen) => {
      keepTogether(outline, chosen, { scores: new Float32Array(outline.blocks.length).fill(1), threshold: 0.5 });
    }),
  ).toEqual(["a", "x"]);
});

const added = (html: string) => textsLeft(html, addComments);

describe("the comments below an article", () => {
  test.each([
    ["the class of a list", "<ol class=commentlist><li>Nice (out)</li></ol>"],
    ["the id of a system", "<div id=disqus_thread><p>Nice (out)</p></div>"],
    ["a long list of classes", `<div class="${"a ".repeat(190)}comments"><p>Nice (out)</p></div>`],
  ])("have %s", (_what, html) => {
    expect(added(html)).toEqual(["Nice"]);
  });

  test.each([
    ["another name", "<div class=commentary><p>Nice (out)</p></div>"],
    ["a name beyond 400 characters", `<div class="${"a ".repeat(200)}comments"><p>Nice (out)</p></div>`],
    ["the name on the body", "<body class=comments><p>Nice (out)</p>"],
    ["a form", "<form class=comments><p>Nice (out)</p></form>"],
    ["a button", "<div class=comments><button>Nice (out)</button></div>"],
    ["a hidden part", "<div class=comments hidden><p>Nice (out)</p></div>"],
  ])("are not in %s", (_what, html) => {
    expect(added(html)).toEqual([]);
  });
});
