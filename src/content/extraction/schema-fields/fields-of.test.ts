import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const fields = (html: string, properties: object, more: object = {}) =>
  fieldsOf({ tree: parseTree(html), url: "https://shop.example/p/1", ...more }, planOf({ type: "object", properties }));
const ld = (value: object | string) =>
  `<script type="application/ld+json">${typeof value === "string" ? value : JSON.stringify(value)}</script>`;

const card = (name: string, price: string) =>
  `<div class=c><h3><a href=/x>${name}</a></h3><div class=p>${price}</div></div>`;

const PRODUCT = { name: { type: "string" }, price: { type: "number" }, currency: { type: "string" } };

test("reads JSON-LD, of which a trailing comma, comments around it and raw line ends are mended", () => {
  const json = '<!-- {"@type":"Product","name":"Oak\nshelf","offers":{"price":"12.50","priceCurrency":"EUR",},} -->';
  const { value, sources } = fields(`<title>x</title>${ld(json)}<h1>Oak shelf</h1>`, PRODUCT);
  expect(value).toEqual({ name: "Oak shelf", price: 12.5, currency: "EUR" });
  expect(sources["/price"]).toMatchObject({ from: "json-ld", pointer: "/offers/price", shown: false });
});

test("prefers what the page shows to JSON-LD that contradicts it, and says so", () => {
  const data = ld({ "@type": "Product", name: "Gold bar", offers: { price: 1, priceCurrency: "EUR" } });
  const { value, sources } = fields(`${data}<h1>Oak shelf</h1><p><b>Price:</b> €1,249.50</p>`, PRODUCT);
  expect(value).toEqual({ name: "Oak shelf", price: 1249.5, currency: "EUR" });
  expect(sources["/name"]?.conflict).toBe("Gold bar");
});

test("a number without currency shows a declared price only if the page shows no amount of money", () => {
  const data = ld({ "@type": "Product", name: "Oak shelf", offers: { price: 20 } });
  const price = (html: string) => fields(`${data}<h1>Oak shelf</h1>${html}`, { price: { type: "number" } });
  expect(price("<p>Now 20</p>").sources["/price"]?.shown).toBe(true);
  expect(price("<p>Weight 20</p><p>Parcel: €4</p><p>Box: €5</p>").value).toEqual({ price: null });
});

test("a declared price that the page contradicts with several others is left out", () => {
  const data = ld({ "@type": "Product", name: "Oak shelf", offers: { price: 1 } });
  const { value } = fields(`${data}<h1>Oak shelf</h1><p>from €20</p><p>€30</p>`, { price: { type: "number" } });
  expect(value).toEqual({ price: null });
});

