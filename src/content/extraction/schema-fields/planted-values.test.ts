import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";
import { hostileHtml, HOSTILE_PAGES } from "../../testing/hostile-pages.ts";

const fields = (body: string, properties: object): unknown => {
  const tree = parseTree(`<html lang=en><body><main><h1>Shelf</h1>${body}</main></body></html>`);
  return fieldsOf({ tree, url: "https://shop.example/" }, planOf({ type: "object", properties })).value;
};
const SKU = { sku: { type: "string" } };
const thing = (sku: string): string =>
  `<div itemscope itemtype=https://schema.org/Product><span itemprop=name>Shelf</span>${sku}</div>`;

test.each([
  ["a closed panel", "<div hidden role=tabpanel><p>SKU: BAD</p></div>"],
  ["a closed region", "<h2><button aria-expanded=false>x</button></h2><div role=region hidden>SKU: BAD</div>"],
  ["letters turned around", "<p>SKU: \u202eDAB\u202c</p>"],
  ["an element that turns letters around", "<p>SKU: <bdo dir=rtl>DAB</bdo></p>"],
  ["a style that turns letters around", "<p>SKU: <i style='unicode-bidi:bidi-override;direction:rtl'>DAB</i></p>"],
  ["letters as dots", "<p style='-webkit-text-security:disc'>SKU: BAD</p>"],
  ["a clear mask", "<p style='mask:linear-gradient(transparent,transparent)'>SKU: BAD</p>"],
  ["letters over each other", "<p style='letter-spacing:-1em'>SKU: BAD</p>"],
  ["a matrix", "<p style='transform:matrix(0,0,0,0,0,0)'>SKU: BAD</p>"],
  ["a small scale", "<p style='transform:scale(.001)'>SKU: BAD</p>"],
  ["a path", "<p style='clip-path:path(\"M0 0\")'>SKU: BAD</p>"],
  ["a computed opacity", "<p style='opacity:min(0,1)'>SKU: BAD</p>"],
  ["the back of a card", "<p style='transform:rotateY(180deg);backface-visibility:hidden'>SKU: BAD</p>"],
  ["containment", "<p style='contain:strict'>SKU: BAD</p>"],
])("a value behind %s is left out", (_how, html) => {
  expect(fields(html, SKU)).toEqual({ sku: null });
  expect(fields("<p>SKU: GOOD</p>", SKU)).toEqual({ sku: "GOOD" });
});

test.each([
  ["content", thing("<b itemprop=sku content=BAD>GOOD</b>")],
  ["value", thing("<data itemprop=sku value=BAD>GOOD</data>")],
  ["letters that are not seen", "<p>SKU: GO\u200bOD\u{e0042}\u{e0041}</p>"],
])("the visible text counts, and not %s", (_how, html) => {
  expect(fields(html, SKU)).toEqual({ sku: "GOOD" });
});

test("a link that shows another host than its own has no address", () => {
  const site = { repository: { type: "string", format: "uri" } };
  expect(fields("<p>Repository: <a href=https://bad.example/>good.example</a></p>", site)).toEqual({
    repository: null,
  });
  const good = "<p>Repository: <a href=https://www.good.example/x>good.example/x</a></p>";
  expect(fields(good, site)).toEqual({ repository: "https://www.good.example/x" });
});

test("a number with more digits than a number keeps is left out", () => {
  const data = `<script type="application/ld+json">{"@type":"Product","name":"Shelf","width":1e999}</script>`;
  const numbers = { name: { type: "string" }, width: { type: "number" }, code: { type: "integer" } };
  expect(fields(`${data}<p>Code: 12345678901234567890</p>`, numbers)).toEqual({
    name: "Shelf",
    width: null,
    code: null,
  });
});

const WARRANTY = planOf({ type: "object", properties: { warranty: { type: "string" }, brand: { type: "string" } } });

test.each(HOSTILE_PAGES.filter(({ only }) => only === undefined))(
  "a reader of the document and its style sheets: $name",
  (page) => {
    const url = "https://shop.example/p";
    const sheets = Object.entries(page.sheets ?? {}).map(([path, css]) => ({
      url: new URL(path, url).href,
      base: new URL(path, url).href,
      css,
    }));
    const fieldsHere = fieldsOf({ tree: parseTree(hostileHtml(page)), url, sight: { sheets } }, WARRANTY);
    const { brand, warranty } = fieldsHere.value as { readonly brand: unknown; readonly warranty: unknown }; // As the plan.
    expect([brand, String(warranty).includes("99"), fieldsHere.unread]).toEqual([
      "Nordlys",
      page.isSeen === true,
      undefined,
    ]);
  },
);
