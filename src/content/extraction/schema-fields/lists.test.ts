import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const ITEM = { type: "object", properties: { name: TEXT, price: NUMBER, gloss: TEXT } };
const ITEMS = { type: "array", items: ITEM };

function fields(body: string, properties: object): unknown {
  const tree = parseTree(`<html lang=en><body><main><h1>Oak shelves</h1>${body}</main></body></html>`);
  return fieldsOf({ tree, url: "https://shop.example/p" }, planOf({ type: "object", properties })).value;
}
const itemsIn = (body: string, schema: object = ITEMS): unknown =>
  Reflect.get(Object(fields(body, { items: schema })), "items");
const ld = (value: object): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const item = (name: string, price: number | null, gloss: string | null) => ({ name, price, gloss });

const row = (...cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}`).join("")}</tr>`;

describe("a table has the items", () => {
  const head = "<tr><th>Name<th>Price<th>Gloss</tr>";
  const rows = row("Ash", "€5", "high") + row("Elm", "€7", "low");
  const both = [item("Ash", 5, "high"), item("Elm", 7, "low")];

  test.each([
    ["below headers", `<table>${head}${rows}</table>`],
    ["with scripts in its rows", `<table>${head}${rows.replaceAll("<tr>", "<tr><script>1</script>")}</table>`],
    ["below a head", `<table><thead>${row("Name", "Price", "Gloss")}</thead><tbody>${rows}</tbody></table>`],
    ["without rows of another length", `<table>${head}${row("All of 2026")}${rows}</table>`],
    ["below a header without text for names", `<table><tr><th><th>Price<th>Gloss</tr>${rows}</table>`],
    [
      "in the table that names most members",
      `<table><tr><th>Name<th>Price</tr>${row("Fir", "€1")}</table><table>${head}${rows}</table>`,
    ],
    [
      "beside headers",
      "<table><tr><th>Name<th>Ash<th>Elm<tr><th>Price<td>€5<td>€7<tr><th>Gloss<td>high<td>low</table>",
    ],
  ])("%s", (_where, body) => {
    expect(itemsIn(body)).toEqual(both);
  });

  test.each([
    ["without headers", `<table>${row("Name", "Price", "Gloss")}${rows}</table>`],
    ["of one column", "<table><tr><th>Name</tr><tr><td>Ash</tr><tr><td>Elm</tr></table>"],
    ["of headers alone", `<table>${head}</table>`],
    [
      "that names one member of three",
      `<table><tr><th>Name<th>Ring<th>Year</tr>${row("Ash", "a", "b")}${row("Elm", "c", "d")}</table>`,
    ],
  ])("but not one %s", (_which, body) => {
    expect(itemsIn(body)).toBeNull();
  });

  test("as many as the schema allows", () => {
    expect(itemsIn(`<table>${head}${rows}</table>`, { ...ITEMS, maxItems: 1 })).toEqual([item("Ash", 5, "high")]);
  });
});

const thing = (name: string, price: number) => ({ "@type": "Product", name, offers: { price } });

const listOf = (properties: object) => ({ type: "array", items: { type: "object", properties } });

describe("structured data has the items", () => {
  const both = [item("Ash", 5, null), item("Elm", 7, null)];
  test("if readers see the names of most of them", () => {
    const data = [thing("Ash", 5), thing("Elm", 7)];
    expect(itemsIn(`${ld(data)}<p>Ash</p><p>Elm</p>`)).toEqual(both);
    expect(itemsIn(`${ld(data)}<p>Ash</p><p>Fir</p>`)).toBeNull();
    expect(itemsIn(`${ld([...data, thing("Fir", 9)])}<p>Ash</p><p>Elm</p>`)).toEqual([...both, item("Fir", 9, null)]);
  });

  test("if it has half of the members", () => {
    const data = ["Ash", "Elm"].map((name) => ({ "@type": "Product", name, brand: "Oak & Sons" }));
    const body = `${ld(data)}<p>Ash</p><p>Elm</p>`;
    const four = { name: TEXT, brand: TEXT, price: NUMBER, gloss: TEXT };
    expect(itemsIn(body, listOf(four))).toMatchObject([{ name: "Ash" }, { name: "Elm" }]);
    expect(itemsIn(body, listOf({ ...four, width: NUMBER }))).toBeNull();
  });

  test("as a property of the thing", () => {
    const data = { "@type": "ItemList", name: "Oak shelves", items: [thing("Ash", 5), thing("Elm", 7)] };
    expect(itemsIn(ld(data))).toEqual(both);
  });
});

