import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { call } from "../../src/content/testing/client.ts";
import { type ContentService } from "../../src/content/service.ts";
import { startLocalService } from "../../src/content/testing/service.ts";
import { createStateFolder } from "../../src/content/testing/state-folder.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Many pages in a browser on a busy machine.
setDefaultTimeout(patient(120_000));

const AT_ONCE = 4;
/** At most one page in this number may miss words, and may use the browser without need at the first visit. */
const MISSES = 40;
const NEEDLESS = 10;
/** 5 of 359 pages do. On a busy machine, scripts may come too late at the first visit, so that more pages are compared at the second. */
const NEEDLESS_AGAIN = 30;
/** Half of these pages were written so that their scripts seem to change words. At the first visit, one of two may use the browser. */
const TRAPS = /^\/[ot]\//;
const NEEDLESS_TRAPS = 2;

interface Page {
  readonly changes: boolean;
  readonly added: string;
}

interface Read {
  readonly path: string;
  readonly page: Page;
  /** For the second visit, which has no browser: whether it needs one. */
  readonly engine: string;
  readonly missing: readonly string[];
}

// A program of this project wrote the file.
const { pages, files } = JSON.parse(
  brotliDecompressSync(readFileSync(new URL("strangers/pages.json.br", import.meta.url))).toString(),
) as { pages: Record<string, Page>; files: Record<string, string> };

const DATA: ReadonlyMap<string, readonly [body: string, afterMs: number]> = new Map([
  ["/data/items", [JSON.stringify(["A notice that came late", "Another late notice"]), 80]],
  [
    "/data/rows",
    [
      JSON.stringify([
        ["Granary pier", "08:15"],
        ["Mill pier", "08:40"],
      ]),
      150,
    ],
  ],
  ["/data/price", [JSON.stringify({ price: "3.40 crowns" }), 40]],
  ["/data/frag", ["<p>A part that came from the server.</p>", 60]],
  ["/data/turboframe", ['<turbo-frame id="notes"><p>A part that came from the server.</p></turbo-frame>', 60]],
]);

const TYPES: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript"],
  [".mjs", "text/javascript"],
  [".json", "application/json"],
  [".css", "text/css"],
]);

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const data = DATA.get(pathname);
    if (data !== undefined) {
      await Bun.sleep(data[1]);
      const type = data[0].startsWith("<") ? "text/html" : "application/json";
      return new Response(data[0], { headers: { "content-type": type } });
    }
    const file = files[pathname];
    if (file === undefined) return new Response("", { status: 404 });
    const type = TYPES.get(/\.\w+$/.exec(pathname)?.[0] ?? "") ?? "text/html; charset=utf-8";
    return new Response(file, { headers: { "content-type": type } });
  },
});
const state = createStateFolder();
let first: readonly Read[] = [];
let second: readonly Read[] = [];

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** No browser listens there. A page that needs one fails at once, in place of 150 ms of CPU time. */
const NO_BROWSER = {
  endpoint: new URL("ws://127.0.0.1:1/"),
  maxPages: 1,
  proxyAddress: "",
  allowedAddresses: [],
  ca: undefined,
};

async function read(service: ContentService, path: string, page: Page): Promise<Read> {
  const url = new URL(path, site.url).href;
  const { json } = await call(service, "/scrape", { url, format: "text", timeout: 60 });
  if (json["type"] === "urn:turnpike:error:browser-unavailable") return { path, page, engine: "browser", missing: [] };
  // Metadata of the response; a problem document has no metadata.
  const { engine = "none" } = (json["metadata"] ?? {}) as { readonly engine?: string };
  const shown = new Set(wordsOf(String(json["content"])));
  return { path, page, engine, missing: wordsOf(page.added).filter((word) => !shown.has(word)) };
}

async function readAll(service: ContentService): Promise<readonly Read[]> {
  const waiting = Object.entries(pages);
  const all: Read[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) all.push(await read(service, ...next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return all;
}

async function readBy(options: Parameters<typeof startLocalService>[1]): Promise<readonly Read[]> {
  const service = await startLocalService(state.path, options);
  const all = await readAll(service);
  await service.close();
  return all;
}

beforeAll(async () => {
  first = await readBy({});
  // The engine of the second visit depends only on what the first left in the state folder; a browser would show the same words.
  second = await readBy({ remoteBrowser: NO_BROWSER });
}, patient(300_000));

afterAll(async () => {
  state.remove();
  await site.stop(true);
});

test.each([
  ["first", "returns the words of the pages", () => first],
  ["second", "uses a browser for the pages whose words need one", () => second],
] as const)("at the %s visit, auto %s", (_visit, _does, reads) => {
  const changed = reads().filter(({ page }) => page.changes);
  const missed = changed.filter(({ engine, missing }) => engine !== "browser" || missing.length > 0);
  console.log(`${missed.length} of ${changed.length} miss words: ${missed.map(({ path }) => path).join(" ")}`);
  expect(missed.length * MISSES).toBeLessThanOrEqual(changed.length);
});

test.each([
  ["few pages", "first", () => first.filter(({ path }) => !TRAPS.test(path)), NEEDLESS],
  [
    "half of the pages whose scripts seem to change words",
    "first",
    () => first.filter(({ path }) => TRAPS.test(path)),
    NEEDLESS_TRAPS,
  ],
  ["few pages", "second", () => second, NEEDLESS_AGAIN],
] as const)("%s use a browser without need at the %s visit", (_which, _visit, reads, needless) => {
  const others = reads().filter(({ page }) => !page.changes);
  const inBrowser = others.filter(({ engine }) => engine === "browser");
  console.log(
    `${inBrowser.length} of ${others.length} need no browser: ${inBrowser.map(({ path }) => path).join(" ")}`,
  );
  expect(inBrowser.length * needless).toBeLessThanOrEqual(others.length);
});
