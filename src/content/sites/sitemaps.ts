import { FETCH_TIMEOUT_MS, type SiteFetch } from "./robots-file.ts";
import { type Robots } from "./robots.ts";
import { MAX_SITEMAP_BYTES, readSitemap, type SitemapPage } from "./sitemap.ts";
import { webGet } from "./web-get.ts";

/** Sitemaps of a site that are read. */
const MAX_SITEMAPS = 50;
/** Sitemaps in other places than the site's host that are read. Only its robots.txt can name them. */
const MAX_FOREIGN_SITEMAPS = 5;
/** Indexes of sitemaps within each other that are read. The protocol allows one. */
const MAX_DEPTH = 3;
/** Bytes of all sitemaps of a site, after decompression. Addresses beyond them are not found. */
const MAX_BYTES = 4 * MAX_SITEMAP_BYTES;
/** Sitemaps that are tried if robots.txt names none. */
const USUAL = ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"];

export interface SitemapSource {
  /** Any address of the site's host. */
  readonly start: URL;
  /** Whether an address is of the site, so that its indexes may name it. */
  readonly isOwn: (url: URL) => boolean;
  /** The rules of any host. */
  readonly robots: (url: URL) => Promise<Robots>;
}

interface Waiting {
  readonly url: string;
  readonly depth: number;
}

/**
 * The pages of a site's sitemaps, one sitemap at a time: those of robots.txt, and `/sitemap.xml`. The addresses can be of
 * any host. Sitemaps that robots.txt forbids or that cannot be fetched are left out.
 */
export async function* sitemapPages(
  { start, isOwn, robots }: SitemapSource,
  fetch: SiteFetch,
): AsyncGenerator<readonly SitemapPage[]> {
  const { sitemaps: listed } = await robots(start);
  const usual = USUAL.map((path) => new URL(path, start).href);
  const waiting: Waiting[] = [...listed, ...usual.slice(0, 1)].map((url) => ({ url, depth: 0 }));
  const seen = new Set<string>();
  let left = MAX_BYTES;
  let foreign = 0;
  let found = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const url = URL.parse(next.url, start.href);
    if (url === null || !/^https?:$/.test(url.protocol) || seen.has(url.href)) continue;
    if (fetch.signal.aborted || seen.size >= MAX_SITEMAPS || left <= 0) return;
    if (!isOwn(url) && (next.depth > 0 || (foreign += 1) > MAX_FOREIGN_SITEMAPS)) continue;
    seen.add(url.href);
    if (!(await robots(url)).allows(url.pathname + url.search)) continue;
    const { pages, sitemaps, bytes } = await readSitemap(await bodyOf(url, fetch), Math.min(left, MAX_SITEMAP_BYTES));
    left -= bytes;
    found += pages.length + sitemaps.length;
    const { depth } = next;
    if (depth < MAX_DEPTH)
      waiting.push(...sitemaps.slice(0, MAX_SITEMAPS).map((inner) => ({ url: inner, depth: depth + 1 })));
    if (pages.length > 0) yield pages;
    if (found === 0 && waiting.length === 0) waiting.push(...usual.slice(1).map((other) => ({ url: other, depth: 0 })));
  }
}

async function bodyOf(url: URL, { egress, userAgent, signal }: SiteFetch): Promise<Uint8Array> {
  const response = await webGet({
    url,
    headers: { accept: "application/xml,text/xml,text/plain", "user-agent": userAgent },
    maxBytes: MAX_SITEMAP_BYTES,
    egress,
    redirects: "any-origin",
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
  }).catch(() => undefined);
  return response?.status === 200 ? response.body : new Uint8Array();
}
