/** Several formats of a page in one visit. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { call, outcomeOf, type Reply } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

const SENTENCE = "A toll road charges each traveller for the stretch that was driven.";
const INLINE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const PAGE = `<!doctype html><html lang="en"><head><title>Tolls</title><meta name="description" content="On roads">
  <style>body { background: #fafafa; color: #222; font-family: Georgia } button { background: #c0392b; color: #fff }</style></head>
  <body><nav><a href="/home">Home</a></nav><main><h1>Toll roads</h1>
  <p>${SENTENCE} ${SENTENCE.replace("toll", "new")}</p><p class="ad">Buy now what nobody needs.</p>
  <p><a href="more">More</a> <img src="${INLINE}" alt="dot"> <img src="/road.png" alt="A road"></p></main>
  <button>Pay</button></body></html>`;

let made: TestService;
let site: Bun.Server<undefined>;
let hits: string[] = [];

beforeAll(async () => {
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      hits.push(pathname);
      if (pathname === "/data.json") return Response.json({ toll: 3 });
      if (pathname === "/bytes")
        return new Response(Uint8Array.of(0, 1, 2), { headers: { "content-type": "application/zip" } });
      return new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
  made = await startTestService();
});

afterAll(async () => {
  await made.close();
  await site.stop(true);
});

type Results = Readonly<Record<string, string>>;

function scrape(body: object, path = "/page"): Promise<Reply> {
  hits = [];
  return call(made.service, "/scrape", { url: new URL(path, site.url).href, ...body });
}

async function results(body: object, path?: string): Promise<Results> {
  const reply = await scrape(body, path);
  expect([outcomeOf(reply), reply.json["content"]]).toEqual(["200", ""]);
  // The test compares each member.
  return reply.json["results"] as Results;
}

test("formats that need no browser come from one request of the static engine", async () => {
  const formats = ["markdown", "html", "text", "links", "images", "metadata", "summary", "raw"];
  const all = await results({ formats });
  expect(hits).toEqual(["/page"]);
  expect(Object.keys(all).toSorted()).toEqual([...formats, "summary_by"].toSorted());
  const base = site.url.href;
  expect(all).toMatchObject({
    links: [
      { url: `${base}home`, text: "Home" },
      { url: `${base}more`, text: "More" },
    ],
    images: [{ url: `${base}road.png`, text: "A road" }],
    metadata: { title: "Tolls", language: "en", description: "On roads" },
    raw: { text: PAGE },
  });
  expect(all["markdown"]).toContain("# Toll roads");
  expect(all["text"]).toContain(SENTENCE);
  expect(all["summary"]).toStartWith(SENTENCE);
  expect(all["html"]).toContain(`href="${base}more"`);
});

test("selectors and the main content apply to all formats, and to a single one", async () => {
  const parts = { only_main_content: true, exclude_selectors: [".ad"] };
  const { markdown, html, text } = await results({ formats: ["markdown", "html", "text"], ...parts });
  for (const form of [markdown, html, text]) {
    expect(form).toContain(SENTENCE);
    expect(form).not.toMatch(/Buy now|Home/);
  }
  const single = await scrape({ format: "text", include_selectors: ["h1"] });
  expect([single.json["content"], single.json["results"]]).toEqual(["Toll roads", undefined]);
  expect(outcomeOf(await scrape({ include_selectors: ["a:hover"] }))).toBe("400 invalid-parameters");
});

test("pictures whose data are in the page are left out of html", async () => {
  expect((await results({ formats: ["html"] }))["html"]).not.toContain("base64");
});

test("a picture, a print and the look of a page come from the visit that reads it", async () => {
  const picture = { type: "screenshot", format: "jpeg", full_page: true, width: 400, height: 300 };
  const { markdown, screenshot, pdf, branding } = await results({ formats: ["markdown", picture, "pdf", "branding"] });
  expect(hits.filter((path) => path === "/page")).toHaveLength(1);
  expect(markdown).toContain(SENTENCE);
  expect(screenshot).toMatchObject({
    content_type: "image/jpeg",
    truncated: false,
    base64: expect.stringMatching(/^\/9j/),
  });
  expect(pdf).toMatchObject({ content_type: "application/pdf", base64: expect.stringMatching(/^JVBERi/) });
  expect(branding).toMatchObject({
    colors: { background: "#fafafa", text: "#222222", primary: "#c0392b" },
    fonts: { body: "Georgia" },
    button: { background: "#c0392b", text: "#ffffff" },
    color_scheme: "light",
  });
});

test("a document that is not HTML has the formats that can be made of it", async () => {
  const { raw, links } = await results({ formats: ["markdown", "raw", "links"] }, "/data.json");
  expect(raw).toEqual({ content_type: expect.stringContaining("application/json"), text: '{"toll":3}' } as never);
  expect(links).toEqual([] as never);
  expect(outcomeOf(await scrape({ formats: ["raw"] }, "/bytes"))).toBe("500 page-type-unsupported");
});

test("texts are cut, and the metadata have their length before that", async () => {
  const { json } = await scrape({ formats: ["markdown", "text"], max_length: 10 });
  const { markdown = "", text = "" } = json["results"] as Results;
  expect([markdown.length, text.length]).toEqual([10, 10]);
  expect(json["metadata"]).toMatchObject({ truncated: true });
});

test("formats that contradict other parameters are refused", async () => {
  for (const body of [
    { formats: ["markdown"], evaluate: "1" },
    { formats: ["screenshot"], engine: "static" },
    { formats: [] },
    { formats: ["video"] },
    { formats: [{ type: "screenshot", format: "png", width: 0 }] },
  ]) {
    expect([body, outcomeOf(await scrape(body))]).toEqual([body, "400 invalid-parameters"]);
  }
});

test("a batch has the formats of each page", async () => {
  const urls = [new URL("/a", site.url).href, new URL("/b", site.url).href];
  const { json } = await call(made.service, "/batch", { urls, formats: ["text", "links"] });
  // The response has a result for each page.
  for (const one of json["results"] as readonly { results: Results }[]) {
    expect(Object.keys(one.results).toSorted()).toEqual(["links", "text"]);
  }
});

test("the format json has the fields of a schema, and a page without a required one is an error", async () => {
  const schema = { type: "object", properties: { title: { type: "string" }, price: { type: "number" } } };
  const { json, markdown = "" } = await results({ formats: ["markdown", { type: "json", schema }] });
  expect(json).toMatchObject({
    data: { title: "Toll roads", price: null },
    sources: { "/title": { from: "heading" } },
    missing: [{ path: "/price" }],
  });
  expect(markdown).toContain("Toll roads");
  const required = { ...schema, required: ["price"] };
  const failed = await scrape({ formats: [{ type: "json", schema: required }] });
  expect(failed.json["type"]).toBe("urn:turnpike:error:fields-missing");
  const batch = { urls: [new URL("/page", site.url).href], formats: [{ type: "json", schema: required }] };
  const { json: several } = await call(made.service, "/batch", batch);
  expect(several["results"]).toMatchObject([{ error_type: "urn:turnpike:error:fields-missing" }]);
  const refused = await scrape({ formats: [{ type: "json", schema: { type: "object" } }] });
  expect(refused.json["errors"]).toMatchObject([
    { path: "formats.0.schema", message: expect.stringContaining("must have properties") },
  ]);
});
