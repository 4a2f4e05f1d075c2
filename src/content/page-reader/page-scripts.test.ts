import { expect, test } from "bun:test";
import { type FetchedDocument } from "../page/page.ts";
import { pageRequestOf, visiting } from "../testing/visit.ts";
import { PageFiles } from "./page-files.ts";
import { scriptTexts } from "./page-scripts.ts";

test("scripts have the order of the page, followed by those that they load, whichever arrives first", async () => {
  const slow = Promise.withResolvers<void>();
  const fetch = async ({ request: { url } }: { readonly request: { readonly url: URL } }): Promise<FetchedDocument> => {
    if (url.pathname === "/own.js") await slow.promise;
    const code = url.pathname === "/loader.js" ? 'import "./part.js";' : "start();";
    if (url.pathname === "/part.js") slow.resolve();
    const body = Uint8Array.from(new TextEncoder().encode(code));
    return { url: url.href, statusCode: 200, headers: [], body, redirects: [], complete: true };
  };
  const scripts = ["/own.js", "/loader.js"].map((path) => ({ url: `https://site.test${path}`, isModule: true }));
  const texts = await visiting(pageRequestOf("https://site.test/"), (visit) =>
    scriptTexts(new PageFiles(fetch), visit, scripts),
  );
  expect(texts.map(({ url }) => new URL(url).pathname)).toEqual(["/own.js", "/loader.js", "/part.js"]);
});
