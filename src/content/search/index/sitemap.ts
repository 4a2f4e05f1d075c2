import { gunzipSync } from "node:zlib";
import { Parser } from "htmlparser2";

/** Maximum number of bytes of a sitemap, both compressed and decompressed. The protocol allows 50 MB. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
/** Maximum number of addresses of a sitemap. The protocol allows the same number. */
const MAX_URLS = 50_000;
const MAX_URL_LENGTH = 2_048;

export interface Sitemap {
  readonly pages: readonly string[];
  /** Other sitemaps, if this is an index of sitemaps. */
  readonly sitemaps: readonly string[];
}

const NOTHING: Sitemap = { pages: [], sitemaps: [] };

/**
 * Reads a sitemap, an index of sitemaps, or a list with one address per line, gzipped or not. The result is empty for
 * other files.
 */
export function readSitemap(body: Uint8Array<ArrayBuffer>): Sitemap {
  const text = sitemapText(body);
  if (text === undefined) return NOTHING;
  if (!/^\s*</.test(text.slice(0, 1_000))) return { pages: addresses(text.split(/\r?\n/, MAX_URLS)), sitemaps: [] };
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let within: string | undefined;
  let location: string | undefined;
  const parser = new Parser(
    {
      onopentagname(name) {
        const bare = name.slice(name.indexOf(":") + 1);
        if (bare === "url" || bare === "sitemap") within = bare;
        // Images and videos of a page have a `loc` in their own namespaces.
        if (name === "loc" && within !== undefined) location = "";
      },
      ontext(piece) {
        if (location !== undefined && location.length <= MAX_URL_LENGTH) location += piece;
      },
      onclosetag(name) {
        if (name === "loc" && location !== undefined) {
          (within === "sitemap" ? sitemaps : pages).push(location.trim());
          location = undefined;
        }
        if (name === within) within = undefined;
        if (pages.length + sitemaps.length >= MAX_URLS) parser.pause();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return { pages: addresses(pages), sitemaps: addresses(sitemaps) };
}

function sitemapText(body: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    const bytes =
      body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, { maxOutputLength: MAX_SITEMAP_BYTES }) : body;
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function addresses(found: readonly string[]): string[] {
  return found
    .slice(0, MAX_URLS)
    .map((text) => text.trim())
    .filter((text) => text.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(text) && URL.canParse(text));
}
