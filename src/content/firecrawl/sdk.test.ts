/** The unmodified SDK of Firecrawl calls the content service. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Firecrawl, SdkError } from "firecrawl";
import { until } from "../../lib/testing/until.ts";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

/** A text of its own for each page: a crawl delivers pages that are nearly equal once. */
const words = (title: string) => Array.from({ length: 60 }, (_, at) => `${title}word${at} is a word.`).join(" ");
const html = (title: string, ...links: string[]) => `<!doctype html><html lang="en"><head><title>${title}</title>
  <meta name="description" content="About ${title}"><meta property="og:title" content="Social ${title}"></head>
  <body><nav class="menu"><a href="/menu">Menu</a></nav><article><h1>${title}</h1><p id="text">${title}: ${words(title)}</p>
  <img src="/picture.png" alt="A picture"> ${links.map((href) => `<a class="next" href="${href}">to ${href}</a>`).join(" ")}
  </article></body></html>`;

const product = (name: string, price: string | undefined, ...colours: string[]) => {
  const facts = { "@context": "https://schema.org", "@type": "Product", name, color: colours, offers: { price } };
  const script = `<script type="application/ld+json">${JSON.stringify(facts)}</script>`;
  return html(name).replace("</head>", `${script}</head>`);
};

const GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const hits: string[] = [];
let lastRequest = new Headers();
const changing: { text: string | undefined } = { text: undefined };
const pages: Readonly<Record<string, () => Response>> = Object.fromEntries(
  Object.entries({
    "/docs/": html("Docs", "/docs/a", "/docs/b", "/blog"),
    "/docs/a": html("A", "/docs/c", "/missing"),
    "/docs/b": html("B", "/private"),
    "/docs/c": html("C"),
    "/blog": html("Blog"),
    "/inline": html("Inline").replace("<img ", `<img src="${GIF}" alt="Dot"><img `),
    "/lamp": product("Lamp", "12.50", "red", "blue"),
    "/lamp/two": product("Lamp two", "99", "blue", "green"),
    "/gift": product("Gift", undefined),
    "/near/": html("Near", "/near/list?order=1", "/near/list?order=2"),
  }).map(([path, text]) => [path, () => new Response(text, { headers: { "content-type": "text/html" } })]),
);
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url, headers }) {
    const { pathname, search } = new URL(url);
    lastRequest = headers;
    hits.push(pathname);
    if (pathname === "/robots.txt") return new Response("User-agent: *\nDisallow: /private");
    if (pathname === "/near/list") {
      const text = html("List").replace("</p>", ` In order ${search.at(-1)}.</p>`);
      return new Response(text, { headers: { "content-type": "text/html" } });
    }
    if (pathname === "/changing" && changing.text !== undefined)
      return new Response(changing.text, { headers: { "content-type": "text/html" } });
    if (pathname === "/never") return new Promise<Response>(() => undefined);
    return pages[pathname.replace(/^\/many\/\d+$/, "/docs/c")]?.() ?? new Response("", { status: 404 });
  },
});
const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;

const { service, close } = await startTestService({
  firecrawl: true,
  pageCache: { maxBytes: 0, hitPrice: 100, versionBytes: 1_000_000 },
  search: { providers: ["local"], indexFetched: true, cacheMs: 0 },
});
afterAll(async () => {
  await close();
  await site.stop(true);
});

const client = (apiKey = "fc-mine") => new Firecrawl({ apiKey, apiUrl: baseUrl(service) });
const mine = client();

/** The error of a call of the SDK. */
async function failure(made: Promise<unknown>): Promise<SdkError> {
  const error = await made.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SdkError)) throw new Error(`the call did not fail as expected: ${String(error)}`);
  return error;
}

const sources = (documents: readonly { metadata?: { sourceURL?: string } }[]) =>
  documents.map(({ metadata }) => new URL(metadata?.sourceURL ?? "").pathname).toSorted();

