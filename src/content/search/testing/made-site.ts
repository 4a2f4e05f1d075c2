import { gzipSync } from "node:zlib";

/** Articles of the site. */
export const ARTICLES = 180;

export interface MadeSite {
  readonly url: string;
  /** Number of requests for each path. */
  readonly hits: ReadonlyMap<string, number>;
  /** The highest number of concurrent requests. */
  readonly mostAtOnce: () => number;
  /** Changes an article's words. */
  edit(article: number): void;
  /** Removes an article. */
  drop(article: number): void;
  /** The response to requests for robots.txt. Tests replace it. */
  robots: () => Response;
  close(): Promise<void>;
}

const WORDS =
  "harbour tide vessel cargo merchant toll bridge lantern rope anchor sail captain ledger coin market".split(" ");

function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => WORDS[(seed * 7 + at * (seed + 3)) % WORDS.length]).join(" ");
}

function html(title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>
    <nav><a href="/">Home</a> <a href="/section/0">First</a></nav><main><article><h1>${title}</h1>${body}</article></main>
    <footer>All rights reserved <a href="/private/secret">private</a></footer></body></html>`;
}

function article(n: number, edition: number): string {
  const links = `<a href="/article/${(n + 1) % ARTICLES}">next</a> <a href="/article/${(n + ARTICLES - 1) % ARTICLES}#top">before</a>`;
  const text = [1, 2, 3].map((part) => `<p>Article${n} edition${edition}: ${words(n + part, 60)}.</p>`).join("");
  return html(`Article ${n}`, `${text}<p>${links}</p>`);
}

const PARAGRAPH = `<p>${words(1, 80)}</p><p>${words(2, 80)}</p>`;

function page(path: string, edition: (n: number) => number): string | undefined {
  const [, kind, number] = /^\/(\w+)\/(\d+)$/.exec(path) ?? [];
  const n = Number(number);
  if (kind === "article" && n < ARTICLES) return article(n, edition(n));
  if (kind === "section" && n < 9) {
    const links = Array.from(
      { length: 20 },
      (_, at) => `<li><a href="/article/${n * 20 + at}">Article ${n * 20 + at}</a></li>`,
    );
    return html(`Section ${n}`, `<p>Section${n} ${words(n, 60)}</p><ul>${links.join("")}</ul>`);
  }
  if (kind === "calendar")
    return html(`Day ${n}`, `<p>Day${n} ${words(n, 70)}</p><a href="/calendar/${n + 1}">tomorrow</a>`);
  return FIXED[path];
}

const FIXED: Readonly<Record<string, string>> = {
  "/": html(
    "Home",
    `${PARAGRAPH}<ul>${Array.from({ length: 9 }, (_, n) => `<li><a href="section/${n}">Section ${n}</a></li>`).join("")}</ul>
     ${["/copy", "/print?of=5", "/mutual/a", "/noindex", "/noindex-field", "/nofollow", "/broken", "/drops", "/old", "/away", "/loop", "/calendar/0", "/shell", "/late", "/file.zip", "/picture.png", "/gone", "/private/x", "/mailing?utm_source=home", "/mailing"].map((href) => `<a href="${href}">${href}</a>`).join(" ")}
     <a href="http://127.0.0.2:9/outside">outside</a> <a href="mailto:a@b.test">mail</a> <a href="javascript:void 0">script</a> <a href="http://[">broken</a>`,
  ),
  "/copy": article(1, 0),
  "/print": html("Article 5, to print", `<p>Print ${words(5, 80)}</p>`, `<link rel="canonical" href="/article/5">`),
  "/mutual/a": html("Mutual a", `<p>Mutuala ${words(3, 80)}</p>`, `<link rel="canonical" href="/mutual/b">`),
  "/mutual/b": html("Mutual b", `<p>Mutualb ${words(4, 80)}</p>`, `<link rel="canonical" href="/mutual/a">`),
  "/noindex": html(
    "Hidden",
    `<p>Hidden ${words(3, 80)}</p><a href="/behind">on</a>`,
    `<meta name="robots" content="noindex">`,
  ),
  "/noindex-field": html("Hidden too", PARAGRAPH),
  "/behind": html("Behind", `<p>Behind ${words(8, 80)}</p>`),
  "/nofollow": html(
    "Follow me not",
    `<p>Nofollow ${words(6, 80)}</p><a href="/never">on</a>`,
    `<meta name="robots" content="nofollow">`,
  ),
  "/mailing": html("Mailing", `<p>Mailing ${words(9, 80)}</p><a rel="nofollow" href="/never">on</a>`),
  "/lonely": html("Lonely", `<p>Lonely ${words(11, 80)}</p>`),
  "/shell": `<!doctype html><html><head><title>App</title><script src="/app.js"></script></head><body><div id="root"></div></body></html>`,
  "/late": html("Late", `<p>Late ${words(10, 80)}</p><p id="hours">Loading…</p><script src="/app.js"></script>`),
};

const REDIRECTS: Readonly<Record<string, string>> = {
  "/old": "/article/7",
  "/away": "http://127.0.0.2:9/",
  "/loop": "/loop",
};

function urlset(paths: readonly string[], origin: string): string {
  return `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`;
}

function file(path: string, origin: string): Response | undefined {
  if (path === "/sitemap-index.xml.gz") {
    const maps = ["/sitemap-1.xml", "/sitemap-2.xml.gz", "/sitemap-index.xml.gz", "/sitemap-none.xml"];
    const index = `<sitemapindex>${maps.map((map) => `<sitemap><loc>${origin}${map}</loc></sitemap>`).join("")}</sitemapindex>`;
    return new Response(gzipSync(index), { headers: { "content-type": "application/gzip" } });
  }
  if (path === "/sitemap-1.xml") return new Response(urlset(["/lonely", "/article/3", "/private/y"], origin));
  if (path === "/sitemap-2.xml.gz") {
    const paths = Array.from({ length: 60 }, (_, n) => `/article/${n + 100}`);
    return new Response(gzipSync(urlset([...paths, "http://127.0.0.2:9/"], origin)));
  }
  if (path === "/file.zip")
    return new Response(new Uint8Array(12_000_000), { headers: { "content-type": "application/zip" } });
  if (path === "/picture.png") return new Response("PNG", { headers: { "content-type": "image/png" } });
  return undefined;
}

/** A site of about two hundred pages with the cases that crawlers encounter, on a loopback address. */
export function startMadeSite(): MadeSite {
  const hits = new Map<string, number>();
  const editions = new Map<number, number>();
  const dropped = new Set<string>();
  let atOnce = 0;
  let mostAtOnce = 0;
  const serve = (request: Request, url: URL): Response => {
    const { pathname: path } = url;
    if (path === "/robots.txt") return site.robots();
    if (path === "/busy") return new Response("too much", { status: 429 });
    if (path === "/broken") return new Response("broken", { status: 500 });
    if (path === "/drops") return new Response(html("Drops", PARAGRAPH), { headers: { "content-encoding": "gzip" } });
    const to = REDIRECTS[path];
    if (to !== undefined) return new Response(null, { status: 301, headers: { location: to } });
    const found = file(path, url.origin);
    if (found !== undefined) return found;
    const text = dropped.has(path) ? undefined : page(path, (n) => editions.get(n) ?? 0);
    if (text === undefined) return new Response("not found", { status: 404 });
    const etag = `"${Bun.hash(text).toString(16)}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    const headers = new Headers({ "content-type": "text/html; charset=utf-8" });
    // Some pages have no validator, so that only their words show a change.
    if (!path.endsWith("0")) headers.set("etag", etag);
    if (path === "/noindex-field") headers.set("x-robots-tag", "noindex");
    return new Response(text, { headers });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      hits.set(url.pathname, (hits.get(url.pathname) ?? 0) + 1);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      // Long enough for another request to arrive.
      await Bun.sleep(0);
      atOnce -= 1;
      return serve(request, url);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const site: MadeSite = {
    url,
    hits,
    mostAtOnce: () => mostAtOnce,
    edit: (n) => editions.set(n, (editions.get(n) ?? 0) + 1),
    drop: (n) => dropped.add(`/article/${n}`),
    robots: () => new Response(`User-agent: *\nDisallow: /private/\nSitemap: ${url}/sitemap-index.xml.gz\n`),
    async close() {
      await server.stop(true);
    },
  };
  return site;
}
