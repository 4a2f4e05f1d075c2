import { describe, expect, test } from "bun:test";
import { type Element } from "domhandler";
import { type Sight } from "../../page/page.ts";
import { parseTree } from "../tree/tree.ts";
import { ShownPage, wordsOf } from "./shown-page.ts";

function pageOf(html: string, sight?: Sight): ShownPage {
  return new ShownPage(parseTree(html), { url: "https://shop.example/p", locale: "en", sight });
}

/** The shown element with this name. */
function shown(page: ShownPage, name: string): Element {
  const found = page.elements.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The page does not show ${name}`);
  return found;
}

describe("an element is", () => {
  test.each<[string, string, readonly [isMinor: boolean, isStruck: boolean]]>([
    ["of the page", "<p><i>x</i></p>", [false, false]],
    ["minor in navigation", "<nav><i>x</i></nav>", [true, false]],
    ["minor in a footer", "<footer><i>x</i></footer>", [true, false]],
    ["minor in a sidebar", "<aside><i>x</i></aside>", [true, false]],
    ["minor by its role", "<div role=complementary><i>x</i></div>", [true, false]],
    ["minor by the role of navigation", "<div role=navigation><i>x</i></div>", [true, false]],
    ["minor by its class", "<div class='x related-y'><i>x</i></div>", [true, false]],
    ["minor by its id", "<div id=reviews><i>x</i></div>", [true, false]],
    ["not minor by the class of a part with the title", "<div class=reviews><h1>y</h1><i>x</i></div>", [false, false]],
    ["minor in the part of related things", "<div class=related><h2>y</h2><i>x</i></div>", [true, false]],
    ["minor in an advertisement", "<div class='top-ad'><i>x</i></div>", [true, false]],
    ["minor in the place of an advertisement", "<div id=ad-slot-3><i>x</i></div>", [true, false]],
    ["not minor in the part about the years AD", "<div id=ad><h2>y</h2><i>x</i></div>", [false, false]],
    ["not minor in a part of a classified advertisement", "<div class='b ad-price'><i>x</i></div>", [false, false]],
    [
      "not minor in an advertisement with a heading among 200 elements",
      `<div class=ad>${"<b></b>".repeat(197)}<h2>y</h2><i>x</i></div>`,
      [false, false],
    ],
    [
      "minor in an advertisement with a heading after 200 elements",
      `<div class=ad>${"<b></b>".repeat(199)}<h2>y</h2><i>x</i></div>`,
      [true, false],
    ],
    ["not minor by the class of the main part", "<main class=related><i>x</i></main>", [false, false]],
    ["not minor by the class of an article", "<article class=related><i>x</i></article>", [false, false]],
    ["not minor by the class of the body", "<body class='related menu'><i>x</i>", [false, false]],
    [
      "not minor by a class beyond 1,000 characters",
      `<div class="${"a ".repeat(500)}related"><i>x</i></div>`,
      [false, false],
    ],
    ["struck out", "<del><i>x</i></del>", [false, true]],
    ["struck out by its style", "<p style='text-decoration: LINE-through'><i>x</i></p>", [false, true]],
    ["struck out by its class", "<p class='x old-price'><i>x</i></p>", [false, true]],
    ["not struck out by another class", "<p class=golden><i>x</i></p>", [false, false]],
  ])("%s", (_what, html, expected) => {
    const page = pageOf(html);
    const element = shown(page, "i");
    expect([page.isMinor(element), page.isStruck(element)]).toEqual([...expected]);
    expect(page.major.includes(element)).toBe(!expected[0]);
  });

  test("not known if it is hidden", () => {
    const page = pageOf("<p id=a hidden><i>x</i></p><b>y</b>");
    const all = [...page.elements];
    expect(all.map(({ name }) => name)).toEqual(["html", "body", "b"]);
    const hidden = parseTree("<i>z</i>").children.find((one): one is Element => "attribs" in one) as Element; // It has a root.
    expect([page.isShown(hidden), page.isMinor(hidden), page.isStruck(hidden)]).toEqual([false, true, false]);
    expect([
      page.orderOf(hidden),
      page.lengthOf(hidden),
      page.within(hidden),
      page.contains(hidden, shown(page, "b")),
    ]).toEqual([-1, 0, [], false]);
  });
});

test("elements contain those between them and their end", () => {
  const page = pageOf("<main><p><b>x</b> y</p><i>z</i></main><u>w</u>");
  // There are as many elements as names.
  const [main, p, b, i, u] = ["main", "p", "b", "i", "u"].map((name) => shown(page, name)) as [
    Element,
    Element,
    Element,
    Element,
    Element,
  ];
  expect(page.within(main)).toEqual([p, b, i]);
  expect([
    page.contains(main, b),
    page.contains(p, p),
    page.contains(p, i),
    page.contains(main, u),
    page.contains(b, p),
  ]).toEqual([true, true, false, false, false]);
  expect(page.innermost([main, p, b, i])).toEqual([b, i]);
  expect([page.orderOf(p) < page.orderOf(b), page.lengthOf(p), page.lengthOf(main)]).toEqual([true, 2, 3]);
});

describe("the text of an element", () => {
  test.each<[string, string, string, string[]]>([
    ["has spaces between blocks and lines", "<main>a<p>b</p>c<br>d</main>", "a b c d", ["a", "b", "c", "d"]],
    ["has spaces between cells", "<main><table><tr><td>a<td>b<tr><th>c</table></main>", "a b c", ["a b", "c"]],
    ["has white space folded", "<main> a \n b <b> c</b>d</main>", "a b cd", ["a b cd"]],
    ["has no hidden parts", "<main>a<i hidden>b</i><script>c</script></main>", "a", ["a"]],
    ["has no characters that are not seen", "<main>a\u200bb\ufeff</main>", "ab", ["ab"]],
    ["has no texts that are turned around", "<main>a<b>\u202ecb</b></main>", "a", ["a"]],
    ["has 5,000 characters", `<main>${"x".repeat(5_001)}</main>`, "x".repeat(5_000), ["x".repeat(5_000)]],
  ])("%s", (_what, html, text, lines) => {
    const page = pageOf(html);
    expect([page.text(shown(page, "main")), page.lines(shown(page, "main"))]).toEqual([text, lines]);
  });
});

test("the text of a page is that of its lines, up to 60,000 characters", () => {
  expect(pageOf("<title>t</title><p>a</p><p>b</p>").visibleText()).toBe("a\nb");
  expect(pageOf(`<p>${"x".repeat(60_001)}</p>`).visibleText()).toHaveLength(60_000);
});

test.each<[string, boolean]>([
  ["Oak shelf", true],
  ["oak, SHELF!", true],
  ["shelf oak", false],
  ["ak shelf", false],
  ["…", false],
])("a page with an oak shelf shows %p: %p", (text, isSo) => {
  expect(pageOf("<p>An <b>oak</b> shelf.</p>").shows(text)).toBe(isSo);
});

test.each<[string, string]>([
  ["<i>x</i>", "html > body > i"],
  ["<i id=a>x</i>", "#a"],
  ["<p id=a><i>x</i></p>", "#a > i"],
  ["<p id=a>y</p><p id=a><i>x</i></p>", "html > body > p:nth-of-type(2) > i"],
  ["<i id='1'>x</i>", "html > body > i"],
  ["<b>y</b><p><u>y</u><u><i>x</i></u></p>", "html > body > p > u:nth-of-type(2) > i"],
])("the selector of an element in %s is %s", (html, selector) => {
  const page = pageOf(html);
  expect(page.selectorOf(shown(page, "i"))).toBe(selector);
});

describe("by the marks of a browser", () => {
  test("what is not seen is left out", () => {
    const page = pageOf('<p m="">a</p><p m="color:red">b</p><p m="display:none">c</p>', { mark: "m" });
    expect(page.visibleText()).toBe("b");
    expect(page.isCertain).toBe(true);
  });

  test("an element may be seen only by its inner elements", () => {
    const page = pageOf('<p m="own-text:hidden">a<b>c</b>d</p><p>e</p>', { mark: "m" });
    expect(page.visibleText()).toBe("c\ne");
  });
});

test("a page is not certain if a style sheet was not loaded", () => {
  const html = "<link rel=stylesheet href=/a.css><p class=a>x</p>";
  expect([pageOf(html).isCertain, pageOf(html).unread]).toEqual([false, ["https://shop.example/a.css"]]);
  const sheets = [{ url: "https://shop.example/a.css", base: "https://shop.example/a.css", css: ".a{display:none}" }];
  expect([pageOf(html, { sheets }).isCertain, pageOf(html, { sheets }).visibleText()]).toEqual([true, ""]);
});

test.each<[string, string]>([
  ["Oak, SHELF!", "oak shelf"],
  ["ﬁne ２", "fine 2"],
  ["…", ""],
])("the words of %p are %p", (text, words) => {
  expect(wordsOf(text)).toBe(words);
});
