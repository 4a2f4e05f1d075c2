import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const fields = (html: string, properties: object, more: object = {}) =>
  fieldsOf({ tree: parseTree(html), url: "https://shop.example/p/1", ...more }, planOf({ type: "object", properties }));

test.each([
  ["characters", `i{content:"${"x".repeat(500_000)}"}`],
  ["rules", "i{color:red}".repeat(3_001)],
  ["comparisons", Array.from({ length: 700 }, () => "div>i{color:red}").join("")],
])(
  "a page with too many %s of style sheets has no value that is known to be shown",
  (_what, css) => {
    const html = `<style>${css} .a{display:none}</style><div>${"<i></i>".repeat(2_200)}</div><p class=a>SKU: BAD</p>`;
    const { sources } = fields(html, { sku: { type: "string" } });
    expect(sources["/sku"]?.shown).not.toBe(true);
    expect(fields(html, { sku: { type: "string" } }, { shownOnly: true }).value).toEqual({ sku: null });
  },
  60_000,
);

test("comments and strings of a style sheet that never end are read once", () => {
  for (const css of ["/*".repeat(240_000), String.raw`\"`.repeat(240_000), "'".repeat(480_000), "a{".repeat(240_000)]) {
    expect(fields(`<style>${css}</style><p>SKU: A1</p>`, { sku: { type: "string" } }).value).toEqual({ sku: "A1" });
  }
});
