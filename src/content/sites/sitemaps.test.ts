import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { patient } from "../../lib/testing/patience.ts";
import { ANYWHERE, PUBLIC_WEB } from "../egress/guard.ts";
import { fetchRobots } from "./robots-file.ts";
import { sitemapPages } from "./sitemaps.ts";

setDefaultTimeout(patient(20_000));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** Serves files, and records the paths that were requested. `ORIGIN` in a text is the address of the site. */
function serve(files: Files | ((path: string) => Response | undefined)) {
  const hits: string[] = [];
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request): Response {
      const { pathname } = new URL(request.url);
      hits.push(pathname);
      const file = typeof files === "function" ? files(pathname) : files[pathname];
      if (file === undefined) return new Response("", { status: 404 });
      if (typeof file === "object" && !(file instanceof Uint8Array)) return file;
      return new Response(typeof file === "string" ? file.replaceAll("ORIGIN", origin) : file);
    },
  });
  const origin: string = `http://127.0.0.1:${server.port}`;
  closing.push(() => server.stop(true));
  return { origin, hits };
}

async function pagesOf(origin: string, policy = ANYWHERE): Promise<string[]> {
  const fetch = { egress: { policy }, userAgent: "test", signal: AbortSignal.timeout(patient(15_000)) };
  const source = {
    start: new URL(origin),
    isOwn: ({ hostname }: URL) => hostname === "127.0.0.1",
    robots: (url: URL) => fetchRobots(url, fetch),
  };
  const found: string[] = [];
  for await (const pages of sitemapPages(source, fetch)) found.push(...pages.map(({ url }) => url.replace(origin, "")));
  return found;
}

const set = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>ORIGIN${path}</loc></url>`).join("")}</urlset>`;
const indexOf = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;

test("reads the sitemaps of robots.txt in every form, and the usual one", async () => {
  const { origin, hits } = serve({
    "/robots.txt": "Sitemap: ORIGIN/index.xml\nSitemap: /relative.txt\nSitemap: ORIGIN/feed\nSitemap: ORIGIN/index.xml",
    "/index.xml": indexOf("ORIGIN/a.xml", "ORIGIN/b.gz"),
    "/a.xml": set("/a"),
    "/b.gz": new Uint8Array(gzipSync("<urlset><url><loc>https://b.test/b</loc></url></urlset>")),
    "/relative.txt": "ORIGIN/c\n",
    "/feed": "<rss><channel><item><link>ORIGIN/d</link></item></channel></rss>",
    "/sitemap.xml": set("/e"),
  });
  expect((await pagesOf(origin)).toSorted()).toEqual(["/a", "/c", "/d", "/e", "https://b.test/b"]);
  expect(hits.filter((path) => path === "/index.xml")).toHaveLength(1);
  expect(hits).not.toContain("/sitemap.txt");
});

test("tries other usual names if the first does not exist", async () => {
  const { origin } = serve({ "/sitemap.txt": "ORIGIN/a" });
  expect(await pagesOf(origin)).toEqual(["/a"]);
});

test("reads no sitemap that robots.txt forbids", async () => {
  const { origin, hits } = serve({
    "/robots.txt": "User-agent: *\nDisallow: /hidden\nSitemap: ORIGIN/hidden.xml\nSitemap: ORIGIN/open.xml",
    "/hidden.xml": set("/a"),
    "/open.xml": set("/b"),
  });
  expect(await pagesOf(origin)).toEqual(["/b"]);
  expect(hits).not.toContain("/hidden.xml");
});

test("the first part of a long robots.txt is read, without its last line if that is cut", async () => {
  const start = "User-agent: *\nDisallow: /hidden\nSitemap: ORIGIN/hidden.xml\nSitemap: ORIGIN/open.xml\n# ";
  const { origin, hits } = serve((path) => {
    if (path === "/open.xml") return new Response(set("/b").replace("ORIGIN", origin));
    if (path !== "/robots.txt") return undefined;
    const text = start.replaceAll("ORIGIN", origin);
    const cut = "\nDisallow: /";
    return new Response(`${text.padEnd(512_000 - cut.length, "x")}${cut}${"y".repeat(3_000_000)}`);
  });
  expect(await pagesOf(origin)).toEqual(["/b"]);
  expect(hits).not.toContain("/hidden.xml");
});

test("indexes that name each other end, and so do indexes without end", async () => {
  const loop = serve({ "/sitemap.xml": indexOf("ORIGIN/other.xml"), "/other.xml": indexOf("ORIGIN/sitemap.xml") });
  expect(await pagesOf(loop.origin)).toEqual([]);
  const deep = serve((path) => {
    const n = Number(/\d+/.exec(path)?.[0] ?? 0);
    return path.includes("robots") ? undefined : new Response(indexOf(`${deep.origin}/${n + 1}.xml`));
  });
  expect(await pagesOf(deep.origin)).toEqual([]);
  expect(deep.hits.filter((path) => /\d/.test(path))).toHaveLength(3);
  const wide = serve((path) => {
    const inner = Array.from({ length: 1_000 }, (_, n) => `${wide.origin}/x${n}.xml`);
    return path === "/sitemap.xml" ? new Response(indexOf(...inner)) : undefined;
  });
  expect(await pagesOf(wide.origin)).toEqual([]);
  expect(wide.hits.filter((path) => /\d/.test(path))).toHaveLength(49);
});

test("a sitemap that redirects without end is left out", async () => {
  const { origin, hits } = serve((path) =>
    path.startsWith("/s") ? new Response("", { status: 302, headers: { location: `${path}x` } }) : undefined,
  );
  expect(await pagesOf(origin)).toEqual([]);
  expect(hits.length).toBeLessThan(25);
});

test("an index cannot send the reader to other hosts, and robots.txt to only a few", async () => {
  const other = serve((path) => (path === "/robots.txt" ? undefined : new Response("")));
  const away = other.origin.replace("127.0.0.1", "localhost");
  const { origin } = serve({
    "/robots.txt": Array.from({ length: 20 }, (_, n) => `Sitemap: ${away}/listed${n}`).join("\n"),
    "/sitemap.xml": indexOf(`${away}/indexed`),
  });
  await pagesOf(origin);
  const asked = other.hits.filter((path) => path !== "/robots.txt");
  expect(asked).toEqual(["/listed0", "/listed1", "/listed2", "/listed3", "/listed4"]);
});

test("bombs are read up to the limit of all sitemaps together", async () => {
  const bomb = new Uint8Array(gzipSync(`<urlset>${" ".repeat(49 * 1024 * 1024)}`));
  const { origin, hits } = serve({
    "/robots.txt": Array.from({ length: 20 }, (_, n) => `Sitemap: ORIGIN/b${n}`).join("\n"),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`/b${n}`, bomb])),
  });
  expect(await pagesOf(origin)).toEqual([]);
  expect(hits.filter((path) => path.startsWith("/b"))).toHaveLength(5);
});

test("nothing is requested from an address that the egress guard refuses", async () => {
  const { origin, hits } = serve({ "/sitemap.xml": set("/a") });
  expect(await pagesOf(origin, PUBLIC_WEB)).toEqual([]);
  expect(hits).toEqual([]);
});
