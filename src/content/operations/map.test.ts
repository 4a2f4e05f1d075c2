import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { PageIndex } from "../search/index/page-index.ts";
import { indexPath } from "../search/search-service.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

let made: TestService;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  made = await startTestService();
});
afterAll(() => made.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Pages = Readonly<Record<string, string | ((origin: string) => Response)>>;

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const page = (title: string, ...links: string[]) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${WORDS}</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join(" ")}</article></body></html>`;
const moved = (to: string) => () => new Response("", { status: 302, headers: { location: to } });
const set = (...urls: string[]) => `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;

/** A site with these pages. `ORIGIN` in a text is its address. */
function serve(pages: Pages) {
  const hits: string[] = [];
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request): Response {
      const { pathname, search } = new URL(request.url);
      hits.push(pathname + search);
      const file = pages[pathname];
      if (file === undefined) return new Response("", { status: 404 });
      if (typeof file === "function") return file(origin);
      const type = file.startsWith("<!doctype") ? "text/html" : "text/plain";
      return new Response(file.replaceAll("ORIGIN", origin), { headers: { "content-type": type } });
    },
  });
  const origin: string = `http://127.0.0.1:${server.port}`;
  closing.push(() => server.stop(true));
  return { origin, hits };
}

interface MapLink {
  readonly url: string;
  readonly title?: string;
  readonly modified?: string;
}

async function mapOf(origin: string, more: Readonly<Record<string, unknown>> = {}) {
  const { status, json } = await call(made.service, "/map", { url: `${origin}/`, timeout: 120, ...more });
  // The API's description defines this shape.
  const { links = [], metadata } = json as { links?: readonly MapLink[]; metadata?: Readonly<Record<string, unknown>> };
  return { status, json, links, metadata, paths: links.map(({ url }) => url.replace(origin, "")) };
}

const SITE: Pages = {
  "/": page("Tides", "/docs/tides", "/docs/moon?utm_source=x#part", "http://b.test/", "/private/x", "mailto:a@b.test"),
  "/docs/tides": page("Tide tables", "/deep/page"),
  "/docs/moon": page("The moon"),
  "/robots.txt": "User-agent: *\nDisallow: /private\nSitemap: ORIGIN/index.xml",
  "/index.xml":
    "<sitemapindex><sitemap><loc>ORIGIN/a.xml</loc></sitemap><sitemap><loc>ORIGIN/news</loc></sitemap></sitemapindex>",
  "/a.xml": `${set("ORIGIN/docs/tides/", "https://b.test/x", "ORIGIN/private/y").replace("</urlset>", "")}<url><loc>ORIGIN/shop?item=1</loc><lastmod>2026-01-31</lastmod></url><url><loc>ORIGIN/shop?item=2</loc></url></urlset>`,
  "/news": "<rss><channel><item><title>New harbour</title><link>ORIGIN/news/1</link></item></channel></rss>",
};

