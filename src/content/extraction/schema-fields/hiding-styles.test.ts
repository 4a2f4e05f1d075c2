import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const PLAN = planOf({ type: "object", properties: { sku: { type: "string" } } });

/** The value that a page shows whose sentence has this style. */
function skuIn(style: string): unknown {
  const tree = parseTree(`<style>p{${style}}</style><h1>Oak shelf</h1><p>SKU: A1</p>`);
  return fieldsOf({ tree, url: "https://shop.example/p" }, PLAN).value;
}

/** Styles that hide a sentence, each with the nearest style that does not. */
test.each([
  ["display:none", "display:block"],
  ["display:var(--unknown)", "display:inline"],
  ["visibility:hidden", "visibility:visible"],
  ["visibility:collapse", "visibility:inherit"],
  ["content-visibility:hidden", "content-visibility:auto"],
  ["opacity:0.04", "opacity:0.05"],
  ["opacity:4%", "opacity:5%"],
  ["filter:opacity(4%)", "filter:opacity(5%)"],
  ["filter:blur(4px)", "filter:blur(3px)"],
  ["font-size:1px", "font-size:2px"],
  ["font-size:9%", "font-size:12.5%"],
  ["font-size:0", "font-size:3em"],
  ["font:1px serif", "font:2px serif"],
  ["scale:0.09", "scale:0.1"],
  ["zoom:0.09", "zoom:0.1"],
  ["rotate:y 90deg", "rotate:y 45deg"],
  ["transform:scale(0.09)", "transform:scale(0.1)"],
  ["transform:translateX(-100%)", "transform:translateX(-99%)"],
  ["transform:translateX(-1000px)", "transform:translateX(-999px)"],
  ["translate:1000px", "translate:999px"],
  ["unicode-bidi:bidi-override", "unicode-bidi:embed"],
  ["text-security:disc", "text-security:none"],
  ["letter-spacing:-6px", "letter-spacing:-5px"],
  ["contain:strict", "contain:content"],
  ["contain:size;overflow:clip", "contain:size;overflow:auto"],
  ["contain:size;overflow:hidden", "contain:size"],
  ["contain:size;overflow:hidden", "contain:layout;overflow:hidden"],
  ["mix-blend-mode:screen", "mix-blend-mode:multiply"],
  ["mask:url(a.svg)", "mask:none"],
  ["mask:linear-gradient(transparent,transparent)", "mask:linear-gradient(#000,transparent)"],
  ["text-decoration:line-through 6px", "text-decoration:line-through 5px"],
  ["-webkit-text-stroke:6px", "-webkit-text-stroke:5px"],
  ["backface-visibility:hidden;transform:rotateY(180deg)", "transform:rotateY(180deg)"],
  ["backface-visibility:hidden;transform:rotateY(180deg)", "backface-visibility:hidden"],
  ["clip-path:inset(50%)", "clip-path:inset(49%)"],
  ["clip-path:inset(40% 0 60%)", "clip-path:inset(40% 0 59%)"],
  ["clip-path:inset(0 60% 0 40%)", "clip-path:inset(0 59% 0 40%)"],
  ["clip-path:inset(0 0 100% 0)", "clip-path:inset(0 0 10% 10%)"],
  ["clip-path:circle(0)", "clip-path:circle(9px)"],
  ["clip-path:shape(from 0 0)", "clip-path:none"],
  ["clip-path:polygon(0 0,9px 9px,0 0)", "clip-path:polygon(0 0,9px 9px,9px 0)"],
  ["clip:rect(1px,1px,1px,1px)", "clip:rect(0,99px,99px,0)"],
  ["text-indent:-500px", "text-indent:-499px"],
  ["margin-left:-500px", "margin-left:-499px"],
  ["margin-top:-32em", "margin-top:-31em"],
  ["margin:0 0 -500px", "margin:0 0 -499px"],
  ["margin-left:-50%", "margin-left:-49%"],
  ["offset-path:path('M0 0')", "offset-path:none"],
  ["position:absolute;left:-500px", "position:absolute;left:-499px"],
  ["position:absolute;left:-500px", "position:static;left:-500px"],
  ["position:absolute;bottom:-500px", "bottom:-500px"],
  ["position:relative;inset:auto auto auto -500px", "position:relative;inset:auto auto auto -499px"],
  ["position:absolute;left:2400px", "position:absolute;left:2399px"],
  ["position:absolute;top:50000px", "position:absolute;top:49999px"],
  ["position:fixed;left:100%", "position:fixed;left:99%"],
  ["position:fixed;bottom:100vh", "position:absolute;bottom:100vh"],
  ["overflow:hidden;width:1px", "overflow:hidden;width:1.5px"],
  ["overflow:hidden;height:0", "height:0"],
  ["overflow:hidden;height:1%", "overflow:hidden;height:10%"],
  ["overflow:auto;max-width:1px", "overflow:auto;max-width:1.1em"],
  ["overflow:auto;max-height:min(0px,9em)", "overflow:auto;max-height:min(1.1px,9em)"],
  ["overflow:hidden;line-height:0", "overflow:scroll;line-height:0"],
  ["overflow:hidden;text-indent:100%", "overflow:auto;text-indent:100%"],
])("%s hides a sentence, and %s does not", (hiding, showing) => {
  expect([skuIn(hiding), skuIn(showing)]).toEqual([{ sku: null }, { sku: "A1" }]);
});

/** The same below a grid with these rows. */
function skuInRows(rows: string): unknown {
  const grid = `<div style="display:grid;grid-template-rows:${rows}"><p style="overflow:clip">SKU: A1</p></div>`;
  return fieldsOf({ tree: parseTree(`<h1>Oak shelf</h1>${grid}`), url: "https://shop.example/p" }, PLAN).value;
}

test.each([
  ["0fr", "1fr"],
  ["0fr 0", "0fr auto"],
  ["repeat(2, 0px)", "repeat(2, 9px)"],
  ["[a] 0% [b]", "[a] 5% [b]"],
  ["minmax(0, 0fr)", "none"],
])("rows of %s hide a child that clips its content, and rows of %s do not", (flat, high) => {
  expect([skuInRows(flat), skuInRows(high)]).toEqual([{ sku: null }, { sku: "A1" }]);
});
