import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const WORDS = "A toll is paid once, at the gate, and the road behind it is open to the one who paid. ".repeat(4);
const PAGE = `<!doctype html><html><head><title>Tolls</title><base href="/roads/"><style>p { color: red }</style>
<script type="application/ld+json">{"price": 3}</script></head><body><h1>Toll <b>roads</b></h1>
<table><tr><th>Road</th><th>Toll</th></tr><tr><td>A1</td><td>3</td></tr><tr><td>A2</td><td>4</td></tr></table>
<p class="intro">First<br>line<script>var no = 1</script></p><pre>  two
    lines</pre><p>${WORDS}</p><a href="a1?x=1#top">A1</a> <a href="https://example.com/">Elsewhere</a> <a>No address</a>
<img src="road.png" alt=""><input type="CHECKBOX" checked><svg viewBox="0 0 1 1"></svg></body></html>`;

const SHOP = `<!doctype html><html lang="de"><title>Shop</title><h1>Ahorn Regal</h1><dl><dt>Preis<dd>1.249,50 €
<dt>Artikelnummer<dd>AX-7</dl><div style="display:none">Marke: Erfunden</div><p>${WORDS}</p></html>`;

/** A page of a template whose label no vocabulary has, and whose price has a class of its own. */
const room = (
  rooms: string,
  price: string,
) => `<!doctype html><html lang="de"><title>Wohnung</title><h1>Wohnung am See</h1>
<ul><li><i class="k">Gesamtzahl Räume:</i> <b>${rooms}</b></li></ul><div class="zz-sum">${price}</div><div>1.000 € Kaution</div><p>${WORDS}</p></html>`;

function pageAt({ pathname, searchParams }: URL): string {
  if (pathname === "/shop") return SHOP;
  if (pathname !== "/room") return PAGE;
  const html = room(searchParams.get("rooms") ?? "", searchParams.get("price") ?? "");
  return searchParams.has("moved") ? html.replace("zz-sum", "zz-total") : html;
}

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => new Response(pageAt(new URL(url)), { headers: { "content-type": "text/html" } }),
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.stop(true);
});

const SELECTORS = {
  title: "h1",
  tolls: "table > tbody > tr > td:nth-child(2)",
  row: "tr:nth-of-type(2)",
  none: ".nothing",
  intro: "p.intro",
  code: "pre",
  data: "script[type='application/ld+json']",
  links: "a@href",
  picture: "img@src",
  alt: "img@alt",
  box: "[type=checkbox]@type",
  view: "svg@viewBox",
  "a.b c": "title",
  __proto__: "h1 b",
};

const extract = (selectors: unknown, more: object = {}) =>
  // The JSON is a literal text, because __proto__ in an object literal would set the prototype.
  call(service, "/extract", `{"url":"${site.url.href}","selectors":${JSON.stringify(selectors)}${spread(more)}}`);

function spread(more: object): string {
  const inside = JSON.stringify(more).slice(1, -1);
  return inside === "" ? "" : `,${inside}`;
}

test.each(["static", "browser"] as const)("returns the matches of the selectors, by the %s engine", async (engine) => {
  const own = Object.fromEntries([...Object.entries(SELECTORS), ["__proto__", "h1 b"]]);
  const { status, json } = await extract(own, { engine });
  expect(status).toBe(200);
  const roads = `${site.url.href}roads/`;
  expect(JSON.stringify(json["data"])).toBe(
    JSON.stringify(
      Object.fromEntries([
        ["title", "Toll roads"],
        ["tolls", ["3", "4"]],
        ["row", "A1\t3"],
        ["none", null],
        ["intro", "First\nline"],
        ["code", "two\n    lines"],
        ["data", '{"price": 3}'],
        ["links", [`${roads}a1?x=1#top`, "https://example.com/"]],
        ["picture", `${roads}road.png`],
        ["alt", ""],
        ["box", "CHECKBOX"],
        ["view", "0 0 1 1"],
        ["a.b c", "Tolls"],
        ["__proto__", "roads"],
      ]),
    ),
  );
  expect(json["metadata"]).toMatchObject({ title: "Tolls", engine, status: 200, truncated: false });
});

test("uses a browser for selectors that only a browser matches, and reports them if the request forbids it", async () => {
  const selectors = { cell: "tr:has(td) td:first-child", on: "input:checked@type" };
  const { json } = await extract(selectors);
  expect(json["data"]).toEqual({ cell: ["A1", "A2"], on: "CHECKBOX" });
  expect(json["metadata"]).toMatchObject({ engine: "browser" });
  const refused = await extract(selectors, { engine: "static" });
  expect(refused.json).toMatchObject({
    status: 400,
    errors: [{ path: "engine", message: "must be auto or browser with selectors.cell" }],
  });
});

test.each([
  ["p[[", {}],
  [":nonsense", {}],
  ["a:has(", { engine: "browser" }],
  ["a@", {}],
  ["", {}],
])("responds with 400 and the name if %p is not a selector", async (selector, more) => {
  const { json } = await extract({ good: "h1", bad: selector }, more);
  expect(json).toMatchObject({ status: 400, errors: [{ path: "selectors.bad", message: "is not a CSS selector" }] });
});