describe("/map", () => {
  test("returns the addresses of the first pages and the sitemaps, each once, and none of other sites", async () => {
    const { origin, hits } = serve(SITE);
    const { status, links, metadata, json } = await mapOf(origin);
    expect(status).toBe(200);
    expect(json["url"]).toBe(`${origin}/`);
    expect(links).toEqual([
      { url: `${origin}/`, title: "Tides" },
      { url: `${origin}/docs/tides`, title: "to /docs/tides" },
      { url: `${origin}/docs/moon`, title: "to /docs/moon?utm_source=x#part" },
      { url: `${origin}/shop?item=1`, modified: "2026-01-31" },
      { url: `${origin}/shop?item=2` },
      { url: `${origin}/news/1`, title: "New harbour" },
      { url: `${origin}/deep/page`, title: "to /deep/page" },
    ]);
    expect(metadata).toEqual({ elapsed_ms: expect.any(Number), truncated: false, partial: false, forbidden: 2 });
    expect(hits.filter((path) => path.startsWith("/private"))).toEqual([]);
  });

  test("leaves out the query, paths and sources that the caller does not want", async () => {
    const { origin, hits } = serve(SITE);
    expect((await mapOf(origin, { ignore_query: true })).paths).toContain("/shop");
    expect((await mapOf(origin, { include_paths: ["^/docs/"], exclude_paths: ["moon$"] })).paths).toEqual([
      "/docs/tides",
    ]);
    const before = hits.length;
    expect((await mapOf(origin, { sitemap: "only" })).paths).toEqual([
      "/docs/tides/",
      "/shop?item=1",
      "/shop?item=2",
      "/news/1",
    ]);
    expect(hits.slice(before)).not.toContain("/");
    expect((await mapOf(origin, { sitemap: "skip" })).paths).toEqual(["/", "/docs/tides", "/docs/moon", "/deep/page"]);
  });

  test("returns at most the requested number, and says that there are more", async () => {
    const { origin } = serve(SITE);
    const { paths, metadata } = await mapOf(origin, { limit: 2 });
    expect(paths).toEqual(["/", "/docs/tides"]);
    expect(metadata).toMatchObject({ truncated: true });
    expect((await mapOf(origin, { limit: 7 })).metadata).toMatchObject({ truncated: false });
  });

  test("ranks the addresses by the words of a search, and is free if none has one", async () => {
    const { origin } = serve({
      ...SITE,
      "/index.xml": set(
        "ORIGIN/blog/about-the-tide-table-of-harwich",
        "ORIGIN/tide",
        "ORIGIN/tidetables",
        "ORIGIN/other",
      ),
    });
    const { paths } = await mapOf(origin, { search: "tide tables", sitemap: "only" });
    expect(paths).toEqual(["/blog/about-the-tide-table-of-harwich", "/tide", "/tidetables"]);
    const { status, json } = await mapOf(origin, { search: "lanterns" });
    expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-empty"]);
  });

  test("adds the pages of the search index, and finds words in their text", async () => {
    const { origin } = serve(SITE);
    const index = PageIndex.open(indexPath(made.state.path));
    index.put({ url: `${origin}/indexed`, title: "Known", text: "Nothing but lanterns here.", site: undefined });
    index.close();
    await until(async () => (await mapOf(origin)).paths.includes("/indexed"));
    expect((await mapOf(origin, { search: "lanterns" })).paths).toEqual(["/indexed"]);
  });

  test("reads links that a script makes on the first page", async () => {
    const { origin } = serve({
      "/": `<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script>
        const a = document.createElement("a"); a.href = "/made"; a.textContent = "made by a script " + "and more ".repeat(20);
        document.getElementById("root").append(a);</script></body></html>`,
    });
    expect((await mapOf(origin)).paths).toEqual(["/", "/made"]);
  });

  test("follows redirects within the site by the rules of robots.txt, and none to another site", async () => {
    const { origin } = serve({ "/": moved("/home"), "/home": page("Home", "/a") });
    expect((await mapOf(origin)).paths).toEqual(["/home", "/a"]);
    const other = serve({ "/": page("Other", "/b") });
    const away = await mapOf(serve({ "/": moved(`${other.origin}/`) }).origin);
    expect([away.json["type"], String(away.json["detail"])]).toEqual([
      "urn:turnpike:error:page-failed",
      `Cannot map the site: it moved to ${other.origin}`,
    ]);
    expect(other.hits).toEqual([]);
    const hidden = serve({
      "/": moved("/hidden"),
      "/hidden": page("x"),
      "/robots.txt": "User-agent: *\nDisallow: /hidden",
    });
    expect((await mapOf(hidden.origin)).json["type"]).toBe("urn:turnpike:error:page-empty");
    expect(hidden.hits).not.toContain("/hidden");
    const endless = serve({ "/": moved("/?1"), "/sitemap.xml": set("ORIGIN/a") });
    expect((await mapOf(endless.origin)).paths).toEqual(["/a"]);
    expect(endless.hits.length).toBeLessThan(20);
  });

  const FAILURES: readonly (readonly [what: string, pages: Pages, type: string, file?: string])[] = [
    ["has no pages", {}, "page-failed"],
    ["forbids all", { "/": page("x", "/a"), "/robots.txt": "User-agent: turnpike\nDisallow: /" }, "page-empty"],
    [
      "fails to deliver robots.txt",
      { "/": page("x"), "/robots.txt": () => new Response("", { status: 500 }) },
      "page-failed",
      "robots.txt",
    ],
    [
      "has an endless robots.txt",
      { "/": page("x"), "/robots.txt": () => new Response(Buffer.alloc(60e6, 32)) },
      "page-failed",
      "robots.txt",
    ],
    [
      "redirects its robots.txt to itself",
      { "/": page("x"), "/robots.txt": () => Response.redirect("/robots.txt", 302) },
      "page-failed",
      "robots.txt",
    ],
    ["has a bomb alone", { "/sitemap.xml": () => new Response(gzipSync(Buffer.alloc(60e6, 32))) }, "page-failed"],
  ];
  test.each(FAILURES)("a site that %s is an error", async (_, pages, type, file = "") => {
    const { status, json } = await mapOf(serve(pages).origin);
    expect([status, json["type"]]).toEqual([500, `urn:turnpike:error:${type}`]);
    expect(json["detail"]).toContain(file);
  });

  test("refuses patterns that cannot be matched in linear time, or are too large", async () => {
    for (const pattern of ["(", "(a)\\1", "(?=a)", "[a-z]{1,1000}"]) {
      const { status, json } = await mapOf("http://127.0.0.1:1", { exclude_paths: ["^/a", pattern] });
      expect([status, json["errors"]]).toEqual([
        400,
        [{ path: "exclude_paths.1", message: expect.stringContaining("must be a regular expression: ") }],
      ]);
    }
  });
});

