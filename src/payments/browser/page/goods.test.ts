/** Tests how the page shows the goods, in a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Page } from "puppeteer-core";
import { patient } from "../../../lib/testing/patience.ts";
import { startBrowser, type TestBrowser } from "../../../../test/support/browser.ts";
import { Seller } from "./testing/seller.ts";

setDefaultTimeout(patient(20_000));

const seller = new Seller();
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.browser.newPage();
  await page.goto(`${seller.url}/shop/`);
});

afterAll(async () => {
  await browser.close();
  await seller.close();
});

/** The elements of a response that is an expression of the page, with `blob:` for URLs of its own. */
async function shownOf(response: string): Promise<string> {
  const elements = await page.evaluate(`(async () => {
    const { showBody } = await import("/modules/show.js");
    const into = document.createElement("div");
    await showBody(await ${response}, into);
    return into.innerHTML;
  })()`);
  return String(elements).replaceAll(/blob:[^"]+/g, "blob:");
}

/** The elements of a response with this body. */
async function shown(body: string, headers: Record<string, string>, path = "/goods"): Promise<string> {
  seller.respond = () => new Response(body, { headers });
  return await shownOf(`fetch(${JSON.stringify(path)})`);
}

const saved = (name: string, bytes: number): string =>
  `<p><a href="blob:" download="${name}">Save ${name} (${bytes} bytes)</a></p>`;
const text = (code: string): string => `<pre tabindex="0"><code>${code}</code></pre>`;
const IMAGE = `<img src="blob:" alt="The response">`;

test.each<[type: string, body: string, html: string]>([
  ["image/png", "x", IMAGE + saved("goods.png", 1)],
  ["image/svg+xml", "x", IMAGE + saved("goods.svg", 1)],
  [" IMAGE/PNG ; a=b", "x", IMAGE + saved("goods.png", 1)],
  ["image/tiff", "x", saved("goods.tiff", 1)],
  ["application/pdf", "x", saved("goods.pdf", 1)],
  ["application/json-seq", "[1]", saved("goods.json-seq", 3)],
  ["text/plain", "<b>é", text("&lt;b&gt;é") + saved("goods.plain", 5)],
  ["application/atom+xml", "<a>", text("&lt;a&gt;") + saved("goods.atom", 3)],
  ["application/json", '{"a":1}', text('{\n  "a": 1\n}') + saved("goods.json", 7)],
  ["application/problem+json", "[]", text("[]") + saved("goods.problem", 2)],
  ["application/json", "{a", text("{a") + saved("goods.json", 2)],
  ["text/markdown", "# A", "<article><h3>A</h3></article>" + saved("goods.markdown", 3)],
  [
    "text/html",
    `<p id="a">`,
    `<iframe sandbox="" title="The response, without its scripts and styles" srcdoc="<p id=&quot;a&quot;>"></iframe>` +
      saved("goods.html", 10),
  ],
])("a response of the type %s", async (type, body, html) => {
  expect((await shown(body, { "content-type": type })).replaceAll(/&lt;p(.*?)&gt;/g, "<p$1>")).toBe(html);
});

test("of a long text 200,000 characters are shown, and all can be saved", async () => {
  const whole = await shown("x".repeat(200_000), { "content-type": "text/plain" });
  expect(whole).toBe(text("x".repeat(200_000)) + saved("goods.plain", 200_000));
  const cut = await shown("x".repeat(200_001), { "content-type": "text/plain" });
  const note = "<p>The first 200000 characters of 200001.</p>";
  expect(cut).toBe(text("x".repeat(200_000)) + note + saved("goods.plain", 200_001));
});

test.each<[what: string, path: string, disposition: string, name: string]>([
  ["the seller's name", "/goods", 'attachment; filename="a b/é.csv"', "a_b_.csv"],
  ["the seller's name without quotes", "/goods", "attachment; FILENAME=a-b.csv; x=y", "a-b.csv"],
  ["a name without an extension", "/goods", "attachment; filename=a", "a.pdf"],
  ["a name whose ending is too long for an extension", "/a.abcdef", "inline", "a.abcdef.pdf"],
  ["a name with a long extension", "/a.abcde", "inline", "a.abcde"],
  ["a long name", "/goods", `attachment; filename=${"n".repeat(90)}`, `${"n".repeat(80)}.pdf`],
  ["the last part of the path", "/a/b/", "inline", "b.pdf"],
  ["no name", "/", "inline", "response.pdf"],
])("the file is called by %s", async (_what, path, disposition, name) => {
  const headers = { "content-type": "application/pdf", "content-disposition": disposition };
  expect(await shown("x", headers, path)).toBe(saved(name, 1));
});

test("a response without a type and a URL is called by the page's URL", async () => {
  expect(await shownOf("new Response(new Uint8Array(2))")).toBe(saved("shop.bin", 2));
  expect(await shownOf('new Response("x", { headers: { "content-type": "application" } })')).toBe(saved("shop.bin", 1));
});

test.each<[markdown: string, html: string]>([
  ["a\nb", "<p>a b</p>"],
  ["a\n\nb", "<p>a</p><p>b</p>"],
  ["a\n  \n b ", "<p>a</p><p>b</p>"],
  ["# a", "<h3>a</h3>"],
  ["#### a", "<h6>a</h6>"],
  ["###### a", "<h6>a</h6>"],
  ["####### a", "<p>####### a</p>"],
  ["#a", "<p>#a</p>"],
  ["a\n# b\nc", "<p>a</p><h3>b</h3><p>c</p>"],
  ["- a\n* b\n+ c", "<ul><li>a</li><li>b</li><li>c</li></ul>"],
  ["1. a\n123456789) b", "<ul><li>a</li><li>b</li></ul>"],
  ["1234567890. a", "<p>1234567890. a</p>"],
  ["- a\n\n- b", "<ul><li>a</li></ul><ul><li>b</li></ul>"],
  ["- a\nb\n\n- c", "<ul><li>a</li></ul><p>b</p><ul><li>c</li></ul>"],
  ["- a\nb\n- c", "<ul><li>a</li></ul><p>b - c</p>"],
  ["- a\n# b\n- c", "<ul><li>a</li></ul><h3>b</h3><ul><li>c</li></ul>"],
  ["> a\n>b", "<p>a b</p>"],
  ["```js\n# a\n\n- b\n```\nc", "<pre><code># a\n\n- b</code></pre><p>c</p>"],
  ["a\n~~~\nb", "<p>a</p><pre><code>b</code></pre>"],
  ["- a\n```\n```\n- b", "<ul><li>a</li></ul><pre><code></code></pre><ul><li>b</li></ul>"],
  ["a `<b>` **c**d", "<p>a <code>&lt;b&gt;</code> <strong>c</strong>d</p>"],
  [
    '[a](https://b.example/ "c") d',
    '<p><a href="https://b.example/" rel="noreferrer noopener" target="_blank">a</a> d</p>',
  ],
  [
    "![](HTTP://b.example/)",
    '<p><a href="HTTP://b.example/" rel="noreferrer noopener" target="_blank">HTTP://b.example/</a></p>',
  ],
  ["[a](javascript:b) [c](/d) [](e)", "<p>a c e</p>"],
  ["<script>a</script>", "<p>&lt;script&gt;a&lt;/script&gt;</p>"],
  ["", ""],
])("the Markdown %j", async (markdown, html) => {
  const elements = await page.evaluate(`import("/modules/markdown.js").then(({ markdown }) => {
    const shown = document.createElement("div");
    shown.append(markdown(${JSON.stringify(markdown)}));
    return shown.innerHTML;
  })`);
  expect(elements).toBe(html);
});