describe("scrape", () => {
  test("returns the main content as Markdown, with metadata", async () => {
    const document = await mine.scrape(at("/docs/a"));
    expect(document.markdown).toContain("A: Aword0 is a word.");
    expect(document.markdown).not.toContain("Menu");
    expect(document).not.toHaveProperty("html");
    expect(document.metadata).toMatchObject({
      title: "A",
      description: "About A",
      ogTitle: "Social A",
      language: "en",
      sourceURL: at("/docs/a"),
      url: at("/docs/a"),
      statusCode: 200,
      contentType: "text/html",
      creditsUsed: 1,
      cacheState: "miss",
    });
  });

  test("returns every format from one load of the page", async () => {
    hits.splice(0);
    const document = await mine.scrape(at("/docs/"), {
      formats: [
        "markdown",
        "html",
        "rawHtml",
        "links",
        { type: "images" },
        { type: "attributes", selectors: [{ selector: "a.next", attribute: "href" }] },
      ],
      onlyMainContent: false,
    });
    expect(hits).toEqual(["/docs/"]);
    expect(document.markdown).toContain("Menu");
    expect(document.html).toContain(`<a href="${at("/menu")}">Menu</a>`);
    expect(document.html).not.toContain("<title>");
    expect(document.rawHtml).toStartWith("<!doctype html>");
    expect(document.links).toEqual(["/menu", "/docs/a", "/docs/b", "/blog"].map(at));
    expect(document.images).toEqual([at("/picture.png")]);
    expect(document.attributes).toEqual([
      { selector: "a.next", attribute: "href", values: ["/docs/a", "/docs/b", "/blog"] },
    ]);
  });

  test("reads only some elements, and leaves some out", async () => {
    const text = await mine.scrape(at("/docs/a"), { includeTags: ["#text", "h1"], formats: ["markdown", "html"] });
    expect(text.markdown).toStartWith("# A");
    expect(text.markdown).not.toContain("picture");
    expect(text.html).not.toContain("<img");
    const rest = await mine.scrape(at("/docs/a"), { excludeTags: ["h1", ".next"], onlyMainContent: false });
    expect(rest.markdown).toContain("Menu");
    expect(rest.markdown).not.toContain("# A");
    expect(rest.markdown).not.toContain("to /docs/c");
  });

  test("keeps pictures whose data stands in the page, as /scrape does with inline_images", async () => {
    expect((await mine.scrape(at("/inline"))).markdown).not.toContain("base64");
    const { markdown, html: kept } = await mine.scrape(at("/inline"), {
      formats: ["markdown", "html"],
      removeBase64Images: false,
    });
    expect(markdown).toContain(`![Dot](${GIF})`);
    expect(kept).toContain(`src="${GIF}"`);
    for (const inline_images of [false, true]) {
      const { json } = await call(service, "/scrape", { url: at("/inline"), engine: "static", inline_images });
      expect(String(json["content"]).includes(GIF)).toBe(inline_images);
    }
  });

  test("takes a picture in the visit that reads the page", async () => {
    hits.splice(0);
    const viewport = { width: 300, height: 200 };
    const format = { type: "screenshot", quality: 50, viewport } as const;
    const { screenshot = "", markdown } = await mine.scrape(at("/docs/a"), { formats: ["markdown", format] });
    expect(hits.filter((path) => path === "/docs/a")).toHaveLength(1);
    expect(markdown).toContain("A: Aword0 is a word.");
    const [type, data = ""] = screenshot.split(",");
    expect(type).toBe("data:image/jpeg;base64");
    expect(await new Bun.Image(Buffer.from(data, "base64")).metadata()).toMatchObject(viewport);
    const { screenshot: whole = "" } = await mine.scrape(at("/docs/a"), { formats: ["screenshot"] });
    expect(whole).toStartWith("data:image/png;base64,iVBOR");
  });

  test("tells what has changed since the last visit, and that a page has gone", async () => {
    const track = async (tag?: string) => {
      const format = { type: "changeTracking", modes: ["git-diff"], ...(tag === undefined ? {} : { tag }) } as const;
      return (await mine.scrape(at("/changing"), { formats: ["markdown", format] })).changeTracking;
    };
    changing.text = html("Before");
    expect(await track()).toEqual({ previousScrapeAt: null, changeStatus: "new", visibility: "visible" });
    const seen = { previousScrapeAt: expect.any(String), visibility: "visible" };
    expect(await track()).toEqual({ ...seen, changeStatus: "same" });
    changing.text = html("After");
    const diff = { text: expect.stringContaining("+After: ") };
    expect(await track()).toEqual({ ...seen, changeStatus: "changed", diff });
    expect(await track("another")).toMatchObject({ changeStatus: "new" });
    const { data } = await mine.batchScrape([at("/changing")], {
      options: { formats: ["changeTracking"] },
      pollInterval: 1,
    });
    expect(data[0]?.changeTracking).toEqual({ ...seen, changeStatus: "same" });
    changing.text = undefined;
    expect(await track()).toEqual({ ...seen, changeStatus: "removed" });
  });

  test("fails with the status and a code of its kind", async () => {
    const missing = await failure(mine.scrape(at("/missing")));
    expect(missing).toMatchObject({ status: 500, code: "SCRAPE_ALL_ENGINES_FAILED", details: { statusCode: 404 } });
    const late = await failure(mine.scrape(at("/never"), { timeout: 1_000 }));
    expect(late).toMatchObject({ status: 408, code: "SCRAPE_TIMEOUT" });
    const judged = await failure(
      mine.scrape(at("/docs/"), { formats: [{ type: "changeTracking", modes: ["json"], prompt: "prices" }] }),
    );
    expect(judged).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    const audio = await failure(mine.scrape(at("/docs/"), { formats: ["audio"] }));
    expect(audio).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    expect(audio.message).toContain("formats");
    const fast = await failure(mine.scrape(at("/docs/"), { fastMode: true, actions: [{ type: "pdf" }] }));
    expect(fast.details).toEqual([
      { path: "fastMode", message: "is not supported here" },
      { path: "actions.0.type", message: expect.stringContaining("must be one of wait, click") },
    ]);
    const abroad = await failure(mine.scrape(at("/docs/"), { location: { country: "DE" } }));
    expect(abroad).toMatchObject({ status: 400, details: [{ path: "proxy" }] });
  });

  test("requests the page with the fields, languages and screen of the options", async () => {
    const options = { headers: { "X-Key": "mine", Cookie: "a=1" }, location: { languages: ["de_AT"] }, mobile: true };
    await mine.scrape(at("/docs/a"), options);
    expect(Object.fromEntries(lastRequest)).toMatchObject({
      "x-key": "mine",
      cookie: "a=1",
      "accept-language": "de-AT,de;q=0.9",
      "user-agent": expect.stringContaining("Mobile"),
    });
  });

  test("takes steps in the page, and returns what they made", async () => {
    const { actions, markdown, summary, branding } = await mine.scrape(at("/docs/a"), {
      formats: ["markdown", "summary", "branding"],
      actions: [
        { type: "wait", selector: "#text" },
        { type: "executeJavascript", script: "document.title" },
        { type: "screenshot", quality: 50 },
        { type: "scroll", direction: "down" },
        { type: "scrape" },
        { type: "click", selector: "a.next" },
      ],
    });
    expect(markdown).toContain("C: Cword0 is a word.");
    expect(summary).toContain("is a word.");
    expect(branding).toMatchObject({ colors: { background: "#ffffff" } });
    expect(actions).toMatchObject({
      screenshots: [expect.stringMatching(/^data:image\/jpeg;base64,/)],
      scrapes: [{ url: at("/docs/a"), html: expect.stringContaining("Aword0") }],
      javascriptReturns: [{ type: "string", value: "A" }],
    });
    const failed = await failure(
      mine.scrape(at("/docs/a"), { actions: [{ type: "click", selector: "p:has(i)" }], timeout: 4_000 }),
    );
    expect(failed.message).toContain("step 1 (click)");
  });

  test("keeps no secret of a client in a job", async () => {
    const refused = await failure(
      mine.startBatchScrape([at("/docs/a")], { options: { headers: { "X-Key": "mine" } } }),
    );
    expect(refused).toMatchObject({ status: 400, details: [{ path: "headers" }] });
  });
});

