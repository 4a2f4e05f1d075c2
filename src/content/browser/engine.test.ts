import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TurnpikeError } from "../../lib/errors.ts";
import { DownloadError } from "../page/page-errors.ts";
import { type FetchedDocument, type FetchedResponse, MARK, type PageRequest, type PageSource } from "../page/page.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { openPage, pageRequestOf, visiting } from "../testing/visit.ts";
import { BrowserPool } from "./pool.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
const hits: string[] = [];
const HTML = "text/html";
let pool: BrowserPool;
let browserPath = "";

type PageHandler = string | (() => Response | Promise<Response>);
const NEVER = new Promise<Response>(() => undefined);

const PAGES: Readonly<Record<string, PageHandler>> = {
  "/pictures": `<p id=log></p><link rel=stylesheet href="/font.css"><img src="/a.png" onload="log.textContent += 'load '" onerror="log.textContent += 'error '">
    <video src="/a.mp4" preload=auto></video><p style="font-family: Own">x</p>
    <script>document.fonts.ready.then(() => { log.textContent += 'fonts '; });</script>`,
  "/font.css": () =>
    new Response("@font-face { font-family: Own; src: url(/own.woff2) }", {
      headers: { "content-type": "text/css" },
    }),
  "/json": () => new Response('{"a":"<b>"}', { headers: { "content-type": "application/json; charset=utf-8" } }),
  "/plain": () => new Response("\none <two>\r\nthree", { headers: { "content-type": "text/plain" } }),
  "/feed": () =>
    new Response('<?xml version="1.0"?><things><title>a &amp; b</title></things>', {
      headers: { "content-type": "application/xml" },
    }),
  "/image": () => new Response("not even a picture", { headers: { "content-type": "image/png" } }),
  "/pdf": () => new Response("%PDF-1.4", { headers: { "content-type": "application/pdf" } }),
  "/xhtml": () =>
    new Response(
      `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title><script src="/none.js"></script></head><body><p>one<br/>two</p><div/></body></html>`,
      { headers: { "content-type": "application/xhtml+xml" } },
    ),
  "/shadow": `<x-a>light</x-a><script>
    const outer = document.querySelector("x-a").attachShadow({ mode: "open" });
    outer.innerHTML = "<p>outer</p><slot></slot><x-b></x-b>";
    outer.querySelector("x-b").attachShadow({ mode: "open" }).innerHTML = "<p>inner</p>";
  </script>`,
  "/marks": `<ul><li class=a>1<li class="a b" ${MARK}="9">2<li ${MARK}="0">3</ul>`,
  "/late-fetches": `<script>
    const get = (n) => fetch("/slow?" + n).then(() => { document.body.append("got" + n + " "); if (n < 3) setTimeout(() => get(n + 1), 200); });
    onload = () => setTimeout(() => get(1), 200);
  </script>`,
  "/slow": async () => {
    await Bun.sleep(150);
    return new Response("x");
  },
  "/frame-fetches": `<body><iframe src="/late-fetches?frame"></iframe><iframe></iframe><iframe src="/no-content"></iframe>
    <script>addEventListener("message", (event) => document.body.append(event.data))</script>`,
  "/foreign-frame": () => {
    const page = `<iframe src="http://127.0.0.7:${server.port}/late-fetches?frame"></iframe>`;
    return new Response(page, { headers: { "content-type": HTML } });
  },
  // The text keeps the visit from waiting for content, which would hide a missing wait for requests.
  "/worker-fetches": `<p>text<script>new Worker(URL.createObjectURL(new Blob(["const get = (n) => fetch('" + location.origin + "/slow?' + n).then(() => { if (n < 3) setTimeout(() => get(n + 1), 200); }); setTimeout(() => get(1), 200)"])))</script>`,
  "/awaited-script": `<p>text<script async src="/slow?1"></script><script async src="/slow?2"></script><script async src="/slow?3"></script>`,
  "/streams": `<p>text<script>new EventSource("/never"); new WebSocket(location.origin.replace("http", "ws") + "/never")</script>`,
  "/no-content": () => new Response(null, { status: 204 }),
  "/hangs": `<p>there</p><script src="/never.js"></script><p>not there</p>`,
  "/spins": `<p>there</p><script>while (true);</script>`,
  "/never.js": () => NEVER,
  "/never": () => NEVER,
  "/greedy-requests": `<script>setInterval(() => { for (let n = 0; n < 20; n += 1) new Image().src = "/p" + Math.random(); }, 20)</script><script src="/never.js"></script>`,
  "/cookie": () => new Response("unused"),
};

