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
const NOTHING = { pages: [], sitemaps: [] };

test("returns the addresses of pages, and not those of their pictures", () => {
  const pages = ["https://a.test/?x=1&y=2", "https://a.test/cdata"];
  expect(readSitemap(bytes(URLSET))).toEqual({ pages, sitemaps: [] });
  expect(readSitemap(new Uint8Array(gzipSync(URLSET)))).toEqual({ pages, sitemaps: [] });
});

test("returns the sitemaps of an index", () => {
  expect(readSitemap(bytes(INDEX))).toEqual({ pages: [], sitemaps: ["https://a.test/1.xml.gz"] });
});

test("reads a list with one address per line", () => {
  expect(readSitemap(bytes("https://a.test/1\r\nhttps://a.test/2\nnonsense\n"))).toEqual({
    pages: ["https://a.test/1", "https://a.test/2"],
    sitemaps: [],
  });
});

test.each([
  ["nothing", bytes("")],
  ["a page", bytes("<!doctype html><html><a href='https://a.test/'>a</a></html>")],
  ["what is cut off", new Uint8Array(gzipSync(URLSET).subarray(0, 40))],
  ["a bomb", new Uint8Array(gzipSync(Buffer.alloc(60 * 1024 * 1024, 32)))],
])("finds nothing in %s", (_, body) => {
  expect(readSitemap(body)).toEqual(NOTHING);
});

test("returns fifty thousand addresses, however many there are and however deep they are nested", () => {
  expect(readSitemap(bytes(`<urlset>${"<url><loc>https://a.test/</loc></url>".repeat(60_000)}`)).pages.length).toBe(
    50_000,
  );
  expect(readSitemap(bytes("<url><loc>".repeat(200_000)))).toEqual(NOTHING);
});