const many = (count: number): Pages => ({
  "/sitemap.xml": `ORIGIN/${Array.from({ length: count }, (_, n) => n).join("\nORIGIN/")}`,
});

async function lines(url: string) {
  const response = await fetch(`${baseUrl(made.service)}/map`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/x-ndjson" },
    body: JSON.stringify({ url, limit: 100_000, timeout: 120 }),
  });
  return { response, text: await response.text() };
}

const long = (n: number) => (origin: string) =>
  new Response(Array.from({ length: 2_000 }, (_, at) => `${origin}/${n}/${at}/${"x".repeat(1_000)}`).join("\n"));

describe("/map as lines of JSON", () => {
  test("has each address in a line, and the metadata in the last", async () => {
    const { origin } = serve(many(3_000));
    const { response, text } = await lines(origin);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const values: Readonly<Record<string, unknown>>[] = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(values).toHaveLength(3_001);
    expect(values[0]).toEqual({ url: `${origin}/0` });
    expect(values.at(-1)).toEqual({
      metadata: { elapsed_ms: expect.any(Number), truncated: false, partial: false, forbidden: 0 },
    });
  });

  test("is a problem if nothing is found", async () => {
    const { response, text } = await lines(serve({}).origin);
    expect([response.status, JSON.parse(text)["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  });

  test("reads no further sitemap while the client does not read, and ends when it goes away", async () => {
    const sitemaps = Array.from({ length: 40 }, (_, n) => `Sitemap: ORIGIN/s${n}`).join("\n");
    const { origin, hits } = serve({
      "/robots.txt": sitemaps,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`/s${n}`, long(n)])),
    });
    const { hostname, port } = new URL(baseUrl(made.service));
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const body = JSON.stringify({ url: origin, limit: 100_000, timeout: 120 });
    socket.write(
      `POST /map HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\naccept: application/x-ndjson\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, "data");
    socket.pause();
    const { origin: next } = serve(many(1));
    for (let n = 0; n < 3; n += 1) expect((await mapOf(next)).paths).toEqual(["/0"]);
    // The buffers of both ends hold some of the 80 MB.
    expect(hits.length).toBeLessThan(30);
    socket.destroy();
    expect((await mapOf(next)).paths).toEqual(["/0"]);
    expect(hits.length).toBeLessThan(30);
  });
});
