import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const NUMBER = { type: "number" };
const TEXT = { type: "string" };
const LIST = { type: "array", items: TEXT };
const page = (body: string, lang = "en"): string => `<html lang=${lang}><body><main>${body}</main></body></html>`;
const fields = (html: string, properties: object): unknown =>
  fieldsOf({ tree: parseTree(html), url: "https://shop.example/p/1" }, planOf({ type: "object", properties })).value;

test.each([
  ["width_cm", "Width: 84 cm", 84],
  ["width_cm", "Width: 0.84 m", 84],
  ["weight_g", "Weight: 35 lb / 15.9 kg", 15_900],
  ["depthM", "Depth: 143 m (469 ft)", 143],
  ["width_cm", 'Width: 16 "', null],
  ["width_cm", "Width: from $49", null],
  ["warranty_months", "Warranty: 2 years", 24],
  ["prepTimeMinutes", "Prep time: 1 h 5 min", 65],
  ["price_eur", "Price: €12.50", 12.5],
  ["price_eur", "Price: $12.50", null],
  ["salary_min", "Salary: $38,000 – $52,000", 38_000],
  ["maxSalary", "Salary: $38,000 – $52,000", 52_000],
  ["salary_min", "Salary: $38,000", null],
  ["salary_max", "Salary: £50–60k", 60_000],
  ["seats_min", "Seats: 4–7", 4],
  ["seats_max", "Seats: 4–7", 7],
  ["seats_min", "Minimum seats: 4", 4],
  ["min_seats", "Seats min: 4", 4],
  ["min_age", "Minimum age: 12", 12],
  ["players_max", "Minimum players: 2<br>Maximum players: 6", 6],
  ["temperature_max", "Max temperature: 32<br>Min temperature: 21", 32],
  ["seats_min", "Seats: 4", null],
  ["bedroom", "Bedrooms: 3", 3],
  ["followers", "1.2k followers", 1200],
  ["followers", "Followers: 3M", 3_000_000],
  ["price", "Price: £5k", 5000],
  ["bedrooms", "3 bedrooms", 3],
  ["bedrooms", "<span>3</span><span>Bedrooms</span>", 3],
  ["width_cm", "<b>Depth</b> 3 cm <b>Width</b> 4 cm", 4],
  ["width_cm", "<i>Depth</i> <i>3 cm</i><br><i>Width</i> <i>4 cm</i>", 4],
  ["width_cm", "<span class=label>Width</span> <span>4</span> <span>cm</span>", 4],
  ["width_cm", "<span>Width:</span> <span>4</span> <span>cm</span>", 4],
  ["comments", "38 comments", 38],
  ["review_count", "4.2 out of 5 (1,087 reviews)", 1_087],
  ["rating", "4.2 out of 5 (1,087 reviews)", 4.2],
  ["rating", "1,935 ratings", null],
  ["price", "₹1,24,999", 124_999],
  ["price", "€3.37/kg", null],
  ["price", "<b>€9</b><i>Shipping €4</i>", 9],
  ["price", "€9 <small>€8 without tax</small>", null],
  ["compareAtPrice", "<s>$128.00</s> $89.00", 128],
])("the number %s of %j is %j", (name, text, value) => {
  expect(fields(page(`<h1>Oak</h1><p>${text}</p>`), { [name]: NUMBER })).toEqual({ [name]: value });
});

test.each([
  ["category", TEXT, "<p>Categories: Garden tools</p>", "Garden tools"],
  ["category", LIST, "<p>Categories: <a href=/a>Garden</a>, <a href=/b>Tools</a></p>", ["Garden", "Tools"]],
  ["ingredient", LIST, "<h2>Ingredients</h2><ul><li>2 eggs<li>1 l milk</ul>", ["2 eggs", "1 l milk"]],
  ["language", TEXT, "<dl><dt>Languages<dd>English, French</dl>", "English, French"],
  ["dimension", TEXT, "<p>Dimensions: 10 x 20 x 30 cm</p>", "10 x 20 x 30 cm"],
])("the field %s has the value of a label in the plural", (name, type, body, value) => {
  expect(fields(page(`<h1>Oak</h1>${body}`), { [name]: type })).toEqual({ [name]: value });
});