test.each([
  ["display", "<p style='display:none'>SKU: BAD</p>"],
  ["a class", "<style>.a.b{left:-9999px;position:absolute}</style><p class='b a'>SKU: BAD</p>"],
  ["an important rule", "<style>p{display:none!important}</style><p style='display:block'>SKU: BAD</p>"],
  ["a media query", "<style>@media (min-width:10px){#s{opacity:0}}</style><p id=s>SKU: BAD</p>"],
  ["the colour around it", "<div style='background:#fff'><p style='color:white'>SKU: BAD</p></div>"],
  ["a white page", "<p style='color:#fffffe'>SKU: BAD</p>"],
  ["tiny letters", "<p style='font-size:1px'>SKU: BAD</p>"],
  ["a box without height", "<div style='max-height:0;overflow:hidden'><p>SKU: BAD</p></div>"],
  ["a template", "<template><p>SKU: BAD</p></template>"],
  ["a comment", "<!-- <p>SKU: BAD</p> -->"],
  ["a part of opacity", "<p style='opacity:calc(0%)'>SKU: BAD</p>"],
  ["a filter", "<p style='filter:opacity(0)'>SKU: BAD</p>"],
  ["a polygon without inside", "<p style='clip-path:polygon(0 0,0px 0px,0 0)'>SKU: BAD</p>"],
  ["a place to the right", "<p style='position:absolute;left:9999px'>SKU: BAD</p>"],
  ["all edges", "<p style='position:absolute;inset:auto auto auto -9999px'>SKU: BAD</p>"],
  ["a margin", "<p style='margin:0 0 0 -999em'>SKU: BAD</p>"],
  ["a translation", "<p style='translate:-9999px'>SKU: BAD</p>"],
  ["a translation as a transform", "<p style='transform:translateX(5000px)'>SKU: BAD</p>"],
  ["a turn", "<p style='transform:rotateX(90deg)'>SKU: BAD</p>"],
  ["a scale", "<p style='scale:0'>SKU: BAD</p>"],
  ["the shorthand of fonts", "<p style='font:0/0 a'>SKU: BAD</p>"],
  ["one axis of its overflow", "<p style='height:0;overflow-y:auto'>SKU: BAD</p>"],
  ["lines without height", "<p style='line-height:0;overflow:hidden'>SKU: BAD</p>"],
  ["a clear colour", "<p style='color:rgba(0,0,0,0)'>SKU: BAD</p>"],
  ["a colour in another notation", "<p style='color:hsl(0 0% 100%)'>SKU: BAD</p>"],
  ["the colour of its letters", "<p style='-webkit-text-fill-color:#fff'>SKU: BAD</p>"],
  ["a gradient of one colour", "<p style='background:linear-gradient(#f00,#f00);color:red'>SKU: BAD</p>"],
  ["attributes for colours", "<div bgcolor=navy><font color=navy>SKU: BAD</font></div>"],
  ["a variable", "<p style='--a:none;display:var(--a)'>SKU: BAD</p>"],
  [
    "a value before an invalid one",
    "<style>.a{opacity:0;opacity:no;display:none;display:no}</style><p class=a>SKU: BAD</p>",
  ],
  ["a comment in a declaration", "<p style='display:/**/none'>SKU: BAD</p>"],
  ["a long style", `<p style="${"top:1px;".repeat(1000)}display:none">SKU: BAD</p>`],
  ["an escaped property", String.raw`<style>.a{d\69splay:none}</style><p class=a>SKU: BAD</p>`],
  ["a brace in a string", "<style>i{content:'{'} .a{display:none}</style><p class=a>SKU: BAD</p>"],
  ["a list in a selector", "<style>:is(.a, .b){display:none}</style><p class=a>SKU: BAD</p>"],
  ["a state that it is not in", "<style>.a:not(:hover){display:none}</style><p class=a>SKU: BAD</p>"],
  [
    "a state that it is in",
    "<style>:checked+.a{display:none}</style><input type=checkbox checked><p class=a>SKU: BAD</p>",
  ],
  [
    "a selector that is not supported",
    "<style>div:has(i) .a{display:none}</style><div><i></i><p class=a>SKU: BAD</p></div>",
  ],
  ["a nested rule", "<style>div{color:red;&>.a{display:none}}</style><div><p class=a>SKU: BAD</p></div>"],
  ["a range of widths", "<style>@media (width>=10px){.a{display:none}}</style><p class=a>SKU: BAD</p>"],
  ["a query that may be true", "<style>@media (hover:hover){.a{display:none}}</style><p class=a>SKU: BAD</p>"],
  ["a long list of selectors", `<style>${".y,".repeat(1000)}.a{display:none}</style><p class=a>SKU: BAD</p>`],
  ["a film that is shown", "<video><p>SKU: BAD</p></video>"],
  ["a closed popover", "<div popover><p>SKU: BAD</p></div>"],
  ["hidden microdata", "<div itemscope hidden><b itemprop=sku>BAD</b></div>"],
])("a value that is hidden by %s is left out", (_how, html) => {
  expect(fields(`<h1>Shelf</h1>${html}`, { sku: { type: "string" } }).value).toEqual({ sku: null });
  const shown = fields(`<h1>Shelf</h1>${html}<p>SKU: GOOD</p>`, { sku: { type: "string" } });
  // The rule for all paragraphs hides this one too.
  expect(shown.value).toEqual({ sku: html.includes("style>p{") ? null : "GOOD" });
});

test("a colour, a place and a state of usual pages hide nothing", () => {
  const css =
    "<style>@media (width<600px){p{display:none}} p:hover{opacity:0} .d{background:#111} .d p{color:#fff;opacity:1;left:20px;position:relative;overflow:auto;height:100px;transform:translate(-50%,0) scale(1.1)}</style>";
  const html = `${css}<div class=d><p style="margin:0 -15px;font:14px/1 Arial">SKU: A1</p></div>`;
  expect(fields(html, { sku: { type: "string" } }).value).toEqual({ sku: "A1" });
});

test("rules for print and small windows hide nothing", () => {
  const css = "<style>@media print{p{display:none}} @media (max-width:600px){p{display:none}}</style>";
  expect(fields(`${css}<h1>Shelf</h1><p>SKU: A1</p>`, { sku: { type: "string" } }).value).toEqual({ sku: "A1" });
});

