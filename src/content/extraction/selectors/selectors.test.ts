/** Compares the matcher with Chromium's: both must find the same matches and reject the same selectors. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { BrowserPool } from "../../browser/pool.ts";
import { ANYWHERE } from "../../egress/guard.ts";
import { createStateFolder } from "../../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../../testing/visit.ts";
import { parseTree } from "../tree/tree.ts";
import { parseSelector } from "./parse-selector.ts";
import { DocumentElements, elementsOf } from "./select-all.ts";
import { DOCUMENTS, SELECTORS } from "./testing/cases.ts";
import { patient } from "../../../lib/testing/patience.ts";

// A browser on a busy machine can be slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
let pool: BrowserPool;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      new Response(DOCUMENTS[Number(new URL(request.url).pathname.slice(1))] ?? "", {
        headers: { "content-type": "text/html; charset=utf-8" },
      }),
  });
  ({ pool } = await BrowserPool.start({ stateDir: state.path, log: () => undefined }));
});

afterAll(async () => {
  await pool.close();
  await site.stop(true);
  state.remove();
});

/** For each selector, the indexes of its matches in document order. Null for an invalid selector. */
async function inChromium(document: number): Promise<(readonly number[] | null)[]> {
  const script = `(() => {
    const places = new Map([...document.querySelectorAll("*")].map((element, place) => [element, place]));
    return ${JSON.stringify(SELECTORS)}.map((selector) => {
      try { return [...document.querySelectorAll(selector)].map((element) => places.get(element)); }
      catch { return null; }
    });
  })()`;
  const request = pageRequestOf(`${site.url.href}${document}`);
  const response = await openPage(pool, request, (page) => page.evaluate(script), { policy: ANYWHERE });
  // The script above returns this type.
  return JSON.parse(response) as (readonly number[] | null)[];
}

test.each(DOCUMENTS.map((_, document) => document))(
  "document %d: the matcher finds Chromium's matches, and rejects only selectors that Chromium rejects",
  async (document) => {
    const tree = parseTree(DOCUMENTS[document] ?? "");
    const places = new Map([...elementsOf(tree)].map((element, place) => [element, place]));
    const elements = new DocumentElements(tree);
    const theirs = await inChromium(document);
    const wrong: unknown[] = [];
    for (const [at, selector] of SELECTORS.entries()) {
      const parsed = parseSelector(selector);
      if (parsed === "unknown") continue;
      const ours = parsed === "invalid" ? null : elements.matching(parsed).map((element) => places.get(element));
      if (JSON.stringify(ours) !== JSON.stringify(theirs[at])) wrong.push({ selector, ours, theirs: theirs[at] });
    }
    expect(wrong).toEqual([]);
  },
);

test("most real selectors need no browser", () => {
  const unknown = SELECTORS.filter((selector) => parseSelector(selector) === "unknown");
  expect(SELECTORS.length).toBeGreaterThan(250);
  expect(unknown.length / SELECTORS.length).toBeLessThan(0.35);
});

test("hostile documents and selectors are matched in linear time", () => {
  const deep = parseTree(`${"<div class=a>".repeat(500)}<p>`);
  const wide = parseTree(`<ul>${"<li class=a>".repeat(50_000)}</ul>`);
  for (const [tree, selector, count] of [
    [deep, `${".a ".repeat(40)}.b ${".a ".repeat(40)}p`, 0],
    [wide, "li:nth-child(odd):nth-last-of-type(even)", 25_000],
    [wide, `${"li + ".repeat(30)}li`, 49_970],
  ] as const) {
    const list = parseSelector(selector);
    if (typeof list === "string") throw new Error(`Cannot test with "${selector}"`);
    expect(new DocumentElements(tree).matching(list)).toHaveLength(count);
  }
});
