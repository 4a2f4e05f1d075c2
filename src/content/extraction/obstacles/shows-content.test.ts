import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { openRawTab, type RawTab } from "../../testing/raw-tab.ts";
import { isContent, SHOWS_CONTENT } from "./shows-content.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let tab: RawTab;
beforeAll(async () => {
  tab = await openRawTab();
});
afterAll(() => tab.close());

const TEXT = "Seven words of a long page here. ".repeat(40);

test.each<[string, string, boolean]>([
  ["shows many words", `<main><h1>Tides</h1><p>${TEXT}</main>`, true],
  ["shows few words", "<p>Checking that you are a person.", false],
  [
    "hides its words",
    `<div hidden>${TEXT}</div><p style="display: none">${TEXT}</p><noscript>${TEXT}</noscript>`,
    false,
  ],
  [
    "has only a consent dialog",
    `<div id="onetrust-banner-sdk"><p>We use cookies. ${TEXT}<button>Accept</button></div>`,
    false,
  ],
  ["has its words in scripts", `<p>Loading<script>const text = "${TEXT}"</script>`, false],
  ["has no text", "<img src=about:blank>", false],
])("a page that %s: %#", async (_what, html, isSo) => {
  await tab.show(`<!doctype html>${html}`);
  expect(await tab.run(SHOWS_CONTENT)).toBe(isSo);
});

test.each([
  ["https://site.test/", 200, true],
  ["https://site.test/", 399, true],
  ["https://site.test/", 400, false],
  ["https://site.test/", undefined, false],
  ["https://consent.site.test/collect", 200, false],
])("a page at %s with the status %p that shows many words is content: %p", (finalUrl, statusCode, isSo) => {
  const source = { engine: "browser", body: "", contentType: "text/html", headers: [], complete: true } as const;
  expect(isContent({ ...source, finalUrl, statusCode })).toBe(isSo);
});
