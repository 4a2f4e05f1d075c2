import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { PageFacts } from "./page-facts.ts";
import { isThing, type ThingValue } from "./things.ts";

const factsOf = (html: string, locale?: string): PageFacts =>
  new PageFacts(parseTree(html), { url: "https://shop.example/p/1", locale, sight: undefined });

const amounts = (html: string) =>
  factsOf(html, "en").prices.map(({ money: { amount }, element }) => `${element.name} ${amount}`);

describe("the prices of a page are", () => {
  test.each<[string, string, string[]]>([
    ["short texts with one amount", "<p>$5</p><p>from $6 on</p>", ["p 5", "p 6"]],
    ["not longer than 40 characters", `<p>$5 ${"x".repeat(37)}</p><p>$6 ${"x".repeat(38)}</p>`, ["p 5"]],
    ["not struck out", "<p><s>$5</s></p><p>$6</p>", ["p 5", "p 6"]],
    ["not whole rows", "<table><tr><td>$5<td>a</table>", ["td 5"]],
    ["not for a unit", "<p>$5/kg</p>", []],
    ["not several amounts", "<p>$5 $6</p>", []],
    ["the own amount of an element beside an inner one", "<p>$5 <b>$6</b></p>", ["p 5", "b 6"]],
    ["the innermost with the amount", "<div><p><b>$5</b></p></div>", ["b 5"]],
    ["the element with the whole amount", "<p>$<b>5</b></p>", ["p 5"]],
    ["not an inner one of an element that splits it", "<p>$<b>5</b> <i>$6</i></p>", ["i 6"]],
    ["in several elements", "<p><b>$5</b></p><p><b>$5</b></p>", ["b 5", "b 5"]],
    ["not without a currency", "<p>5</p>", []],
  ])("%s", (_which, html, expected) => {
    expect(amounts(html).filter((one) => !/^(?:html|body|div) /.test(one))).toEqual(expected);
  });

  test("2,000 at most", () => {
    expect(factsOf("<p>$5</p>".repeat(2_001), "en").prices).toHaveLength(2_000);
  });
});

describe("a page shows", () => {
  test.each<[string, string, readonly [value: number, isMoney: boolean], boolean]>([
    ["an amount", "<p>$5</p>", [5, true], true],
    ["an old amount", "<p>$5</p><s>$7</s>", [7, true], true],
    ["no amount of another number", "<p>$5</p><p>7</p>", [7, true], false],
    ["a number without a currency", "<p>$5</p><p>7</p>", [7, false], true],
    ["a number as an amount, if it has no amounts", "<p>7</p>", [7, true], true],
    ["no other number", "<p>7</p>", [8, false], false],
    ["a number in a text of 160 characters", `<p>7 ${"x".repeat(158)}</p>`, [7, false], true],
    ["no number in a longer text", `<p>7 ${"x".repeat(159)}</p>`, [7, false], false],
  ])("%s", (_what, html, number, isSo) => {
    expect(factsOf(html, "en").showsNumber(...number)).toBe(isSo);
  });
});

describe("the language of a page is", () => {
  test.each<[string, string, string | undefined, string]>([
    ["the requested one", "<html lang=de>", "fr", "fr"],
    ["that of its root", "<html lang=' de_AT '>", undefined, "de-AT"],
    ["that of its metadata", '<meta property="og:locale" content="pt_BR">', undefined, "pt-BR"],
    ["not known", "<p lang=de>", undefined, ""],
    ["at most 35 characters long", `<html lang=${"x".repeat(36)}>`, undefined, "x".repeat(35)],
  ])("%s", (_which, html, locale, expected) => {
    expect(factsOf(html, locale).page.locale).toBe(expected);
  });
});

test("the first of several meta elements and links counts", () => {
  const facts = factsOf(
    `<meta name=A content=" "><meta name=b content=1><meta property=B content=2><meta http-equiv=c content=3><meta name=d>
    <link rel=x href=/0><link rel="y canonical" href=/1><link rel=canonical href=/2>`,
  );
  expect([facts.content("a", "b")?.text, facts.content("c")?.text, facts.content("d")]).toEqual(["1", "3", undefined]);
  expect(facts.meta.get("b")).toHaveLength(2);
  expect(facts.canonical?.attribs["href"]).toBe("/1");
});

