import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { planOf } from "../extraction/schema-fields/field-plan.ts";
import { fieldsOf } from "../extraction/schema-fields/fields-of.ts";
import { parseTree } from "../extraction/tree/tree.ts";
import { Deadline } from "../page/deadline.ts";
import { type PageSource, withoutSight } from "../page/page.ts";
import { hostileHtml, HOSTILE_PAGES } from "../testing/hostile-pages.ts";
import { openRawTab, type RawTab } from "../testing/raw-tab.ts";
import { pageOf } from "./page-scripts.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let tab: RawTab;
beforeAll(async () => {
  tab = await openRawTab();
});
afterAll(() => tab.close());

async function measured(html: string): Promise<PageSource> {
  await tab.show(html);
  return await pageOf({
    call: (method, params) => tab.call(method, params),
    frame: () => tab.frameId,
    deadline: new Deadline(patient(30_000), undefined),
    shown: () => undefined,
    received: () => Promise.resolve(false),
  }).snapshot({ measures: true });
}

const PLAN = planOf({ type: "object", properties: { warranty: { type: "string" }, brand: { type: "string" } } });

/** The fields of a page as a browser shows it. */
async function fieldsIn(html: string): Promise<Record<string, unknown>> {
  const { body, sight } = await measured(html);
  expect(sight?.mark).toStartWith("data-");
  const { value, unread } = fieldsOf({ tree: parseTree(String(body)), url: "https://shop.example/", sight }, PLAN);
  expect(unread).toBeUndefined();
  return value as Record<string, unknown>; // The root of the plan is an object.
}

// A page of the tab has no address to which the paths of style sheets could be relative. Of pages that the static engine judges too, a
// fifth is enough here.
const PAGES = HOSTILE_PAGES.filter(({ sheets }) => sheets === undefined).filter(
  ({ isSeen, only }, at) => isSeen === true || only !== undefined || at % 5 === 0,
);

test.each(PAGES)("a browser measures: $name", async (page) => {
  const { brand, warranty } = await fieldsIn(hostileHtml(page));
  expect([brand, String(warranty).includes("99")]).toEqual(["Nordlys", page.isSeen === true]);
});

const row = (value: string): string => `<dl><dt>Brand<dd>Nordlys</dl><dl><dt>Warranty<dd>${value}</dl>`;

test.each([
  [
    "selects another option",
    `${row("<select id=s><option>1 year<option>2 years</select>")}<script>s.selectedIndex = 1</script>`,
    "2 years",
  ],
  [
    "shows text that its document hides",
    `<style>.x{opacity:0}</style><div class=x>${row("2 years")}</div><script>document.querySelector(".x").style.opacity = 1</script>`,
    "2 years",
  ],
  [
    "has text over a picture of another colour",
    `<div style="position:relative"><canvas width=400 height=100 style="position:absolute;background:#000"></canvas><div style="position:relative;color:#fff">${row("2 years")}</div></div>`,
    "2 years",
  ],
  [
    "has text with a gradient",
    `<div style="background:linear-gradient(red,blue);background-clip:text;color:transparent">${row("2 years")}</div>`,
    "2 years",
  ],
  [
    "scrolls in a box",
    `<div style="height:60px;width:300px;overflow:auto"><p style="height:400px">Lamp</p>${row("2 years")}</div>`,
    "2 years",
  ],
  [
    "has a banner with a button over the window",
    `${row("2 years")}<div style="position:fixed;inset:0;background:#fff"><button>Accept</button></div>`,
    "2 years",
  ],
  [
    "has text of a hidden element with a seen one inside",
    `<p><b>Brand:</b> Nordlys</p><p style="visibility:hidden"><b style="visibility:visible">Warranty:</b> 99 years</p>`,
    null,
  ],
])("a page that %s", async (_what, html, warranty) => {
  expect(await fieldsIn(`<!doctype html><h1>Lamp</h1>${html}`)).toEqual({ brand: "Nordlys", warranty });
});

test("the marks have a name that no page knows, and none of them stays", async () => {
  const source = await measured("<p>Words<p style='opacity:0'>No words");
  const { mark = "" } = source.sight ?? {};
  expect(source.body).toContain(`<p style="opacity:0" ${mark}="">`);
  expect(await tab.run(`document.documentElement.outerHTML.includes("${mark}")`)).toBe(false);
  expect(withoutSight(source).body).toBe(String(source.body).replace(` ${mark}=""`, ""));
  expect((await measured("<p>Words")).sight?.mark).not.toBe(mark);
});
