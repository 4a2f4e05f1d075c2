import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { type PageFields } from "../tree/page-fields.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const T = { type: "string" };
const N = { type: "number" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

function read(body: string, schema: object, more: object = {}): PageFields {
  const tree = parseTree(`<html lang=en><body><main><h1>Oak</h1>${body}</main></body></html>`);
  return fieldsOf({ tree, url: "https://shop.example/p", ...more }, planOf({ type: "object", ...schema }));
}
const ld = (thing: object): string => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;

describe("the fields that are missing are", () => {
  const NONE = "the page has no value for it";

  test.each<[string, string, object, [path: string, reason: string, required: boolean][]]>([
    ["none", "<p>Color: red</p>", { properties: { color: T } }, []],
    [
      "those without a value",
      "<p>Color: red</p>",
      { properties: { color: T, size: T, a: T }, required: ["size"] },
      [
        ["/size", NONE, true],
        ["/a", NONE, false],
      ],
    ],
    [
      "an object without members",
      "",
      { properties: { part: object({ size: T, weight: T }, { required: ["size"] }) } },
      [["/part", NONE, false]],
    ],
    [
      "a required object, once",
      "",
      { properties: { part: object({ size: T }) }, required: ["part"] },
      [["/part", NONE, true]],
    ],
    [
      "those whose values are not valid together",
      "<p>Color: red</p><p>Size: L</p>",
      { properties: { color: T, size: T }, allOf: [{ properties: { color: { minLength: 5 } } }] },
      [["/color", "the value of the page is not valid: it must have at least 5 characters", false]],
    ],
    [
      "lists that are too short",
      "<p>Tags: a, b</p>",
      { properties: { tags: { type: "array", items: T, minItems: 3 } } },
      [["/tags", "must have at least 3 items", true]],
    ],
    [
      "those of the whole object",
      "<p>Color: red</p>",
      { properties: { color: T, size: T }, minProperties: 2 },
      [
        ["/size", NONE, false],
        ["", "must have at least 2 properties", true],
      ],
    ],
  ])("%s", (_which, body, schema, expected) => {
    const { missing } = read(body, schema);
    expect(missing.map(({ path, reason, required }) => [path, reason, required])).toEqual(expected);
  });

  test("and have no value and no source", () => {
    const schema = { properties: { color: T, size: T }, allOf: [{ properties: { color: { minLength: 5 } } }] };
    const { value, sources } = read("<p>Color: red</p><p>Size: L</p>", schema);
    expect([{ ...Object(value) }, Object.keys(sources)]).toEqual([{ color: null, size: "L" }, ["/size"]]);
  });
});

const items = (required: string[]) => ({
  properties: { items: { type: "array", items: object({ name: T, size: T, gloss: T }, { required }) } },
});

describe("the items of a list", () => {
  const TABLE =
    "<table><tr><th>Name<th>Size<th>Gloss<tr><td>Ash<td>L<td>a<tr><td>Elm<td><td>b<tr><td>Fir<td>M<td></table>";

  test("are those with all required members", () => {
    const { value, missing, sources } = read(TABLE, items(["size"]));
    expect(value).toMatchObject({
      items: [
        { name: "Ash", size: "L", gloss: "a" },
        { name: "Fir", size: "M", gloss: null },
      ],
    });
    expect(missing).toEqual([{ path: "/items/1/gloss", reason: "the page has no value for it", required: false }]);
    const paths = ["name", "size", "gloss"].map((name) => `/items/0/${name}`);
    expect(Object.keys(sources)).toEqual([...paths, "/items/1/name", "/items/1/size"]);
  });

  test("are all of them without required members", () => {
    expect(read(TABLE, items([])).value).toMatchObject({ items: { length: 3 } });
  });

  test("are not lists themselves", () => {
    const schema = { properties: { parts: { type: "array", items: { type: "array", items: T } } } };
    expect(read("<ul class=parts><li>a<li>b</ul>", schema).value).toMatchObject({ parts: null });
  });

  test("that a reader does not see are left out on request", () => {
    const body = `${ld({ "@type": "Product", name: "Oak", tags: ["a", "b"] })}<p>b</p>`;
    const schema = { properties: { tags: { type: "array", items: T } } };
    expect(read(body, schema).value).toMatchObject({ tags: ["a", "b"] });
    expect(read(body, schema, { shownOnly: true }).value).toMatchObject({ tags: ["b"] });
  });
});

describe("an object inside of another one", () => {
  const THING = {
    "@type": "Product",
    name: "Oak",
    offers: { price: 5, priceCurrency: "EUR" },
    brand: { name: "Quay" },
  };

  test("is an amount, or the thing that is its value", () => {
    const { value } = read(ld(THING), {
      properties: { price: object({ amount: N, currency: T }), brand: object({ name: T }) },
    });
    expect(value).toMatchObject({ price: { amount: 5, currency: "EUR" }, brand: { name: "Quay" } });
  });

  test("is the thing itself, if it is the only member", () => {
    expect(read("<p>Color: red</p>", { properties: { product: object({ name: T, color: T }) } }).value).toMatchObject({
      product: { name: "Oak", color: "red" },
    });
  });
});

describe("a result has", () => {
  const COLOR = { properties: { color: T } };

  test("the visible text on request", () => {
    expect(read("<p>Color: red</p>", COLOR, { withText: true }).text).toBe("Oak\nColor: red");
    expect(read("<p>Color: red</p>", COLOR, { withText: false })).not.toHaveProperty("text");
  });

  test("the rules that find its values, if values are confirmed", () => {
    expect(read("<p>Color: red</p>", COLOR, { learn: {} }).rules).toEqual({
      "/color": [{ label: "oak" }, { label: "color" }, { selector: "html > body > main > p" }],
    });
    expect(read("<p class=hue>red</p>", COLOR, { learn: { "/color": "red" } }).rules?.["/color"]).toContainEqual({
      selector: ".hue",
    });
    expect(read("<p>Color: red</p>", COLOR)).not.toHaveProperty("rules");
  });

  test("the fields whose rules find nothing, if it has rules", () => {
    const byRule = (selector: string) => read("<p class=hue>red</p>", COLOR, { rules: { "/color": { selector } } });
    expect([byRule(".hue").value, byRule(".hue").drift]).toMatchObject([{ color: "red" }, []]);
    expect([byRule(".none").value, byRule(".none").drift]).toMatchObject([{ color: null }, ["/color"]]);
    expect(read("<p>Color: red</p>", COLOR)).not.toHaveProperty("drift");
  });

  test.each<[string, string, string | null]>([
    ["red", "In red or blue", "red"],
    ["green", "In red or blue", null],
    ["red", "In red or green", null],
  ])("the value %p that a model states with %p as %p", (value, quote, expected) => {
    const suggestions = { "/color": { value, quote } };
    expect(read("<p>In red or blue</p>", COLOR, { suggestions }).value).toMatchObject({ color: expected });
  });

  test("quotes of at most 200 characters in one line", () => {
    const { sources } = read(`<p>Color: ${"word ".repeat(60)}</p>`, COLOR);
    expect(sources["/color"]?.quote).toBe("word ".repeat(40));
  });
});

test.each<[string, string, string, boolean]>([
  ["a heading with the name", "Oak shelf", "Oak shelf of 2026", true],
  ["a heading in the name", "Oak shelf of 2026", "Oak shelf", true],
  ["a heading with half of the words", "Oak shelf", "Shelf of ash", true],
  ["a heading with fewer words", "Oak shelf in ash", "Table by the sea of ash", false],
  ["a heading with other words", "Oak shelf", "Elm table", false],
])("a thing is believed beside %s: %#", (_what, name, heading, isSo) => {
  const tree = parseTree(`${ld({ "@type": "Product", name, color: "red" })}<h1></h1><h1>${heading}</h1>`);
  const { value } = fieldsOf({ tree, url: "https://shop.example/p" }, planOf(object({ color: T })));
  expect({ ...Object(value) }).toEqual({ color: isSo ? "red" : null });
});