test("with shownOnly, values that readers do not see are left out", () => {
  const html = `${ld({ "@type": "Product", name: "Shelf", sku: "A1" })}<h1>Shelf</h1>`;
  const properties = { name: { type: "string" }, sku: { type: "string" } };
  expect(fields(html, properties).value).toEqual({ name: "Shelf", sku: "A1" });
  expect(fields(html, properties, { shownOnly: true }).value).toEqual({ name: "Shelf", sku: null });
});

test("reads lists of things as tables, cards and structured data, and leaves out rows that are something else", () => {
  const items = {
    items: { type: "array", items: { type: "object", properties: PRODUCT, required: ["name", "price"] } },
  };
  const expected = {
    items: [
      { name: "Oak", price: 5, currency: "EUR" },
      { name: "Elm", price: 7.5, currency: "EUR" },
    ],
  };
  const table =
    "<table><tr><th>Product</th><th>Name</th><th>Price</th><tr><td>1<td>Oak<td>5 €<tr><td>2<td>Elm<td>7,50 €</table>";
  expect(fields(`<html lang=de>${table}`, items).value).toMatchObject({
    items: [
      { name: "Oak", price: 5 },
      { name: "Elm", price: 7.5 },
    ],
  });
  const cards = `<div>${card("Oak", "€5.00")}${card("Elm", "€7.50")}<div class=c>Advertisement</div></div>`;
  expect(fields(`<h1>All</h1>${cards}`, items).value).toEqual(expected);
});

test("a number before the sign of an amount is not an amount", () => {
  const item = { type: "object", properties: { ...PRODUCT, sku: { type: "string" } } };
  const rows = "<tr><td>A1<td>Oak 595<td>£460.34<tr><td>A2<td>Elm 339<td>£52.74";
  const table = `<table><tr><th>SKU<th>Name<th>What it costs</tr>${rows}</table>`;
  const { value } = fields(`<h1>All</h1>${table}`, { items: { type: "array", items: item } });
  expect(value).toMatchObject({
    items: [
      { name: "Oak 595", price: 460.34 },
      { name: "Elm 339", price: 52.74 },
    ],
  });
});

test.each<[string, object, string, unknown]>([
  ["1.234,56 €", { type: "number" }, "de", 1234.56],
  ["1,234.56", { type: "number" }, "en", 1234.56],
  ["1 234,56", { type: "number" }, "fr", 1234.56],
  ["1.234", { type: "integer" }, "de", 1234],
  ["1.234", { type: "number" }, "en", 1.234],
  ["1.234", { type: "number" }, "", null],
  ["12 to 14", { type: "number" }, "en", null],
  ["3/4/2026", { type: "string", format: "date" }, "en-GB", "2026-04-03"],
  ["3/4/2026", { type: "string", format: "date" }, "en-US", "2026-03-04"],
  ["4. März 1931", { type: "string", format: "date" }, "de", "1931-03-04"],
  ["4 March 2026", { type: "string", format: "date-time" }, "en", null],
  ["Auf Lager", { enum: ["in_stock", "sold_out"] }, "de", "in_stock"],
  ["not in stock", { enum: ["in stock", "gone"] }, "en", null],
  ["Ja", { type: "boolean" }, "de", true],
  ["abc", { type: "string", pattern: "^[A-Z]+$" }, "en", null],
  ["7", { anyOf: [{ type: "integer", minimum: 8 }, { type: "null" }] }, "en", null],
])("the text %p is for %j in %p: %j", (text, schema, lang, expected) => {
  const { value } = fields(`<html lang="${lang}"><h1>x</h1><dl><dt>Some value<dd>${text}</dl>`, { someValue: schema });
  expect(value).toEqual({ someValue: expected as null });
});

test("an object inside of another one is about another thing, and a name is not taken from the heading", () => {
  const html = `${ld({ "@type": "Article", headline: "News", author: { name: "Ann Lee" } })}<h1>News</h1><p>Ann Lee</p>`;
  const properties = {
    headline: { type: "string" },
    author: { type: "object", properties: { name: { type: "string" } } },
    sponsor: { type: "object", properties: { name: { type: "string" } } },
  };
  expect(fields(html, properties).value).toEqual({ headline: "News", author: { name: "Ann Lee" }, sponsor: null });
});
