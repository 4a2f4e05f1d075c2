import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const PLAN = planOf({ type: "object", properties: { sku: { type: "string" } } });

/** The value that a page with these style sheets shows, and whether it is known to be shown. */
function skuWith(css: string, html = "<p class=a id=b>SKU: A1</p><i class=x></i>"): unknown {
  const tree = parseTree(`<style>${css}</style><h1>Oak shelf</h1>${html}`);
  const { value, sources } = fieldsOf({ tree, url: "https://shop.example/p" }, PLAN);
  return [Reflect.get(Object(value), "sku"), sources["/sku"]?.shown];
}

const HIDDEN = [null, undefined];
const SHOWN = ["A1", true];

test.each([
  [1, 0, SHOWN],
  [0, 1, HIDDEN],
])("an own important opacity of %d prevails over an animation to %d", (own, end, expected) => {
  const css = `@keyframes k{to{opacity:${end}}} p{animation:k 1s both}`;
  expect(skuWith(css, `<p style="opacity:${own}!important">SKU: A1</p>`)).toEqual(expected);
});

test.each([
  ["a later rule", "p{display:none} p{display:block}", "p{display:block} p{display:none}"],
  ["a class", ".a{display:block} p{display:none}", ".a{display:none} p{display:block}"],
  ["an id", "#b{display:block} .a.a.a{display:none}", "#b{display:none} .a.a.a{display:block}"],
  [
    "an important declaration",
    "p{display:block!important} #b{display:none}",
    "p{display:none!important} #b{display:block}",
  ],
  [
    "a rule outside of layers",
    "p{display:block} @layer l{#b{display:none}}",
    "p{display:none} @layer l{#b{display:block}}",
  ],
  [
    "a later layer",
    "@layer k,l; @layer l{p{display:block}} @layer k{p{display:none}}",
    "@layer k,l; @layer l{p{display:none}} @layer k{p{display:block}}",
  ],
  ["the part that matches", ".z,p{display:block}", ".z,p{display:none}"],
  ["the state of a page at first", "p:hover{display:none}", "p:not(:hover){display:none}"],
  [
    "a custom property beside a rule for other elements",
    ":root{--d:block} .y{--d:none} p{display:var(--d)}",
    ":root{--d:none} .y{--d:block} p{display:var(--d)}",
  ],
  ["a custom property", ":root{--d:block} p{display:var(--d)}", ":root{--d:none} p{display:var(--d)}"],
  [
    "a rule that may apply, if it hides",
    "p{display:none} @media (hover:hover){p{display:block}} p{display:block}",
    "p{display:block} @media (hover:hover){p{display:none}}",
  ],
  [
    "the end of an animation",
    "@keyframes k{to{opacity:1}} p{animation:k 1s both}",
    "@keyframes k{to{opacity:0}} p{animation:k 1s both}",
  ],
  [
    "a cover",
    "p{position:relative} p::before{position:absolute;inset:0;background:none}",
    "p{position:relative} p::before{position:absolute;inset:0;background:#fff}",
  ],
  ["a first line", "p::first-line{color:#111}", "p::first-line{color:#fff}"],
])("%s decides whether a text is shown", (_what, showing, hiding) => {
  expect([skuWith(showing), skuWith(hiding)]).toEqual([SHOWN, HIDDEN]);
});

const own = (style: string) => `<p style="${style}">SKU: A1</p>`;

test("the attribute of an element is above rules, except for important ones", () => {
  expect(skuWith("p{display:none}", own("display:block"))).toEqual(SHOWN);
  expect(skuWith("p{display:none!important}", own("display:block"))).toEqual(HIDDEN);
  expect(skuWith("p{display:none!important}", own("display:block!important"))).toEqual(SHOWN);
});

const rules = (count: number) => ".x{left:0}".repeat(count);

test("6,000 rules are read, and no value is known to be shown if there are more", () => {
  expect(skuWith(`${rules(5_999)}.a{display:none}`)).toEqual(HIDDEN);
  expect(skuWith(`${rules(5_999)}.a{display:block}`)).toEqual(SHOWN);
  expect(skuWith(`${rules(6_001)}.a{display:none}`)).toEqual(["A1", false]);
});
