import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let showing: TestService;
let honouring: TestService;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  showing = await startTestService();
  honouring = await startTestService({ aiUses: ["ai-train", "tdm"] });
});
afterAll(async () => {
  await showing.close();
  await honouring.close();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const page = (head = "", links = "") =>
  `<!doctype html><html lang="en"><head><title>Tides</title>${head}</head><body><article><h1>Tides</h1><p>${WORDS}</p>${links}</article></body></html>`;

/** A site with these files. A page may have fields. */
function serve(files: Readonly<Record<string, string | readonly [body: string, fields: Record<string, string>]>>) {
  const hits: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      hits.push(pathname);
      const file = files[pathname];
      if (file === undefined) return new Response("", { status: 404 });
      const [body, fields] = typeof file === "string" ? [file, {}] : file;
      return new Response(body, { headers: { "content-type": "text/html", ...fields } });
    },
  });
  closing.push(() => server.stop(true));
  return { origin: `http://127.0.0.1:${server.port}`, hits };
}

async function scrape({ service }: TestService, url: string, more = {}) {
  const { json } = await call(service, "/scrape", { url, engine: "static", timeout: 120, ...more });
  const { metadata = {}, type } = json as { metadata?: { ai_terms?: unknown }; type?: string };
  return { terms: metadata.ai_terms, type };
}

const SIGNALS = "User-agent: *\nContent-Signal: search=yes, ai-train=no";
const TDM = '[{"location":"/free/*","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"/p.json"}]';
const LICENSE = '<link rel="license" type="application/rsl+xml" href="/license.xml">';

test("shows the terms of a page, those in the page before those in its fields, and asks for no other file", async () => {
  const { origin, hits } = serve({
    "/": [page(`<meta name="tdm-reservation" content="0">${LICENSE}`), { "TDM-Reservation": "1", "TDM-Policy": "/p" }],
    "/plain": page(),
  });
  expect((await scrape(showing, `${origin}/`)).terms).toEqual({
    tdm_reserved: false,
    tdm_policy: `${origin}/p`,
    license: `${origin}/license.xml`,
  });
  expect(await scrape(showing, `${origin}/plain`)).toEqual({ terms: undefined, type: undefined });
  expect(hits).toEqual(["/", "/plain"]);
});

test("reads the files of the site for a call with ai_terms", async () => {
  const { origin, hits } = serve({ "/": page(LICENSE), "/robots.txt": SIGNALS, "/.well-known/tdmrep.json": TDM });
  const terms = {
    signals: { search: true, "ai-train": false },
    tdm_reserved: true,
    tdm_policy: `${origin}/p.json`,
    license: `${origin}/license.xml`,
  };
  expect(await scrape(showing, `${origin}/`, { ai_terms: true })).toEqual({ terms, type: undefined });
  expect(hits.toSorted()).toEqual(["/", "/.well-known/tdmrep.json", "/robots.txt"]);
  const shape = { engine: "static", timeout: 120, ai_terms: true };
  const batch = await call(showing.service, "/batch", { urls: [`${origin}/`], ...shape });
  expect(batch.json["results"]).toMatchObject([{ metadata: { ai_terms: terms } }]);
  const read = await call(showing.service, "/read", { url: `${origin}/`, ...shape });
  expect(read.json["metadata"]).toMatchObject({ ai_terms: terms });
});

test("a crawl shows the terms of the site in each result, which later calls then know", async () => {
  const { origin } = serve({
    "/": page("", '<a href="/free/a">a</a>'),
    "/free/a": page("<meta name='x'>", "Other."),
    "/robots.txt": SIGNALS,
    "/.well-known/tdmrep.json": TDM,
  });
  const order = { urls: [origin], sitemap: "skip", engine: "static" };
  const { json: job } = await call(showing.service, "/crawl", order);
  const headers = { accept: "application/x-ndjson", "x-job-secret": String(job["secret"]) };
  const lines = await (await fetch(baseUrl(showing.service) + String(job["results"]), { headers })).text();
  const results = lines
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { metadata: { ai_terms: unknown } });
  const signals = { search: true, "ai-train": false };
  expect(results.map(({ metadata }) => metadata.ai_terms)).toEqual([
    { signals, tdm_reserved: true, tdm_policy: `${origin}/p.json` },
    { signals, tdm_reserved: false },
  ]);
  expect((await scrape(showing, `${origin}/free/a`)).terms).toEqual({ signals, tdm_reserved: false });
});

test("a service that honours terms refuses a page before it requests it, or when it states them", async () => {
  const denied = { type: "urn:turnpike:error:page-terms", terms: undefined };
  const signalled = serve({ "/": page(), "/robots.txt": SIGNALS });
  expect(await scrape(honouring, signalled.origin)).toEqual(denied);
  expect(signalled.hits).not.toContain("/");
  const reserved = serve({ "/": page(), "/free/a": page(), "/.well-known/tdmrep.json": TDM });
  expect(await scrape(honouring, reserved.origin)).toEqual(denied);
  expect((await scrape(honouring, `${reserved.origin}/free/a`)).terms).toEqual({ tdm_reserved: false });
  const licensed = serve({
    "/": page(LICENSE),
    "/license.xml":
      '<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>',
  });
  expect(await scrape(honouring, licensed.origin)).toEqual(denied);
  const fielded = serve({ "/": [page(), { "tdm-reservation": "1" }], "/moved": ["", {}] });
  expect(await scrape(honouring, fielded.origin)).toEqual(denied);
  const silent = serve({ "/": page() });
  expect(await scrape(honouring, silent.origin)).toEqual({ terms: undefined, type: undefined });
});

test("a crawl counts refused pages, which are free", async () => {
  const { origin } = serve({ "/": page(), "/robots.txt": SIGNALS });
  const { json: job } = await call(honouring.service, "/crawl", { urls: [origin], sitemap: "skip", engine: "static" });
  const headers = { accept: "application/x-ndjson", "x-job-secret": String(job["secret"]) };
  const lines = (
    await (await fetch(baseUrl(honouring.service) + String(job["results"]), { headers })).text()
  ).trimEnd();
  const { job: state } = JSON.parse(lines.split("\n").at(-1) ?? "") as { job: Record<string, unknown> };
  expect(state).toMatchObject({ delivered: 0, not_delivered: { "page-terms": 1 } });
});