const server = Bun.serve({
  // All addresses of loopback, each of which is a site of its own.
  hostname: "0.0.0.0",
  port: 0,
  async fetch(request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    hits.push(pathname + search);
    const response = PAGES[pathname] ?? `<p>${pathname} ${request.headers.get("cookie") ?? ""}</p>`;
    if (typeof response === "string")
      return new Response(`<!doctype html>${response}`, { headers: { "content-type": HTML } });
    return await response();
  },
});
const base = `http://127.0.0.1:${server.port}`;

beforeAll(async () => {
  const started = await BrowserPool.start({ stateDir: state.path, log: () => undefined });
  pool = started.pool;
  browserPath = started.browser.path;
});

afterAll(async () => {
  await pool.close();
  await server.stop(true);
  state.remove();
});

function snapshot(path: string, more: Partial<PageRequest> = {}, mark?: Record<string, string>): Promise<PageSource> {
  return openPage(pool, pageRequestOf(base + path, more), (page) => page.snapshot({ mark }));
}

function given(path: string, more: Partial<FetchedDocument> & { readonly text?: string }): FetchedDocument {
  const { text = "", ...rest } = more;
  const response = responseOf(path, 200, [["Content-Type", HTML]], text);
  return { ...response, redirects: [], complete: true, ...rest };
}

function responseOf(path: string, statusCode: number, headers: FetchedResponse["headers"], text = ""): FetchedResponse {
  return { url: base + path, statusCode, headers, body: Uint8Array.from(Buffer.from(text)) };
}

function take(path: string, fetched: FetchedDocument, more: Partial<PageRequest> = {}): Promise<PageSource> {
  return visiting(pageRequestOf(base + path, more), (visit) =>
    pool.visit({ ...visit, fetched }, (page) => page.snapshot()),
  );
}

describe("a document that was already fetched", () => {
  test("is not requested again, and has its status, fields and URL", async () => {
    const script = "<p><script>document.body.append(document.referrer + '|' + location.href)</script>";
    const fetched = given("/fetched?a", {
      statusCode: 404,
      headers: [
        ["Content-Type", "text/html; charset=x"],
        ["X-Own", "1"],
      ],
      text: script,
    });
    const source = await take("/fetched?a#part", fetched);
    expect(source.body).toContain(`|${base}/fetched?a#part</body>`);
    expect(source).toMatchObject({
      statusCode: 404,
      contentType: "text/html; charset=x",
      finalUrl: `${base}/fetched?a#part`,
      complete: true,
    });
    expect(source.headers).toContainEqual(["X-Own", "1"]);
    expect(hits.filter((path) => path.startsWith("/fetched"))).toEqual([]);
  });

  test("comes after its redirects, whose cookies are kept", async () => {
    const redirects = [
      responseOf("/go-1", 302, [
        ["Location", "/go-2"],
        ["Set-Cookie", "one=1; Path=/"],
      ]),
      responseOf("/go-2", 307, [
        ["Location", `${base}/end`],
        ["Set-Cookie", "two=2; Path=/; HttpOnly"],
      ]),
    ];
    const text = `<script>fetch("/sees-cookies").then((r) => r.text()).then((t) => document.body.insertAdjacentHTML("beforeend", "<p id=done>" + t))</script>`;
    const headers = [
      ["Content-Type", HTML],
      ["Set-Cookie", "three=3"],
    ] as const;
    const source = await take("/go-1", given("/end", { redirects, text, headers }), { selector: "#done" });
    expect(source.finalUrl).toBe(`${base}/end`);
    expect(source.body).toContain("/sees-cookies one=1; two=2; three=3");
    expect(hits.filter((path) => path.startsWith("/go-") || path === "/end")).toEqual([]);
  });

  test("keeps its own character encoding", async () => {
    const body = new Uint8Array([...Buffer.from("<p>gr"), 0xfc, ...Buffer.from("n")]);
    const latin = given("/latin", { headers: [["Content-Type", "text/html; charset=iso-8859-1"]], body });
    expect((await take("/latin", latin)).body).toContain("grün");
    const named = given("/named", { body: new Uint8Array([...Buffer.from("<meta charset=windows-1252><p>gr"), 0xfc]) });
    expect((await take("/named", named)).body).toContain("grü");
    expect((await take("/unnamed", given("/unnamed", { text: "<p>grün" }))).body).toContain("grün");
  });

  test("is requested when the page loads itself again", async () => {
    const text = `<script>if (!sessionStorage.again) { sessionStorage.again = 1; location.reload(); }</script>first`;
    const source = await take("/again", given("/again", { text }));
    expect(source.body).toContain("/again");
    expect(hits.filter((path) => path === "/again")).toHaveLength(1);
    expect(source.headers).toEqual([]);
  });

  test("is supplied to a page with pictures as well, which are loaded then", async () => {
    const source = await take("/shown", given("/shown", { text: '<img src="/shown.png">' }), { pictures: true });
    expect(source.body).toContain("shown.png");
    expect(hits.filter((path) => path.startsWith("/shown"))).toEqual(["/shown.png"]);
  });
});