describe("crawl", () => {
  test("waits for the documents below the start, and tells what failed and what robots.txt forbids", async () => {
    const started = await mine.startCrawl(at("/docs/"), {
      sitemap: "skip",
      scrapeOptions: { formats: ["markdown", "links"] },
    });
    expect(started.url).toBe(`${baseUrl(service)}/v2/crawl/${started.id}`);
    const job = await mine.crawl(at("/docs/"), { sitemap: "skip", pollInterval: 1, limit: 10 });
    expect(sources(job.data)).toEqual(["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    expect(job).toMatchObject({ status: "completed", total: 4, completed: 4, creditsUsed: 4, next: null });
    expect(Date.parse(job.expiresAt ?? "")).toBeGreaterThan(Date.now());
    const whole = await mine.crawl(at("/docs/"), { sitemap: "skip", crawlEntireDomain: true, pollInterval: 1 });
    expect(sources(whole.data)).toEqual(["/blog", "/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    const { errors, robotsBlocked } = await mine.getCrawlErrors(whole.id);
    expect(robotsBlocked).toEqual([at("/private")]);
    expect(errors).toContainEqual({
      id: expect.any(String),
      url: at("/missing"),
      error: "Cannot load the page: its server responded with 404",
      code: "NOT_FOUND",
    });
  });

  test("delivers near duplicates of one path only without deduplicateSimilarURLs", async () => {
    const options = { sitemap: "skip", pollInterval: 1 } as const;
    const once = await mine.crawl(at("/near/"), options);
    expect(sources(once.data)).toEqual(["/near/", "/near/list"]);
    const all = await mine.crawl(at("/near/"), { ...options, deduplicateSimilarURLs: false });
    expect(sources(all.data)).toEqual(["/near/", "/near/list", "/near/list"]);
  });

  test("refuses what has no meaning here", async () => {
    const prompt = await failure(mine.startCrawl(at("/"), { prompt: "all of it" }));
    expect(prompt).toMatchObject({ status: 400, details: [{ path: "prompt", message: "is not supported here" }] });
    const pattern = await failure(mine.startCrawl(at("/"), { includePaths: ["("] }));
    expect(pattern.status).toBe(400);
    expect(await failure(mine.crawlParamsPreview(at("/"), "all of it"))).toMatchObject({
      status: 501,
      code: "NOT_IMPLEMENTED",
    });
  });
});

/** The job when it has ended. */
async function ended(id: string) {
  for (;;) {
    const job = await mine.getBatchScrapeStatus(id);
    if (job.status !== "scraping") return job;
    await Bun.sleep(100);
  }
}

describe("batch", () => {
  const urls = Array.from({ length: 5 }, (_, number) => at(`/many/${number}`));

  test("waits for all documents, and tells which addresses are invalid or failed", async () => {
    const started = await mine.startBatchScrape([...urls, "nothing", at("/missing")], {
      options: { formats: ["html"] },
    });
    expect(started.invalidURLs).toEqual(["nothing"]);
    const job = await mine.batchScrape(urls, { options: { formats: ["markdown"] }, pollInterval: 1 });
    expect(sources(job.data)).toEqual(urls.map((url) => new URL(url).pathname));
    const first = await ended(started.id);
    expect(first).toMatchObject({ status: "completed", total: 6, completed: 5 });
    expect((await mine.getBatchScrapeErrors(started.id)).errors).toMatchObject([{ url: at("/missing") }]);
    const strict = mine.startBatchScrape(["nothing"], { ignoreInvalidURLs: false });
    expect(await failure(strict)).toMatchObject({ status: 400 });
  });

  test("pages of documents follow each other without a gap, and the last one names no next", async () => {
    const { id } = await mine.startBatchScrape([at("/missing"), ...urls]);
    await ended(id);
    const seen: string[] = [];
    let next: string | undefined = `${baseUrl(service)}/v2/batch/scrape/${id}?limit=2`;
    const sizes: number[] = [];
    while (next !== undefined) {
      const response = await fetch(next, { headers: { authorization: "Bearer fc-mine" } });
      const page = (await response.json()) as { data: { metadata: { sourceURL: string } }[]; next?: string };
      seen.push(...page.data.map(({ metadata }) => metadata.sourceURL));
      sizes.push(page.data.length);
      next = page.next;
    }
    expect(seen.toSorted()).toEqual(urls);
    expect(sizes).toEqual([2, 2, 1]);
  });

  test("a job belongs to the key that made it", async () => {
    const { id } = await mine.startBatchScrape([at("/never"), at("/never?2")], { options: { timeout: 60_000 } });
    for (const other of [client("fc-other"), new Firecrawl({ apiKey: "", apiUrl: baseUrl(service) })]) {
      expect(await failure(other.getBatchScrapeStatus(id))).toMatchObject({ status: 404, code: "NOT_FOUND" });
      expect(await failure(other.cancelBatchScrape(id))).toMatchObject({ status: 404 });
    }
    const { id: crawl } = await mine.startCrawl(at("/never"), { sitemap: "skip" });
    expect((await mine.getActiveCrawls()).crawls).toMatchObject([{ id: crawl, url: at("/never") }]);
    expect((await client("fc-other").getActiveCrawls()).crawls).toEqual([]);
    expect(await mine.getConcurrency()).toEqual({ concurrency: 2, maxConcurrency: 1_000 });
    expect(await mine.getQueueStatus()).toMatchObject({ success: true, jobsInQueue: 3 });
    expect(await mine.cancelCrawl(crawl)).toBe(true);
    expect(await mine.cancelBatchScrape(id)).toBe(true);
    expect(await mine.getBatchScrapeStatus(id)).toMatchObject({ status: "cancelled", completed: 0, data: [] });
    expect((await mine.getActiveCrawls()).crawls).toEqual([]);
  });
});

describe("extract", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      price: { type: "number" },
      color: { type: "array", items: { type: "string" } },
    },
    required: ["price"],
  };

  test("waits for the fields of a schema, merged from all pages in their order, with their pages", async () => {
    const urls = ["/lamp", "/lamp/two", "/gift", "/missing"].map(at);
    const job = await mine.extract({ urls, schema, prompt: "Prices in euros", showSources: true, pollInterval: 1 });
    expect(job).toMatchObject({
      success: true,
      status: "completed",
      data: { name: "Lamp", price: 12.5, color: ["red", "blue", "green"] },
      sources: { name: [at("/lamp"), at("/lamp/two")], price: [at("/lamp"), at("/lamp/two")] },
      creditsUsed: 2,
      expiresAt: expect.any(String),
    });
    expect(job.warnings?.toSorted()).toEqual([
      expect.stringContaining(`${at("/gift")}: Cannot extract the fields: 'price' is required`),
      expect.stringContaining(`${at("/missing")}: Cannot load the page`),
    ]);
    const { id = "", ...started } = await mine.startExtract({ urls: [at("/lamp"), "nothing"], schema });
    expect(started).toMatchObject({ success: true, invalidURLs: ["nothing"] });
    expect(await failure(mine.getBatchScrapeStatus(id))).toMatchObject({ status: 404 });
    expect(await failure(client("fc-other").getExtractStatus(id))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  test("fails, and costs nothing, if no page has the fields", async () => {
    const { status, success, error, creditsUsed } = await mine.extract({
      urls: [at("/missing")],
      schema,
      pollInterval: 1,
    });
    expect({ status, success, creditsUsed }).toEqual({ status: "failed", success: false, creditsUsed: 0 });
    expect(error).toContain("its server responded with 404");
  });

  test("is processing while a page is loaded", async () => {
    const { id = "" } = await mine.startExtract({ urls: [at("/never")], schema });
    expect(await mine.getExtractStatus(id)).toMatchObject({ success: true, status: "processing", data: [] });
  });

  const asked = { urls: [at("/lamp")], schema };
  test.each([
    [
      "a prompt alone",
      { urls: asked.urls, prompt: "x" },
      { path: "schema", message: expect.stringContaining("no language model") },
    ],
    ["a web search", { ...asked, enableWebSearch: true }, { path: "enableWebSearch" }],
    ["an agent", { ...asked, agent: { model: "FIRE-1" as const } }, { path: "agent" }],
    [
      "a wildcard",
      { ...asked, urls: [at("/docs/*")] },
      { path: "urls.0", message: expect.stringContaining("wildcard") },
    ],
    ["a schema of a list", { ...asked, schema: { type: "array" } }, { path: expect.stringContaining("schema") }],
    ["other formats", { ...asked, scrapeOptions: { formats: ["html" as const] } }, { path: "scrapeOptions.formats" }],
    ["secrets", { ...asked, scrapeOptions: { headers: { "X-Key": "mine" } } }, { path: "headers" }],
  ])("refuses %s", async (_name, order, problem) => {
    const refused = await failure(mine.startExtract(order));
    expect(refused).toMatchObject({ status: 400, code: "BAD_REQUEST", details: [problem] });
  });
});

/** The documents and the end of a job, as a watcher of the SDK gets them. */
async function watched(id: string, { kind = "crawl", begun }: { kind?: "crawl" | "batch"; begun?: () => void } = {}) {
  const watcher = mine.watcher(id, { kind, pollInterval: 3_600 });
  const documents: { metadata?: { sourceURL?: string } }[] = [];
  let end: { status?: string; completed?: number; error?: string } = {};
  watcher.on("document", (document: { metadata?: { sourceURL?: string } }) => documents.push(document));
  watcher.on("snapshot", () => begun?.());
  watcher.on("done", (state: typeof end) => (end = state));
  watcher.on("error", (state: typeof end) => (end = state));
  await watcher.start();
  return { documents, end };
}

describe("a watcher", () => {
  test("gets each document and the end by a WebSocket whose subprotocol is the key", async () => {
    const { id } = await mine.startCrawl(at("/docs/"), { sitemap: "skip" });
    const { documents, end } = await watched(id);
    expect(sources(documents)).toEqual(["/docs/", "/docs/a", "/docs/b", "/docs/c"]);
    expect(end).toMatchObject({ status: "completed", completed: 4 });
    const late = await watched(id);
    expect(sources(late.documents)).toEqual(sources(documents));
  });

  test("hears that a batch was cancelled, and that a job is not its own", async () => {
    const { id } = await mine.startBatchScrape([at("/never?3")]);
    const { documents, end } = await watched(id, { kind: "batch", begun: () => void mine.cancelBatchScrape(id) });
    expect([documents, end]).toMatchObject([[], { status: "cancelled", completed: 0 }]);
    expect((await watched("unknown")).end).toMatchObject({ status: "failed", error: "WebSocket error" });
  });
});

test("version 1 has flat results, for programs that still use it", async () => {
  const v1 = async (path: string, body: object) => {
    const headers = { authorization: "Bearer fc-mine", "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ ...body, integration: "flowise" }) };
    return (await (await fetch(`${baseUrl(service)}/v1/${path}`, init)).json()) as Record<string, unknown>;
  };
  const page = { url: at("/docs/a"), formats: ["markdown"], onlyMainContent: true, mobile: false };
  expect(await v1("scrape", page)).toMatchObject({ success: true, data: { metadata: { title: "A" } } });
  expect(await v1("map", { url: at("/docs/"), ignoreSitemap: true })).toMatchObject({ success: false });
  expect(await v1("map", { url: at("/docs/"), sitemap: "skip", limit: 1 })).toEqual({
    success: true,
    links: [at("/docs/")],
  });
  const crawl = await v1("crawl", { url: at("/docs/"), limit: 1, ignoreSitemap: true, maxDepth: 1 });
  expect(crawl).toMatchObject({ success: true, url: `${baseUrl(service)}/v1/crawl/${String(crawl["id"])}` });
});

test("map lists the addresses of a site", async () => {
  const { links } = await mine.map(at("/docs/"), { sitemap: "skip", limit: 3 });
  expect(links).toHaveLength(3);
  expect(links[0]).toMatchObject({ url: at("/docs/"), title: "Docs" });
});

test("search returns results, and the documents of their pages if they are wanted", async () => {
  await mine.scrape(at("/docs/a"));
  await until(async () => (await mine.search("Aword1")).web?.length === 1);
  expect((await mine.search("Aword1", { limit: 2 })).web).toEqual([
    { url: at("/docs/a"), title: "Social A", description: expect.any(String), position: 1 },
  ]);
  const { web } = await mine.search("Aword1", { limit: 2, scrapeOptions: { formats: ["links"] } });
  expect(web).toMatchObject([
    { url: at("/docs/a"), links: ["/menu", "/docs/c", "/missing"].map(at), metadata: { statusCode: 200 } },
  ]);
  // The page has no date.
  expect((await mine.search("Aword1", { tbs: "qdr:y" })).web).toEqual([]);
  const flat = await fetch(`${baseUrl(service)}/v1/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "Aword1", limit: 3 }),
  });
  expect(await flat.json()).toMatchObject({ success: true, data: [{ url: at("/docs/a") }] });
});

test("a search with options that have no meaning is refused", async () => {
  expect(await failure(mine.search("tide tables", { sources: ["news"] }))).toMatchObject({
    status: 400,
    details: [{ path: "sources", message: "is not supported here" }],
  });
});

test("the account has no credits, and says so", async () => {
  expect(await mine.getCreditUsage()).toMatchObject({ remainingCredits: 0 });
  expect(await failure(mine.getTokenUsage())).toMatchObject({ status: 501 });
});

test("requests that Turnpike does not serve fail at once", async () => {
  const calls = [
    mine.startAgent({ prompt: "x" }),
    mine.interact("1", { code: "1" }),
    mine.listMonitors(),
    mine.getCreditUsageHistorical(),
  ];
  for (const made of calls) expect(await failure(made)).toMatchObject({ status: 501, code: "NOT_IMPLEMENTED" });
});

test("without the key firecrawl, there is no such interface", async () => {
  const plain = await startTestService();
  try {
    const other = new Firecrawl({ apiKey: "x", apiUrl: baseUrl(plain.service) });
    expect(await failure(other.scrape(at("/docs/")))).toMatchObject({ status: 404 });
  } finally {
    await plain.close();
  }
});