const card = (name: string, price: string, className = "card"): string =>
  `<li class="${className}"><h3><a href=/x>${name}</a></h3><i>${price}</i></li>`;

const marked = (name: string) =>
  `<li itemscope itemtype=https://schema.org/Product><b itemprop=name>${name}</b> <i itemprop=gloss>high</i> a <u>x</u></li>`;

describe("elements of one structure have the items", () => {
  const both = [item("Ash", 5, null), item("Elm", 7, null)];
  test.each([
    ["of the same classes", `<ul>${card("Ash", "€5")}${card("Elm", "€7")}</ul>`],
    [
      "of classes that differ by states and numbers",
      `<ul>${card("Ash", "€5", "card first is-new")}${card("Elm", "€7", "x2 card last")}</ul>`,
    ],
    ["beside others of another class", `<ul>${card("Ash", "€5")}${card("Elm", "€7")}<li class=ad>Buy now</ul>`],
    [
      "before a longer list without members",
      `<ul>${card("Ash", "€5")}${card("Elm", "€7")}</ul><div><p>${"A text. ".repeat(20)}</p><p>${"A text. ".repeat(20)}</p></div>`,
    ],
  ])("%s", (_which, body) => {
    expect(itemsIn(body)).toEqual(both);
  });

  test.each([
    ["of which there is one", `<ul>${card("Ash", "€5")}</ul>`],
    ["beside the main thing", `<aside>${card("Ash", "€5")}${card("Elm", "€7")}</aside>`],
    ["that have one member of three", "<ul><li><h3>Ash</h3><li><h3>Elm</h3></ul>"],
  ])("but not those %s", (_which, body) => {
    expect(itemsIn(body)).toBeNull();
  });

  test("with the values that their microdata declares", () => {
    expect(itemsIn(`<ul>${marked("Ash")}${marked("Elm")}</ul>`)).toEqual([
      item("Ash", null, "high"),
      item("Elm", null, "high"),
    ]);
    const inJson = ld({ "@type": "Product", name: "Ash", gloss: "low" });
    expect(itemsIn(`<ul>${card("Ash", "€5")}${card("Elm", "€7")}${inJson}</ul>`)).toEqual(both);
  });

  test("beside the main thing, if the list is named so", () => {
    const aside = `<aside>${card("Ash", "€5")}${card("Elm", "€7")}</aside>`;
    expect(fields(aside, { relatedItems: ITEMS })).toEqual({ relatedItems: both });
  });
});

describe("a list of texts stands", () => {
  const TEXTS = { type: "array", items: TEXT };
  test.each([
    ["in structured data", ld({ "@type": "Product", name: "Oak shelves", glosses: ["high", "low", "high"] })],
    ["beside its label", "<p>Glosses: high, low, high</p>"],
    ["in elements of its class", "<p>A <i class=glosses>high</i> B <i class=glosses>low</i></p>"],
    ["in a list of its class", "<ul class=glosses><li>high<li>low</ul>"],
  ])("%s", (_where, body) => {
    expect(fields(body, { glosses: TEXTS })).toEqual({ glosses: ["high", "low"] });
  });

  test("as tags in one line of structured data, and in links", () => {
    const data = ld({ "@type": "Article", headline: "Oak shelves", keywords: "high, low; flat" });
    expect(fields(data, { tags: TEXTS })).toEqual({ tags: ["high", "low", "flat"] });
    expect(fields("<a rel=tag href=/h>high</a> <a rel=tag href=/l>low</a>", { tags: TEXTS })).toEqual({
      tags: ["high", "low"],
    });
  });

  test("as many as the schema allows", () => {
    expect(fields("<p>Glosses: high, low</p>", { glosses: { ...TEXTS, maxItems: 1 } })).toEqual({ glosses: ["high"] });
  });

  test("in a text of 2,000 characters at most", () => {
    const [longest, beyond] = [1_994, 1_995].map((length) => `high, ${"x".repeat(length)}`);
    expect(fields(`<h2>Glosses</h2><div>${longest}</div>`, { glosses: TEXTS })).toEqual({
      glosses: longest?.split(", "),
    });
    expect(fields(`<h2>Glosses</h2><div>${beyond}</div>`, { glosses: TEXTS })).toEqual({ glosses: [beyond] });
  });
});