describe("pictures, media and fonts", () => {
  test("are not loaded if the result is text, and the page continues as if they were", async () => {
    const { body } = await snapshot("/pictures", { waitUntil: "networkidle0" });
    expect(/id="log">([^<]*)/.exec(String(body))?.[1]?.trim().split(" ").toSorted()).toEqual(["fonts", "load"]);
    expect(hits.filter((path) => /png|mp4|woff/.test(path))).toEqual(["/shown.png"]);
  });

  test("are loaded if they are wanted", async () => {
    await snapshot("/pictures", { pictures: true, waitUntil: "networkidle0" });
    for (const path of ["/a.png", "/a.mp4", "/own.woff2"]) expect(hits).toContain(path);
  });
});

describe("a document that is not HTML", () => {
  test.each([
    ["/json", "application/json", '{"a":"<b>"}'],
    ["/plain", "text/plain", "\none <two>\nthree"],
  ])("%s is returned as received", async (path, contentType, body) => {
    expect(await snapshot(path)).toMatchObject({ contentType, body, statusCode: 200 });
  });

  test("an XML document is returned as XML", async () => {
    const { contentType, body } = await snapshot("/feed");
    expect(contentType).toBe("application/xml");
    expect(body).toContain("<things><title>a &amp; b</title></things>");
  });

  test("XHTML is returned as HTML", async () => {
    const { contentType, body } = await snapshot("/xhtml");
    expect(contentType).toBe("application/xhtml+xml");
    expect(body).toContain(`<script src="/none.js"></script></head><body><p>one<br>two</p><div></div></body></html>`);
    expect(body).toStartWith(`<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head>`);
  });

  test.each(["/image", "/pdf"])("%s is left to the static engine", async (path) => {
    expect(await snapshot(path).catch((error: unknown) => error)).toBeInstanceOf(DownloadError);
  });
});

test("open shadow roots are in the snapshot, each in its host", async () => {
  const { body } = await snapshot("/shadow");
  expect(body).toContain(
    '<x-a><template shadowrootmode="open"><p>outer</p><slot></slot><x-b><template shadowrootmode="open"><p>inner</p></template></x-b></template>light</x-a>',
  );
});

describe("marks", () => {
  test("are only on elements that match the selectors, and no attribute of the page counts as a mark", async () => {
    const mark = { all: "li", 2: ".b", none: "b" };
    const { body } = await snapshot("/marks", {}, mark);
    expect(Object.keys(mark)).toEqual(["2", "all", "none"]);
    expect(body).toContain(
      `<li class="a" ${MARK}="1">1</li><li class="a b" ${MARK}="0 1">2</li><li ${MARK}="1">3</li>`,
    );
    expect((await snapshot("/marks")).body).not.toContain(`${MARK}="0 1"`);
  });

  test("of invalid selectors name them", async () => {
    const failure = await snapshot("/marks", {}, { good: "li", bad: "li[[", worse: "::" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: "invalid-parameters",
      errors: [
        { path: "selectors.bad", message: "is not a CSS selector" },
        { path: "selectors.worse", message: "is not a CSS selector" },
      ],
    });
  });
});

