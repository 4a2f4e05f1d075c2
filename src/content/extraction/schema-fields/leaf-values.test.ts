import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

/** The fields of a product whose structured data has this value for `maker`. */
function fieldsFor(maker: object, schema: object): unknown {
  const data = JSON.stringify({ "@type": "Product", name: "Oak", maker });
  const html = `<h1>Oak</h1><script type="application/ld+json">${data}</script>`;
  const plan = planOf({ type: "object", properties: { maker: schema } });
  return fieldsOf({ tree: parseTree(html), url: "https://shop.example/p/1" }, plan).value;
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const ADDRESS = { type: "string", format: "uri" };

test.each<[string, object, object, string | number | null]>([
  ["its name", { name: "N", value: "V", text: "T", url: "https://a.test/" }, TEXT, "N"],
  ["its value", { url: "https://a.test/", text: "T", value: "V" }, TEXT, "V"],
  ["its text", { ratingValue: 4, text: "T" }, TEXT, "T"],
  ["its address, without another text", { url: "https://a.test/" }, TEXT, "https://a.test/"],
  ["its value, if its name is a thing", { name: { "@type": "X", name: "N" }, value: "V" }, TEXT, "V"],
  ["nothing, without any of them", { slogan: "S" }, TEXT, null],
  ["its rating as a number", { price: 5, ratingValue: 4 }, NUMBER, 4],
  ["its price as a number", { price: 5 }, NUMBER, 5],
  [
    "its address as an address",
    { name: "N", "@id": "https://c.test/", contentUrl: "https://b.test/", url: "https://a.test/" },
    ADDRESS,
    "https://a.test/",
  ],
  [
    "the address of its content",
    { "@id": "https://c.test/", contentUrl: "https://b.test/" },
    ADDRESS,
    "https://b.test/",
  ],
  ["its identifier as an address", { name: "N", "@id": "https://c.test/" }, ADDRESS, "https://c.test/"],
  ["no address, without one", { name: "N" }, ADDRESS, null],
])("the value of a thing is %s", (_what, maker, schema, value) => {
  expect(fieldsFor(maker, schema)).toEqual({ maker: value });
});
