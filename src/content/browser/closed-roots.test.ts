import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { openRawTab, type RawTab } from "../testing/raw-tab.ts";
import { type CdpFields } from "./program/cdp.ts";
import { CLOSED_ROOTS, findClosedRoots } from "./closed-roots.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let tab: RawTab;
beforeAll(async () => {
  tab = await openRawTab();
});
afterAll(() => tab.close());

/** A script that adds a shadow tree to an element of the page, and returns the tree. */
const ATTACH = `const attach = (at, html, mode = "closed") => {
  const root = at.attachShadow({ mode });
  root.innerHTML = html;
  return root;
};`;

/** The number of elements that the browser was asked about. */
function described(calls: readonly string[]): number {
  return calls.filter((method) => method === "DOM.describeNode").length;
}

interface Found {
  readonly texts: readonly string[];
  /** The called methods of the protocol. */
  readonly calls: readonly string[];
}

/** The texts of the closed trees that are found in a document, and the calls. */
async function found(html: string, times = 1): Promise<Found> {
  await tab.show(html);
  const world = await tab.world();
  const calls: string[] = [];
  const call = (method: string, params: CdpFields) => {
    calls.push(method);
    return tab.call(method, params);
  };
  for (let time = 0; time < times; time += 1) await findClosedRoots({ call, world });
  const expression = `JSON.stringify((globalThis.${CLOSED_ROOTS} ?? []).map((root) => root.textContent))`;
  const response = await tab.call("Runtime.evaluate", { expression, contextId: world, returnByValue: true });
  // The expression returns a list of texts as JSON.
  const texts = JSON.parse(String((response["result"] as CdpFields)["value"])) as string[];
  return { texts: texts.toSorted(), calls };
}

test.each<[what: string, html: string, texts: readonly string[]]>([
  [
    "a custom element",
    `<x-a></x-a><script>${ATTACH} customElements.define("x-a", class extends HTMLElement {
    constructor() { super(); attach(this, "<p>own</p>"); } });</script>`,
    ["own"],
  ],
  ["an empty box that has a size", `<div id=a></div><script>${ATTACH} attach(a, "<p>drawn</p>")</script>`, ["drawn"]],
  ["a declared tree", `<section><template shadowrootmode=closed><p>declared</p></template></section>`, ["declared"]],
  [
    "trees within trees",
    `<div id=a></div><script>${ATTACH}
    const inner = attach(a, "<p>outer</p><div></div>").querySelector("div");
    attach(attach(inner, "<p>middle</p><div></div>", "open").querySelector("div"), "<p>innermost</p>");
  </script>`,
    ["innermost", "outer"],
  ],
])("the closed tree of %s is found", async (_what, html, texts) => {
  expect((await found(html)).texts).toEqual(texts);
});

test.each<[what: string, html: string]>([
  ["an open tree", `<div id=a></div><script>${ATTACH} attach(a, "<p>open</p>", "open")</script>`],
  ["a box with its own children", `<div id=a>light</div><script>${ATTACH} attach(a, "<p>x</p>")</script>`],
  ["a box that has no size", `<div id=a hidden></div><script>${ATTACH} attach(a, "<p>x</p>")</script>`],
  ["a custom element without a definition", `<x-b>words</x-b>`],
])("%s is not found", async (_what, html) => {
  expect((await found(html)).texts).toEqual([]);
});

test("the browser is asked about an element only once, and a tree is kept once", async () => {
  const html = `<div id=a></div><div style="height: 20px"></div><script>${ATTACH} attach(a, "<p>one</p>")</script>`;
  const once = await found(html);
  const thrice = await found(html, 3);
  expect([once.texts, thrice.texts]).toEqual([["one"], ["one"]]);
  expect([described(once.calls), described(thrice.calls)]).toEqual([2, 2]);
});

test("on a page of many boxes, the browser is asked about a hundred of them for each level", async () => {
  const { texts, calls } = await found(`<body><script>${ATTACH}
    for (let at = 0; at < 450; at += 1) attach(document.body.appendChild(document.createElement("div")), "<p>" + at + "</p>");
  </script>`);
  expect(texts.length).toBe(400);
  expect(described(calls)).toBe(400);
});