describe("networkidle0", () => {
  test("waits for fetches that begin before the page was quiet for half a second", async () => {
    expect((await snapshot("/late-fetches", { waitUntil: "networkidle0" })).body).toContain("got1 got2 got3");
    expect((await snapshot("/late-fetches")).body).not.toContain("got3 ");
  });

  test("waits for those of frames in the page too, and not for frames without a document", async () => {
    const before = hits.filter((path) => path.startsWith("/slow")).length;
    await snapshot("/frame-fetches", { waitUntil: "networkidle0" });
    expect(hits.filter((path) => path.startsWith("/slow"))).toHaveLength(before + 3);
  });
});

describe.each([
  ["one process for the frames of a page", []],
  ["a process for each site", ["--site-per-process"]],
])("networkidle0 with %s", (_what, flags) => {
  let own: BrowserPool;
  beforeAll(async () => {
    const program = join(state.path, `own-browser${flags.length}`);
    const folder = dirname(browserPath);
    const script = `LD_LIBRARY_PATH=${folder}/lib exec ${browserPath} ${flags.join(" ")} "$@"`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    ({ pool: own } = await BrowserPool.start({ stateDir: state.path, browserPath: program, log: () => undefined }));
  });
  afterAll(() => own.close());

  test.each([
    ["a frame of another site, after its load event", "/foreign-frame", false],
    ["a worker", "/worker-fetches", false],
    ["a worker of a page in disguise", "/worker-fetches", true],
    ["a script that the load event waits for", "/awaited-script", false],
  ])("waits for the requests of %s", async (_whose, path, stealth) => {
    const request = pageRequestOf(base + path, { waitUntil: "networkidle0", stealth, timeoutMs: 60_000 });
    const before = hits.filter((hit) => hit.startsWith("/slow")).length;
    const loaded = await openPage(own, request, (page) => page.evaluate("document.readyState"));
    expect(loaded).toBe("complete");
    expect(hits.filter((hit) => hit.startsWith("/slow")).length - before).toBe(3);
  });

  test("does not wait for WebSockets and event streams, which have no end", async () => {
    const request = pageRequestOf(`${base}/streams`, { waitUntil: "networkidle0", timeoutMs: 60_000 });
    expect(await openPage(own, request, (page) => page.evaluate("document.readyState"))).toBe("complete");
  });
});

/** The part that has loaded at a timeout, which is longer each time that there was no document yet: a machine may be busy. */
async function partOf(path: string, more: Partial<PageRequest> = {}): Promise<PageSource> {
  for (let timeoutMs = 700; ; timeoutMs *= 2) {
    try {
      return await snapshot(path, { ...more, timeoutMs, partial: true });
    } catch (error) {
      if (timeoutMs > patient(10_000)) throw error;
    }
  }
}

describe("the part that has loaded at the timeout", () => {
  test("is returned if the caller accepts it", async () => {
    const source = await partOf("/hangs");
    expect(source.complete).toBe(false);
    expect(source.body).toContain("there");
    expect(source.body).not.toContain("not there");
  });

  test("is returned if an element never comes", async () => {
    const source = await partOf("/json-like", { selector: "#never" });
    expect(source).toMatchObject({ complete: false, finalUrl: `${base}/json-like` });
  });

  test.each([
    ["the caller does not accept it", "/hangs", false],
    ["there is no document", "/never", true],
    ["the page cannot be read", "/spins", true],
  ])("is an error if %s", async (_why, path, partial) => {
    const failure = await snapshot(path, { timeoutMs: 700, partial }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "page-timeout" });
  });
});

test.each([
  ["a frame is drawn", "new Promise((done) => requestAnimationFrame(() => done('yes')))"],
  [
    "an element comes into view",
    "new Promise((done) => new IntersectionObserver(() => done('yes')).observe(document.body))",
  ],
  [
    "a lazy picture comes into view",
    "new Promise((done) => { const i = new Image(); i.loading = 'lazy'; i.onload = () => done('yes'); i.src = '/x.png'; document.body.append(i); })",
  ],
  ["an animation ends", "document.body.animate([{ opacity: 0 }, { opacity: 1 }], 50).finished.then(() => 'yes')"],
])("a script receives that %s, although the page is not visible", async (_what, script) => {
  expect(await openPage(pool, pageRequestOf(`${base}/drawn`), (page) => page.evaluate(script))).toBe("yes");
});

test("a page that requests pictures without end is an error", async () => {
  const failure = await snapshot("/greedy-requests", { timeoutMs: 60_000 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TurnpikeError);
  expect(String(failure)).toContain("requests");
});
