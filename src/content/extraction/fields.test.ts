import { describe, expect, test } from "bun:test";
import { MARK, type PageSource } from "../page/page.ts";
import { toFields } from "./fields.ts";
import { type FieldValue } from "./tree/extraction.ts";
import { parseTree } from "./tree/tree.ts";

const PAGE: PageSource = {
  engine: "static",
  body: "",
  contentType: "text/html; charset=utf-8",
  finalUrl: "https://site.test/dir/page",
  statusCode: 200,
  headers: [],
  complete: true,
};

function outcomeOf(html: string, names: Readonly<Record<string, string>>, source: Partial<PageSource> = {}) {
  const entries = Object.entries(names).map(([name, where]) => [name, where.split("@")] as const);
  const selectors = Object.fromEntries(entries.map(([name, [selector = ""]]) => [name, selector]));
  const attributes = Object.fromEntries(
    entries.flatMap(([name, [, attribute]]) => (attribute === undefined ? [] : [[name, attribute]])),
  );
  return toFields(parseTree(html), { ...PAGE, ...source }, { kind: "fields", selectors, attributes });
}

function extractionOf(html: string, names: Readonly<Record<string, string>>, source: Partial<PageSource> = {}) {
  const outcome = outcomeOf(html, names, source);
  if (outcome.outcome !== "content") throw new Error(`The page has no fields: ${outcome.outcome}`);
  return outcome.extraction;
}

const HTML = `<title> Oak  shelves </title><p class=a>One</p><p class=a title="">Two <b>words</b></p><svg viewBox="0 0 9 9"></svg>
<a href="../x">X</a><a href="http://[">bad</a><img src="/i.png" data="i"><object data="f.pdf"></object>`;

describe("a field has", () => {
  test.each<[string, string, FieldValue]>([
    ["the text of the only match", "b", "words"],
    ["the texts of several matches", "p.a", ["One", "Two words"]],
    ["nothing without a match", ".none", null],
    ["an absolute address", "a:first-of-type@href", "https://site.test/x"],
    ["an address that is not valid as it is", "a:last-of-type@href", "http://["],
    ["the address of a picture", "img@src", "https://site.test/i.png"],
    ["data that is not an address", "img@data", "i"],
    ["the address of an object", "object@data", "https://site.test/dir/f.pdf"],
    ["an empty attribute", "p@title", ""],
    ["nothing of an attribute that no match has", "p@lang", null],
    ["an attribute in any case", "p@CLASS", ["a", "a"]],
    ["an attribute of SVG", "svg@viewBox", "0 0 9 9"],
  ])("%s", (_what, where, value) => {
    expect(extractionOf(HTML, { it: where }).fields).toEqual({ it: value });
  });

  test("an address that is resolved against the base of the page", () => {
    expect(extractionOf('<base href="/base/"><a href="x">X</a>', { a: "a@href" }).fields).toEqual({
      a: "https://site.test/base/x",
    });
  });

  test("any name", () => {
    const names = JSON.parse('{"__proto__":"b","constructor":"b"}');
    const { fields = {} } = extractionOf(HTML, names);
    expect(Object.entries(fields)).toEqual([
      ["__proto__", "words"],
      ["constructor", "words"],
    ]);
  });
});

test("the title of the page is beside its fields", () => {
  expect(extractionOf(HTML, { b: "b" })).toMatchObject({ title: "Oak shelves", truncated: false, content: "" });
  expect(extractionOf("<p>x", { b: "b" }).title).toBe("");
});

const read = (html: string, names: Readonly<Record<string, string>>) =>
  extractionOf(html, names, { engine: "browser" }).fields;

describe("a field of a page from a browser has", () => {
  test("the marked elements, whatever its selector", () => {
    const html = `<p ${MARK}="0">a</p><p ${MARK}="1 0">b</p><i ${MARK}="9">c</i><u>d</u>`;
    expect(read(html, { x: ":hover", y: "::part(z)", z: "u" })).toEqual({ x: ["a", "b"], y: "b", z: null });
  });
});

describe("only a browser can match", () => {
  test.each([
    ["a selector that it knows alone", "<p>x", { p: "p::part(y)" }, {}],
    ["one of several selectors", "<p>x", { p: "p", q: ":popover-open" }, {}],
    ["a page in XML", "<p>x", { p: "p" }, { contentType: "application/xhtml+xml" }],
    ["a page with a shadow tree", "<a-b><template shadowrootmode=open></template></a-b><p>x", { p: "p" }, {}],
  ])("%s", (_what, html, names, source) => {
    expect(outcomeOf(html, names, source)).toEqual({ outcome: "needs-browser", sign: "selector" });
  });

  test("but not a page with a template", () => {
    expect(extractionOf("<template><p>y</p></template><p>x", { p: "body > p" }).fields).toEqual({ p: "x" });
  });
});

describe("the values of a page are bounded", () => {
  test("by 10,000 matches of a selector", () => {
    const { fields, truncated } = extractionOf("<b>x</b>".repeat(10_001), { b: "b", first: "b:first-child" });
    expect([fields?.["b"]?.length, fields?.["first"], truncated]).toEqual([10_000, "x", true]);
    expect(extractionOf("<b>x</b>".repeat(10_000), { b: "b" }).truncated).toBe(false);
  });

  test("by 5,000,000 characters of all fields", () => {
    const html = `<p>${"x".repeat(2_500_000)}</p><b>y</b>`;
    const names = { one: "p", two: "p", three: "b" };
    expect(extractionOf(html, names)).toMatchObject({ fields: { three: null }, truncated: true });
    const { fields, truncated } = extractionOf(`<p>${"x".repeat(2_499_999)}</p><b>y</b>`, names);
    expect([fields?.["three"], truncated]).toEqual(["y", false]);
  });
});