test.each([
  ["preis", NUMBER, "<p>12,50 €</p>", 12.5],
  ["waehrung", TEXT, "<p>12,50 €</p>", "EUR"],
  ["titel", TEXT, "", "Regal"],
  ["rezept", TEXT, "", "Regal"],
  ["verfuegbar", { type: "boolean" }, "<p>Derzeit nicht lieferbar</p>", false],
  ["verfuegbar", { type: "boolean" }, "<p>Auch als Buch verfügbar</p>", null],
  ["verfuegbar", { type: "boolean" }, "<div><p><i></i>✓ <b>Sofort verfügbar</b></p></div>", true],
  ["verfuegbar", { type: "boolean" }, "<p>Nicht <b>verfügbar</b></p>", null],
  ["verfuegbar", { type: "boolean" }, "<p>Sofort verfügbar</p><p>Nicht lieferbar</p>", null],
  ["rent", { ...NUMBER, description: "Kaltmiete in EUR" }, "<p>Kaltmiete: 900 €</p>", 900],
  ["closing", { ...TEXT, format: "date" }, "<p>Closing date: 4. Mai 2026</p>", "2026-05-04"],
  ["released", { ...TEXT, format: "date" }, "<p>Released 4. Mai 2026 by us</p>", "2026-05-04"],
  ["number", TEXT, "<p>Number <strong>0912</strong></p>", "0912"],
  ["number", TEXT, "<p><strong>Number</strong> 0912</p>", "0912"],
  ["download_url", TEXT, "<a href=/x.zip>Download</a>", null],
  ["download_url", { ...TEXT, format: "uri" }, "<a href=/x.zip>Download</a>", "https://shop.example/x.zip"],
  ["repository", { ...TEXT, format: "uri" }, "<h3>Repository</h3><p>git.example/x</p>", null],
  ["seller", TEXT, "<p>Seller: <a href=/u>foto_marek</a> (99,8%)</p>", "foto_marek"],
  ["email", TEXT, "<a href='mailto:a@shop.example'>Write</a>", "a@shop.example"],
])("the field %s is found by other words than its name", (name, schema, body, value) => {
  expect(fields(page(`<h1>Regal</h1>${body}`, "de"), { [name]: schema })).toEqual({ [name]: value });
});

test("the address behind a link is not a value that a reader sees", () => {
  const tree = parseTree(page("<a href='mailto:a@shop.example'>Write</a>"));
  const plan = planOf({ type: "object", properties: { email: TEXT } });
  expect(fieldsOf({ tree, url: "https://shop.example/" }, plan).sources["/email"]).toMatchObject({ shown: false });
  expect(fieldsOf({ tree, url: "https://shop.example/", shownOnly: true }, plan).value).toEqual({ email: null });
});

const weighing = (weight: string): string =>
  `<script type="application/ld+json">${JSON.stringify({ "@type": "Product", name: "Oak", weight })}</script><h1>Oak</h1>`;

test("a number of a program is not read in the unit that the field names", () => {
  expect(fields(weighing("10.0"), { name: TEXT, weight_g: NUMBER })).toEqual({ name: "Oak", weight_g: null });
  expect(fields(weighing("1.2 kg"), { name: TEXT, weight_g: NUMBER })).toEqual({ name: "Oak", weight_g: 1200 });
});

test("the columns of a table are items if its first column has the headers", () => {
  const table =
    "<table><tr><th></th><th>Free</th><th>Team</th></tr><tr><th>Price</th><td>$0</td><td>$12</td></tr>" +
    "<tr><th>Seats</th><td>1</td><td>10</td></tr></table>";
  const item = { type: "object", properties: { name: TEXT, price: NUMBER, seats: { type: "integer" } } };
  const plans = [
    { name: "Free", price: 0, seats: 1 },
    { name: "Team", price: 12, seats: 10 },
  ];
  expect(fields(page(table), { plans: { type: "array", items: item } })).toEqual({ plans });
});

test("headings beside each other are not items, and the only object of a schema is the thing itself", () => {
  const item = { type: "object", properties: { name: TEXT, amount: TEXT } };
  const html = page("<h1>Soup</h1><h2>Ingredients for 4</h2><p>Salt</p><h2>Method</h2><p>Cook</p>");
  expect(fields(html, { parts: { type: "array", items: item } })).toEqual({ parts: null });
  expect(fields(html, { recipe: { type: "object", properties: { title: TEXT } } })).toEqual({
    recipe: { title: "Soup" },
  });
});

test("stock that the page shows otherwise than it declares it is left out", () => {
  const data = { "@type": "Product", name: "Oak", offers: { availability: "https://schema.org/InStock" } };
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script><h1>Oak</h1><p>Currently sold out</p>`;
  expect(fields(html, { name: TEXT, in_stock: { type: "boolean" } })).toEqual({ name: "Oak", in_stock: null });
});

test("addresses are resolved against the base of the page", () => {
  const head = "<head><base href=https://files.example/a/><meta property=og:url content=about></head>";
  const shelf = `<div itemscope itemtype=https://schema.org/Product><h1 itemprop=name>Shelf</h1><img itemprop=image src=x.png></div>`;
  const uri = { ...TEXT, format: "uri" };
  const body = `${shelf}<p>Manual: <a href=m.pdf>read</a></p>`;
  expect(fields(`<html>${head}<body><main>${body}</main>`, { image: uri, manual: uri, url: uri })).toEqual({
    image: "https://files.example/a/x.png",
    manual: "https://files.example/a/m.pdf",
    url: "https://files.example/a/about",
  });
});