/** A thing as an object of its types, places and values. */
function plain(value: ThingValue): unknown {
  if (!isThing(value)) return value;
  return {
    is: value.types.join(" "),
    ...Object.fromEntries(value.properties.map(({ name, value: one }) => [name, plain(one)])),
  };
}

describe("elements describe", () => {
  test.each<[string, string, unknown[]]>([
    [
      "a thing of microdata",
      "<div itemscope itemtype=https://schema.org/Product><b itemprop=name>Saw</b></div>",
      [{ is: "Product", name: "Saw" }],
    ],
    [
      "a thing of RDFa",
      "<div typeof=schema:Product><b property=schema:name>Saw</b></div>",
      [{ is: "Product", name: "Saw" }],
    ],
    ["one without a type", "<div itemscope><b itemprop=name>Saw</b></div>", [{ is: "", name: "Saw" }]],
    [
      "several types and names",
      "<div itemscope itemtype='A B'><b itemprop='x  y'>Saw</b></div>",
      [{ is: "A B", x: "Saw", y: "Saw" }],
    ],
    [
      "a thing of a thing",
      "<div itemscope itemtype=A><p itemprop=offers itemscope itemtype=B><b itemprop=price>5</b></p></div>",
      [
        { is: "A", offers: { is: "B", price: "5" } },
        { is: "B", price: "5" },
      ],
    ],
    ["a thing in a thing", "<div itemscope itemtype=A><p itemscope itemtype=B></p></div>", [{ is: "A" }, { is: "B" }]],
    ["a property without a thing", "<b itemprop=name>Saw</b>", []],
    [
      "content",
      "<div itemscope itemtype=A><meta itemprop=x content=1><b itemprop=y content=2>3</b></div>",
      [{ is: "A", x: "1", y: "2" }],
    ],
    [
      "addresses",
      "<div itemscope itemtype=A><a itemprop=x href=/a>b</a><img itemprop=y src=c></div>",
      [{ is: "A", x: "https://shop.example/a", y: "https://shop.example/p/c" }],
    ],
    [
      "addresses that are not valid",
      "<div itemscope itemtype=A><a itemprop=x href='http://['>b</a></div>",
      [{ is: "A", x: "http://[" }],
    ],
    [
      "times and numbers",
      "<div itemscope itemtype=A><time itemprop=x datetime=2026>b</time><data itemprop=y value=5>c</data></div>",
      [{ is: "A", x: "2026", y: "5" }],
    ],
    [
      "links that show nothing",
      "<div itemscope itemtype=A><link itemprop=x href=/a></div>",
      [{ is: "A", x: "https://shop.example/a" }],
    ],
    [
      "nothing hidden",
      "<div itemscope itemtype=A><p hidden><b itemprop=x>1</b><meta itemprop=y content=2></p></div>",
      [{ is: "A" }],
    ],
    ["nothing in a hidden element", "<div itemscope itemtype=A style='display:none'><b itemprop=x>1</b></div>", []],
  ])("%s", (_what, html, expected) => {
    expect(factsOf(html).things.map(plain)).toEqual(expected);
  });

  test("20,000 things and properties at most", () => {
    const html = `<div itemscope itemtype=A>${"<b itemprop=x>1</b>".repeat(20_000)}</div>`;
    expect(factsOf(html).things[0]?.properties).toHaveLength(19_999);
  });

  test("values at their places", () => {
    const html = "<div itemscope itemtype=A><a itemprop=x href=/a>b</a><b itemprop=y>c</b></div>";
    const places = factsOf(html).things[0]?.properties.map(({ place: { from, element, attribute } }) => [
      from,
      element.name,
      attribute,
    ]);
    expect(places).toEqual([
      ["microdata", "a", "href"],
      ["microdata", "b", undefined],
    ]);
  });
});
