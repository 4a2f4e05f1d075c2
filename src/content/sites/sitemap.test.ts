import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { readSitemap } from "./sitemap.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> https://a.test/?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
<image:image><image:loc>https://a.test/picture.png</image:loc></image:image></url>
<url><loc><![CDATA[https://a.test/cdata]]></loc></url>
<url><loc>javascript:alert(1)</loc></url><url><loc>/relative</loc></url></urlset>`;
const INDEX = `<sitemapindex><sitemap><loc>https://a.test/1.xml.gz</loc></sitemap></sitemapindex>`;
const FEED = `<?xml version="1.0"?><rss xmlns:media="m" xmlns:atom="a"><channel><title>News</title><link>https://a.test/</link>
<item><title>One &amp; two</title><media:title>no</media:title><atom:link href="https://a.test/self" rel="self"/>
<link>https://a.test/1</link><pubDate>Mon, 01 Jun 2026 10:00:00 GMT</pubDate></item><item><guid>7</guid></item></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/><entry><title type="html">Two</title>
<link rel="enclosure" href="https://a.test/2.mp3"/><link href="https://a.test/2"/><updated>2026-06-02</updated></entry></feed>`;

async function read(body: Uint8Array) {
  const { pages, sitemaps } = await readSitemap(body);
  return { pages, sitemaps };
}

test("returns the addresses of pages with their dates, and not those of their pictures", async () => {
  const pages = [{ url: "https://a.test/?x=1&y=2", modified: "2026-01-01" }, { url: "https://a.test/cdata" }];
  expect(await read(bytes(URLSET))).toEqual({ pages, sitemaps: [] });
  expect(await read(new Uint8Array(gzipSync(URLSET)))).toEqual({ pages, sitemaps: [] });
  const prefixed = URLSET.replace(/<(\/?)(url|loc|lastmod)\b/g, "<$1s:$2");
  expect(await read(bytes(prefixed))).toEqual({ pages, sitemaps: [] });
});

test("returns the sitemaps of an index", async () => {
  expect(await read(bytes(INDEX))).toEqual({ pages: [], sitemaps: ["https://a.test/1.xml.gz"] });
});

test("reads the entries of feeds with their titles", async () => {
  expect((await read(bytes(FEED))).pages).toEqual([
    { url: "https://a.test/1", modified: "Mon, 01 Jun 2026 10:00:00 GMT", title: "One & two" },
  ]);
  expect((await read(bytes(ATOM))).pages).toEqual([{ url: "https://a.test/2", modified: "2026-06-02", title: "Two" }]);
});

test("reads a list with one address per line", async () => {
  expect(await read(bytes("https://a.test/1\r\nhttps://a.test/2\nnonsense\rhttps://a.test/3"))).toEqual({
    pages: ["https://a.test/1", "https://a.test/2", "https://a.test/3"].map((url) => ({ url })),
    sitemaps: [],
  });
});

test("reads a long file piece by piece, wherever its addresses are cut", async () => {
  const urls = Array.from({ length: 20_000 }, (_, n) => `https://a.test/${"ö".repeat(n % 7)}/${n}`);
  const xml = `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
  const expected = urls.map((url) => ({ url }));
  for (const text of [xml, urls.join("\n")]) {
    expect((await read(bytes(text))).pages).toEqual(expected);
    expect((await read(new Uint8Array(gzipSync(text)))).pages).toEqual(expected);
  }
});

const LAUGHS = `<!DOCTYPE x [<!ENTITY a "https://a.test/${"b".repeat(50)}"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/hostname">]>
<urlset><url><loc>&b;</loc></url><url><loc>&c;</loc></url></urlset>`;

test.each([
  ["nothing", bytes("")],
  ["a page", bytes("<!doctype html><html><a href='https://a.test/'>a</a></html>")],
  ["what is cut off", new Uint8Array(gzipSync(URLSET).subarray(0, 40))],
  ["a bomb", new Uint8Array(gzipSync(Buffer.alloc(60 * 1024 * 1024, 32)))],
  ["declared entities", bytes(LAUGHS)],
  ["an endless line", bytes(`https://a.test/${"x".repeat(1_000_000)}`)],
  ["an endless attribute", bytes(`<urlset a="${"<url><loc>https://a.test/</loc></url>".repeat(30_000)}`)],
])("finds nothing in %s", async (_, body) => {
  expect(await read(body)).toEqual({ pages: [], sitemaps: [] });
});

test("reads at most the given bytes", async () => {
  const body = new Uint8Array(gzipSync(URLSET + " ".repeat(1_000_000) + URLSET));
  const { pages, bytes: length } = await readSitemap(body, 300_000);
  expect(pages).toHaveLength(2);
  expect(length).toBeGreaterThan(300_000);
});

test("returns fifty thousand addresses, however many there are and however deep they are nested", async () => {
  expect((await read(bytes(`<urlset>${"<url><loc>https://a.test/</loc></url>".repeat(60_000)}`))).pages.length).toBe(
    50_000,
  );
  expect((await read(bytes("https://a.test/\n".repeat(60_000)))).pages.length).toBe(50_000);
  expect(await read(bytes("<url><loc>".repeat(200_000)))).toEqual({ pages: [], sitemaps: [] });
});