test.each<[string, unknown]>([
  ["selectors must be of type object", ["h1"]],
  ["selectors must be of type object", "h1"],
  ["selectors must have at least 1 name", {}],
  ["selectors must have at most 100 names", Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, "p"]))],
  ["selectors.a must be of type string", { a: 1 }],
  ["selectors.a must be at most 2000 characters", { a: "p".repeat(2001) }],
  [`selectors.${"n".repeat(90)} must have a name of at most 100 characters`, { ["n".repeat(101)]: "p" }],
])("%s", async (message, selectors) => {
  const { json } = await extract(selectors);
  // The API's description defines the type of an error's list.
  const [first] = json["errors"] as { path: string; message: string }[];
  expect([json["status"], `${first?.path} ${first?.message}`]).toEqual([400, message]);
});

test("selectors or a schema are required", async () => {
  const { json } = await call(service, "/extract", { url: site.url.href });
  expect(json["errors"]).toEqual([{ path: "", message: 'requires "selectors", or "schema", or "extractor"' }]);
});

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    price: { type: "number" },
    sku: { type: "string" },
    brand: { type: "string" },
  },
  required: ["name", "price"],
};

test("a schema gets the fields of a page with their places, and null for those that no reader sees", async () => {
  const url = `${site.url.href}shop`;
  const { status, json } = await call(service, "/extract", { url, schema: SCHEMA });
  expect([status, json["data"]]).toEqual([200, { name: "Ahorn Regal", price: 1249.5, sku: "AX-7", brand: null }]);
  expect(json["sources"]).toMatchObject({
    "/price": {
      from: "definition-list",
      quote: "1.249,50 €",
      shown: true,
      selector: "html > body > dl > dd:nth-of-type(1)",
    },
  });
  expect(json["missing"]).toEqual([{ path: "/brand", reason: "the page has no value for it" }]);
});

test("a page without a required field is a free error that names the field", async () => {
  const { status, json } = await call(service, "/extract", { url: site.url.href, schema: SCHEMA });
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:fields-missing"]);
  expect(json["errors"]).toEqual([{ path: "price", message: "is required, and the page has no value for it" }]);
});

test("several pages have a result each, and the call is charged for those that have the required fields", async () => {
  const urls = [site.url.href, `${site.url.href}shop`];
  const { status, json, headers } = await call(service, "/extract", { urls, schema: SCHEMA });
  expect([status, json["url"]]).toEqual([200, urls[1]]);
  expect(json["results"]).toMatchObject([
    { error_type: "urn:turnpike:error:fields-missing" },
    { data: { price: 1249.5 } },
  ]);
  expect(headers.get("settlement-overrides")).toContain("50%");
});

test.each<[string, object]>([
  ["schema.properties.a.not has no meaning for fields of a page", { type: "object", properties: { a: { not: {} } } }],
  ["schema must describe an object: a list is one of its properties", { type: "array", items: { type: "string" } }],
  ["schema must have properties, because fields are found by their names", { type: "object" }],
  ['schema.type must be "array", "boolean", "integer"', { type: "thing", properties: { a: {} } }],
])("%s", async (message, schema) => {
  const { json } = await call(service, "/extract", { url: site.url.href, schema });
  // The API's description defines the type of an error's list.
  const [first] = json["errors"] as { path: string; message: string }[];
  expect(json["status"]).toBe(400);
  expect(`${first?.path} ${first?.message}`).toStartWith(message);
});

const roomAt = (rooms: number, price: string, more = "") =>
  `${site.url.href}room?rooms=${rooms}&price=${encodeURIComponent(price)}${more}`;

test("an extractor is learned from confirmed pages, finds the fields of others, and reports fields that have moved", async () => {
  const schema = { type: "object", properties: { units: { type: "integer" }, total: { type: "number" } } };
  const urls = [roomAt(3, "950,50 €"), roomAt(4, "1.250,00 €")];
  const confirmed = [
    { units: 3, total: 950.5 },
    { units: 4, total: 1250 },
  ];
  const learned = await call(service, "/extract", { urls, schema, learn: true, confirmed });
  expect(learned.json["extractor"]).toMatchObject({
    rules: { "/units": { label: "gesamtzahl raume" }, "/total": { selector: ".zz-sum" } },
  });
  const { id } = learned.json["extractor"] as { id: string };
  const found = await call(service, "/extract", { url: roomAt(7, "2.100,00 €"), extractor: id });
  expect(found.json["data"]).toEqual({ units: 7, total: 2100 });
  expect(found.json["drift"]).toEqual([]);
  expect(found.json["sources"]).toMatchObject({ "/total": { from: "selector", quote: "2.100,00 €" } });
  const moved = await call(service, "/extract", { url: roomAt(7, "2.100,00 €", "&moved"), extractor: id });
  expect([moved.json["data"], moved.json["drift"]]).toEqual([{ units: 7, total: null }, ["/total"]]);
});

test.each<[string, object]>([
  [' requires "urls" with "learn": true', { url: site.url.href, schema: SCHEMA, learn: true }],
  [' requires "learn" with "confirmed"', { url: site.url.href, schema: SCHEMA, confirmed: [{}] }],
  ['extractor is not allowed with "schema"', { url: site.url.href, schema: SCHEMA, extractor: "x" }],
])("%s", async (message, body) => {
  const { json } = await call(service, "/extract", body);
  // The API's description defines the type of an error's list.
  const [first] = json["errors"] as { path: string; message: string }[];
  expect([json["status"], `${first?.path} ${first?.message}`]).toEqual([400, message]);
});

test("an extractor that does not exist is not found", async () => {
  expect((await call(service, "/extract", { url: site.url.href, extractor: "x" })).status).toBe(404);
});
