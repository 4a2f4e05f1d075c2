import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const T = { type: "string" };
const N = { type: "number" };
const B = { type: "boolean" };
const U = { type: "string", format: "uri" };
const D = { type: "string", format: "date" };

/** A script whose things have their types and values. */
function ld(thing: object): string {
  return `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;
}

/** The value of each field with the kind of its place, whether it is not shown, and the value that contradicts it. */
function fieldsIn(body: string, properties: object): string {
  const tree = parseTree(`<html lang=en><body><main>${body}</main></body></html>`);
  const { value, sources } = fieldsOf(
    { tree, url: "https://shop.example/p/1" },
    planOf({ type: "object", properties }),
  );
  const all = Object.entries(Object(value)).map(([name, own]) => {
    const source = sources[`/${name}`];
    const place = source === undefined ? "" : ` ${source.from}${source.shown ? "" : " unseen"}`;
    const conflict = source?.conflict === undefined ? "" : ` not ${JSON.stringify(source.conflict)}`;
    return `${name}=${JSON.stringify(own)}${place}${conflict}`;
  });
  return all.join("; ");
}

test.each<[what: string, fields: object, html: string, values: string]>([
  [
    "a declared value that is shown",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "red" })}<h1>Oak</h1><p>red</p>`,
    'color="red" json-ld',
  ],
  [
    "a declared value that is not shown",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "red" })}<h1>Oak</h1>`,
    'color="red" json-ld unseen',
  ],
  [
    "a declared value with another one beside its label",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "red" })}<h1>Oak</h1><p>Color: blue</p>`,
    'color="blue" label not "red"',
  ],
  [
    "a declared value that is part of the shown one",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "red" })}<h1>Oak</h1><p>Color: dark red</p>`,
    'color="red" json-ld',
  ],
  [
    "a declared value of which the shown one is part",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "dark red" })}<h1>Oak</h1><p>Color: red</p>`,
    'color="dark red" json-ld',
  ],
  [
    "a declared value in other letters",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: "RED" })}<h1>Oak</h1><p>Color: red</p>`,
    'color="RED" json-ld',
  ],
  [
    "a declared description beside another one",
    { description: T },
    `${ld({ "@type": "Product", name: "Oak", description: "A shelf" })}<h1>Oak</h1><p>Description: A table</p>`,
    'description="A table" label not "A shelf"',
  ],
  [
    "the heading before the declared name",
    { name: T },
    `${ld({ "@type": "Product", name: "Oak shelf" })}<h1>Elm table of oak shelf wood</h1>`,
    'name="Oak shelf" json-ld',
  ],
  [
    "the declared name that is the heading",
    { name: T },
    `${ld({ "@type": "Product", name: "Oak" })}<h1>Oak</h1>`,
    'name="Oak" json-ld',
  ],
  [
    "the declared name of a page with several headings",
    { name: T },
    `${ld({ "@type": "Product", name: "Elm", sku: "A1" })}<h1>Shop</h1><h2>Elm</h2>`,
    'name="Elm" json-ld',
  ],
  [
    "a declared price that is shown",
    { price: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 5 } })}<h1>Oak</h1><p>$5</p>`,
    "price=5 json-ld",
  ],
  [
    "a declared price of nothing",
    { price: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 0 } })}<h1>Oak</h1>`,
    "price=null",
  ],
  [
    "a declared price on a page without prices",
    { price: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 5 } })}<h1>Oak</h1>`,
    "price=5 json-ld unseen",
  ],
  [
    "a declared price beside other prices",
    { price: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 5 } })}<h1>Oak</h1><p>$6</p><p>$7</p>`,
    "price=null",
  ],
  [
    "stock that the page does not state",
    { inStock: B },
    `${ld({ "@type": "Product", name: "Oak", offers: { availability: "InStock" } })}<h1>Oak</h1>`,
    "inStock=true json-ld unseen",
  ],
  [
    "stock that the page states",
    { inStock: B },
    `${ld({ "@type": "Product", name: "Oak", offers: { availability: "InStock" } })}<h1>Oak</h1><p>In stock</p>`,
    "inStock=true text",
  ],
  [
    "stock as a text",
    { availability: T },
    `${ld({ "@type": "Product", name: "Oak", offers: { availability: "InStock" } })}<h1>Oak</h1><p>Sold out</p>`,
    'availability="InStock" json-ld unseen',
  ],
  [
    "several declared values that differ",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: ["red", "blue"] })}<h1>Oak</h1>`,
    "color=null",
  ],
  [
    "several declared values of which one is shown",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: ["red", "blue"] })}<h1>Oak</h1><p>blue</p>`,
    'color="blue" json-ld',
  ],
  [
    "several equal declared values",
    { color: T },
    `${ld({ "@type": "Product", name: "Oak", color: ["red", "Red"] })}<h1>Oak</h1>`,
    'color="red" json-ld unseen',
  ],
  [
    "several authors",
    { author: T },
    `${ld({ "@type": "Article", headline: "Oak", author: [{ name: "Ann Lee" }, { name: "Bo Li" }, { name: "Ann Lee" }] })}<h1>Oak</h1>`,
    'author="Ann Lee, Bo Li" json-ld unseen',
  ],
  [
    "several pictures",
    { image: T },
    `${ld({ "@type": "Product", name: "Oak", image: ["/a.png", "/b.png"] })}<h1>Oak</h1>`,
    'image="https://shop.example/a.png" json-ld unseen',
  ],
  [
    "a currency that the name does not state",
    { price_eur: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 5, priceCurrency: "USD" } })}<h1>Oak</h1>`,
    "price_eur=null",
  ],
  [
    "a currency that the name states",
    { price_eur: N },
    `${ld({ "@type": "Product", name: "Oak", offers: { price: 5, priceCurrency: "EUR" } })}<h1>Oak</h1>`,
    "price_eur=5 json-ld unseen",
  ],
  [
    "a thing of another name",
    { color: T },
    `${ld({ "@type": "Product", name: "Elm", color: "red" })}<h1>Oak table</h1>`,
    "color=null",
  ],
  [
    "the name of a thing of another name",
    { name: T, color: T },
    `${ld({ "@type": "Product", name: "Elm", color: "red" })}<h1>Oak table</h1>`,
    'name="Oak table" heading not "Elm"; color=null',
  ],
  [
    "one of two equal things",
    { name: T, color: T },
    `${ld({ "@type": "Product", name: "Elm", color: "red" })}${ld({ "@type": "Product", name: "Oak", color: "blue" })}<p>x</p>`,
    "name=null; color=null",
  ],
  [
    "the thing with the name of the heading",
    { name: T, color: T },
    `${ld({ "@type": "Product", name: "Elm", color: "red" })}${ld({ "@type": "Product", name: "Oak", color: "blue" })}<h1>Oak</h1>`,
    'name="Oak" json-ld; color="blue" json-ld unseen',
  ],
  [
    "the thing with more members",
    { name: T, color: T },
    `${ld({ "@type": "Product", name: "Elm" })}${ld({ "@type": "Product", name: "Oak", color: "blue" })}<p>x</p>`,
    'name="Oak" json-ld unseen; color="blue" json-ld unseen',
  ],
  [
    "things of one name",
    { name: T, color: T, size: T },
    `${ld({ "@type": "Product", name: "Oak", color: "red" })}${ld({ "@type": "Product", name: "Oak", size: "L" })}<h1>Oak</h1>`,
    'name="Oak" json-ld; color="red" json-ld unseen; size="L" json-ld unseen',
  ],
  [
    "a thing of the site",
    { name: T, url: U },
    `${ld({ "@type": "Organization", name: "Quay", url: "https://q.example/" })}<h1>Oak</h1>`,
    'name="Oak" heading not "Quay"; url=null',
  ],
  ["a number with its own label", { seats: N }, "<h1>Oak</h1><p>Seats: 4</p>", "seats=4 label"],
  ["a number with several values", { seats: N }, "<h1>Oak</h1><p>Seats: 4</p><p>Seats: 5</p>", "seats=null"],
  ["a number with the same value twice", { seats: N }, "<h1>Oak</h1><p>Seats: 4</p><p>Seats: 4</p>", "seats=4 label"],
  ["a text beside its struck label", { size: T }, "<h1>Oak</h1><p><s>Size: L</s></p>", "size=null"],
  ["an old price", { old_price: N }, "<h1>Oak</h1><p><s>$9</s> $5</p>", "old_price=9 text"],
  ["a list as one value", { parts: T }, "<h1>Oak</h1><h2>Parts</h2><ul><li>a<li>b</ul>", "parts=null"],
  ["a list of one as a value", { parts: T }, "<h1>Oak</h1><h2>Parts</h2><ul><li>a</ul>", 'parts="a" label'],
  ["a class", { ranking: T }, "<h1>Oak</h1><p class=ranking>best</p>", 'ranking="best" class'],
  ["a class of several lines", { ranking: T }, "<h1>Oak</h1><div class=ranking><p>a</p><p>b</p></div>", "ranking=null"],
  [
    "a class of 120 characters",
    { ranking: T },
    "<h1>Oak</h1><p class=ranking>123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789x</p>",
    'ranking="123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789x" class',
  ],
  [
    "a class of 121 characters",
    { ranking: T },
    "<h1>Oak</h1><p class=ranking>123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789xx</p>",
    "ranking=null",
  ],
  ["a struck class", { ranking: T }, "<h1>Oak</h1><p><del class=ranking>best</del></p>", "ranking=null"],
  ["a class in a sidebar", { ranking: T }, "<h1>Oak</h1><aside><p class=ranking>best</p></aside>", "ranking=null"],
  ["an id", { ranking: T }, "<h1>Oak</h1><p id=ranking>best</p>", 'ranking="best" class'],
  ["an author by class", { author: T }, "<h1>Oak</h1><p class=author>Ann Lee</p>", 'author="Ann Lee" class'],
  ["a class of an author without a name", { author: T }, "<h1>Oak</h1><p class=author>by admin</p>", "author=null"],
  ["an author in a byline", { author: T }, "<h1>Oak</h1><p>By Ann Lee</p>", 'author="Ann Lee" text'],
  ["an author in a link", { author: T }, "<h1>Oak</h1><a rel=author href=/a>Ann Lee</a>", 'author="Ann Lee" link'],
  ["a rating in a line", { rating: N }, "<h1>Oak</h1><p>4.5 out of 5</p>", "rating=4.5 text"],
  ["a rating by class", { rating: N }, "<h1>Oak</h1><p class=rating>8</p>", "rating=8 class"],
  [
    "a date in a time",
    { published: D },
    "<h1>Oak</h1><p>On <time>4 March 2026</time></p>",
    'published="2026-03-04" text',
  ],
  [
    "a date in an attribute",
    { published: D },
    "<h1>Oak</h1><p>On <time datetime=2026-03-04>Wednesday</time></p>",
    'published="2026-03-04" text unseen',
  ],
  ["two dates", { published: D }, "<h1>Oak</h1><time>4 March 2026</time><time>5 March 2026</time>", "published=null"],
  ["a start date of a page", { startDate: D }, "<h1>Oak</h1><time>4 March 2026</time>", "startDate=null"],
  ["a phone", { phone: T }, "<h1>Oak</h1><a href=tel:+4912>Call +49 12</a>", 'phone="Call +49 12" link'],
  ["a mailbox", { email: T }, "<h1>Oak</h1><a href=mailto:a@b.example>a@b.example</a>", 'email="a@b.example" link'],
  ["a picture of a page", { image: T }, "<h1>Oak</h1><img src=/a.png>", "image=null"],
  ["an address of a page", { url: U }, "<h1>Oak</h1><a href=/a>a</a>", "url=null"],
  [
    "a link with the name of the field",
    { manual_url: U },
    "<h1>Oak</h1><a href=/m.pdf>Manual</a>",
    'manual_url="https://shop.example/m.pdf" link',
  ],
  [
    "two links with the name of the field",
    { manual_url: U },
    "<h1>Oak</h1><a href=/m.pdf>Manual</a><a href=/n.pdf>Manual</a>",
    "manual_url=null",
  ],
  [
    "a link that shows another host",
    { website: U },
    "<h1>Oak</h1><p>Website: <a href=https://a.example/>b.example</a></p>",
    "website=null",
  ],
  [
    "a link that shows its host",
    { website: U },
    "<h1>Oak</h1><p>Website: <a href=https://www.a.example/>a.example/x</a></p>",
    'website="https://www.a.example/" label',
  ],
  ["a heading that is the only one", { name: T }, "<h1>Oak</h1>", 'name="Oak" heading'],
  ["two headings", { name: T }, "<h1>Oak</h1><h1>Elm</h1>", "name=null"],
  [
    "two headings of which one is the title",
    { name: T },
    "<meta property=og:title content=Elm><h1>Oak</h1><h1>Elm</h1>",
    'name="Elm" heading',
  ],
  [
    "two headings of which one is the site",
    { name: T },
    "<meta property=og:site_name content=Oak><h1>Oak</h1><h1>Elm</h1>",
    'name="Elm" heading',
  ],
  ["a heading of level 2", { name: T }, "<h2>Oak</h2>", "name=null"],
  ["the title of the metadata", { name: T }, "<meta property=og:title content=Elm>", 'name="Elm" meta unseen'],
  ["a price below the heading", { price: N }, "<p>$4</p><h1>Oak</h1><p>$5</p>", "price=5 text"],
  ["two prices below the heading", { price: N }, "<h1>Oak</h1><p>$5</p><p>$6</p>", "price=null"],
  ["a price beside that of shipping", { price: N }, "<h1>Oak</h1><p>$5</p><p>Shipping $4</p>", "price=5 text"],
  ["a price in a line of shipping", { price: N }, "<h1>Oak</h1><div>Shipping <b>$4</b></div><p>$5</p>", "price=5 text"],
  ["the currency of several prices", { currency: T }, "<h1>Oak</h1><p>$5</p><p>$6</p>", 'currency="USD" text'],
  ["the currency of prices in several currencies", { currency: T }, "<h1>Oak</h1><p>$5</p><p>€6</p>", "currency=null"],
  [
    "the currency beside the label of the price",
    { currency: T },
    "<h1>Oak</h1><p>Price: $5</p><p>€6</p>",
    'currency="USD" label',
  ],
  [
    "the ends of a range",
    { minPrice: N, maxPrice: N },
    "<h1>Oak</h1><p>$5 – $9</p>",
    "minPrice=5 text; maxPrice=9 text",
  ],
  [
    "the ends of a range with many letters",
    { minPrice: N, maxPrice: N },
    "<h1>Oak</h1><p>between $5 and $9 for all</p>",
    "minPrice=null; maxPrice=null",
  ],
  ["the language of a page", { language: T }, "<h1>Oak</h1>", 'language="en" meta unseen'],
  ["the languages of a thing", { languages: T }, "<h1>Oak</h1>", "languages=null"],
  [
    "the canonical address",
    { url: U },
    "<link rel=canonical href=/c><meta property=og:url content=/o><h1>Oak</h1>",
    'url="https://shop.example/c" meta unseen',
  ],
  [
    "the address of the metadata",
    { url: U },
    "<meta property=og:url content=/o><h1>Oak</h1>",
    'url="https://shop.example/o" meta unseen',
  ],
  [
    "a price of the metadata",
    { price: N },
    "<meta property=product:price:amount content=5><h1>Oak</h1>",
    "price=5 meta unseen",
  ],
  [
    "a price of the metadata beside prices",
    { price: N },
    "<meta property=product:price:amount content=5><h1>Oak</h1><p>$6</p><p>$7</p>",
    "price=null",
  ],
  [
    "a price of the metadata that is shown",
    { price: N },
    "<meta property=product:price:amount content=5><h1>Oak</h1><p>$5</p><p>$7</p>",
    "price=5 meta",
  ],
  [
    "an address in the metadata of a text",
    { author: T },
    "<meta name=author content=https://x.example/><h1>Oak</h1>",
    "author=null",
  ],
  [
    "an author of the metadata",
    { author: T },
    '<meta name=author content="Ann Lee"><h1>Oak</h1>',
    'author="Ann Lee" meta unseen',
  ],
  ["stock in one line", { inStock: B }, "<h1>Oak</h1><p>In stock</p>", "inStock=true text"],
  ["stock in two lines", { inStock: B }, "<h1>Oak</h1><p>In stock</p><p>In stock</p>", "inStock=null"],
  ["stock and the opposite", { inStock: B }, "<h1>Oak</h1><p>In stock</p><p>Sold out</p>", "inStock=null"],
])("%s", (_what, properties, html, values) => {
  expect(fieldsIn(html, properties)).toBe(values);
});
