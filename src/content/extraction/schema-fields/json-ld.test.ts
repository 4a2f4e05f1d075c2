import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { jsonLdThings } from "./json-ld.ts";
import { isThing, type Thing, type ThingValue } from "./things.ts";

const script = (value: unknown): string =>
  `<script type="application/ld+json">${typeof value === "string" ? value : JSON.stringify(value)}</script>`;

/** A thing as an object of its types and values. */
function plain(value: ThingValue, depth = 0): unknown {
  if (!isThing(value) || depth > 30) return isThing(value) ? "deep" : value;
  const own: Record<string, unknown[]> = {};
  for (const { name, value: one } of value.properties) (own[name] ??= []).push(plain(one, depth + 1));
  const values = Object.entries(own).map(([name, [first, ...more]]) => [
    name,
    more.length === 0 ? first : [first, ...more],
  ]);
  return { ...(value.types.length === 0 ? {} : { is: value.types.join(" ") }), ...Object.fromEntries(values) };
}
const thingsIn = (html: string): readonly Thing[] => jsonLdThings(parseTree(html));
const read = (value: unknown): unknown => thingsIn(script(value)).map((thing) => plain(thing));

describe("JSON-LD has", () => {
  test.each<[string, unknown, unknown[]]>([
    ["a thing", { "@type": "Product", name: "Saw" }, [{ is: "Product", name: "Saw" }]],
    ["several types", { "@type": ["Product", 5, "http://schema.org/Tool"] }, [{ is: "Product Tool" }]],
    ["numbers and truth", { price: 5, sold: false, none: null }, [{ price: 5, sold: false }]],
    ["several values", { name: ["Saw", "Axe"] }, [{ name: ["Saw", "Axe"] }]],
    ["values of the vocabulary", { "https://schema.org/name": "Saw" }, [{ name: "Saw" }]],
    ["typed values", { name: { "@value": "Saw", "@language": "en" } }, [{ name: "Saw" }]],
    ["other things", { brand: { name: "Oak" } }, [{ brand: { name: "Oak" } }]],
    ["a list of things", [{ name: "Saw" }, [{ name: "Axe" }], "text"], [{ name: "Saw" }, { name: "Axe" }]],
    ["a graph", { "@context": "x", "@graph": [{ name: "Saw" }, { name: "Axe" }] }, [{ name: "Saw" }, { name: "Axe" }]],
    [
      "a graph in a thing",
      { "@type": "A", name: "B", "@graph": [{ name: "Saw" }] },
      [{ name: "Saw" }, { is: "A", name: "B" }],
    ],
    [
      "what a page is about",
      { "@type": "WebPage", mainEntity: { name: "Saw" } },
      [{ is: "WebPage", mainEntity: { name: "Saw" } }, { name: "Saw" }],
    ],
    [
      "the page of a thing",
      { mainEntityOfPage: { name: "Saw" } },
      [{ mainEntityOfPage: { name: "Saw" } }, { name: "Saw" }],
    ],
    [
      "the items of a list",
      { itemListElement: [{ item: { name: "Saw" } }, { name: "Axe" }, { item: "text", name: "File" }, "text"] },
      [
        { itemListElement: [{ item: { name: "Saw" } }, { name: "Axe" }, { item: "text", name: "File" }, "text"] },
        { name: "Saw" },
        { name: "Axe" },
        { item: "text", name: "File" },
      ],
    ],
    [
      "a thing by its id",
      [{ brand: { "@id": "#oak" } }, { "@id": "#oak", name: "Oak" }],
      [{ brand: { "@id": "#oak", name: "Oak" } }, { "@id": "#oak", name: "Oak" }],
    ],
    [
      "the first thing of an id",
      [{ brand: { "@id": "#a" } }, { "@id": "#a", name: "A" }, { "@id": "#a", name: "B" }],
      [{ brand: { "@id": "#a", name: "A" } }, { "@id": "#a", name: "A" }, { "@id": "#a", name: "B" }],
    ],
    ["an id of nothing", { brand: { "@id": "#none" } }, [{ brand: { "@id": "#none" } }]],
    [
      "a thing with an id and a name",
      [{ brand: { "@id": "#a", name: "C" } }, { "@id": "#a", name: "A" }],
      [{ brand: { "@id": "#a", name: "C" } }, { "@id": "#a", name: "A" }],
    ],
  ])("%s", (_what, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  test("the places of its values", () => {
    const [thing] = thingsIn(script({ offers: [{ "a/b": { "@value": 5 } }] }));
    const offer = thing?.properties[0];
    const price = offer !== undefined && isThing(offer.value) ? offer.value.properties[0] : undefined;
    expect([thing?.place.pointer, offer?.place.pointer, price?.place.pointer]).toEqual([
      "",
      "/offers/0",
      "/offers/0/a~1b/@value",
    ]);
    expect(thing?.place.from).toBe("json-ld");
  });
});

describe("broken JSON-LD is read with", () => {
  test.each<[string, string]>([
    ["a comment of HTML around it", '<!-- {"name":"Saw"} -->'],
    ["a part of characters around it", '<![CDATA[{"name":"Saw"}]]>'],
    ["such a part in comments of scripts", '/* <![CDATA[ */{"name":"Saw"}/* ]]> */'],
    ["such a part in lines of comments", '//<![CDATA[\n{"name":"Saw"}\n//]]>'],
    ["a semicolon", '{"name":"Saw"};'],
    ["a comma before a brace", '{"name":"Saw", \n }'],
    ["a comma before a bracket", '[{"name":"Saw"},]'],
  ])("%s", (_what, text) => {
    expect(read(text)).toEqual([{ name: "Saw" }]);
  });

  test.each<[string, string, string]>([
    ["line ends in strings", '{"name":"a\nb\tc"}', "a\nb\tc"],
    ["commas in strings", '{"name":"a,}", }', "a,}"],
    ["escapes in strings", String.raw`{"name":"a\",}\\", }`, 'a",}\\'],
  ])("%s", (_what, text, name) => {
    expect(read(text)).toEqual([{ name }]);
  });

  test.each(['{"name":"Saw"', '{"name":"Saw"} {}', '{"name":"Saw",,}', `{"name":"Saw",${" ".repeat(49)}}`])(
    "but not %j",
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  test("a comma up to 48 spaces before a brace", () => {
    expect(read(`{"name":"Saw",${" ".repeat(48)}}`)).toEqual([{ name: "Saw" }]);
  });
});

const long = (length: number) => script({ name: "x".repeat(length - 11) });

describe("JSON-LD is read", () => {
  test("in scripts of its type alone", () => {
    const scripts = ['type="application/json"', "", 'type=" Application/LD+JSON; charset=utf-8"'];
    expect(thingsIn(scripts.map((type) => `<script ${type}>{"name":"${type.length}"}</script>`).join(""))).toHaveLength(
      1,
    );
  });

  test("in the first 50 scripts", () => {
    expect(thingsIn(script({ name: "x" }).repeat(51))).toHaveLength(50);
  });

  test("of 2,000,000 characters", () => {
    expect(thingsIn(long(1_000_000) + long(1_000_000))).toHaveLength(2);
    expect(thingsIn(long(1_000_000) + long(1_000_001))).toHaveLength(1);
  });

  test("of 20,000 values", () => {
    expect(thingsIn(script(Array.from({ length: 20_000 }, () => ({}))))).toHaveLength(19_999);
    const [thing] = thingsIn(script({ x: Array.from({ length: 20_000 }, () => 1) }));
    expect(thing?.properties).toHaveLength(19_999);
  });

  test("up to 20 levels deep", () => {
    let inner: object = { name: "x" };
    for (let level = 0; level < 25; level += 1) inner = { a: inner };
    let depth = 0;
    for (let at = thingsIn(script(inner))[0]; at !== undefined; depth += 1) {
      const value = at.properties[0]?.value;
      at = value !== undefined && isThing(value) ? value : undefined;
    }
    expect(depth).toBe(22);
  });

  test("with values of 20,000 characters", () => {
    const [thing] = thingsIn(script({ name: "x".repeat(20_001) }));
    expect(thing?.properties[0]?.value).toHaveLength(20_000);
  });
});
