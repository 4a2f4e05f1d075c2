import { createGunzip } from "node:zlib";
import { setImmediate } from "node:timers/promises";
import { Parser } from "htmlparser2";

/** Maximum number of bytes of a sitemap, both compressed and decompressed. The protocol allows 50 MB. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
/** Maximum number of addresses of a sitemap. The protocol allows the same number. */
const MAX_URLS = 50_000;
const MAX_URL_LENGTH = 2_048;
/** Characters of a date or title that are kept. */
const MAX_TEXT = 300;
/** Bytes that are parsed before other work has its turn. @bound */
const PIECE_BYTES = 128 * 1024;

export interface SitemapPage {
  readonly url: string;
  /** The date of its last change, from the file. */
  readonly modified?: string;
  /** Only feeds have titles. */
  readonly title?: string;
}

export interface Sitemap {
  readonly pages: readonly SitemapPage[];
  /** Other sitemaps, if this is an index of sitemaps. */
  readonly sitemaps: readonly string[];
  /** Bytes that were read, after decompression. */
  readonly bytes: number;
}

/**
 * Reads a sitemap, an index of sitemaps, a feed (RSS, RDF, Atom), or a list with one address per line, gzipped or not.
 * The result is empty for other files. A file that is damaged or longer than `maxBytes` is read up to there.
 */
export async function readSitemap(body: Uint8Array, maxBytes = MAX_SITEMAP_BYTES): Promise<Sitemap> {
  const decoder = new TextDecoder();
  let reader: TextReader | XmlReader | undefined;
  let bytes = 0;
  for await (const piece of piecesOf(body)) {
    bytes += piece.length;
    if (bytes > maxBytes) break;
    const text = decoder.decode(piece, { stream: true });
    if (reader === undefined && text.trim() === "") continue;
    reader ??= text.trimStart().startsWith("<") ? new XmlReader() : new TextReader();
    if (!reader.read(text)) break;
    await setImmediate();
  }
  reader?.end();
  return { pages: reader?.pages ?? [], sitemaps: reader?.sitemaps ?? [], bytes };
}

async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) {
    for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
    return;
  }
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  gunzip.end(body);
  try {
    // A readable stream of bytes gives buffers.
    for await (const piece of gunzip) yield piece as Buffer;
  } catch {
    // The rest is damaged.
  } finally {
    gunzip.destroy();
  }
}

/** A list with one address per line. */
class TextReader {
  readonly pages: SitemapPage[] = [];
  readonly sitemaps: string[] = [];
  #line = "";

  read(text: string): boolean {
    const lines = (this.#line + text).split(/\r\n|\r|\n/);
    // A longer line is not an address.
    this.#line = (lines.pop() ?? "").slice(0, MAX_URL_LENGTH + 1);
    for (const line of lines) this.#add(line);
    return this.pages.length < MAX_URLS;
  }

  end(): void {
    this.#add(this.#line);
  }

  #add(line: string): void {
    const url = addressOf(line);
    if (url !== undefined && this.pages.length < MAX_URLS) this.pages.push({ url });
  }
}

/** Elements that stand for one address. */
const HOLDERS = new Set(["url", "sitemap", "item", "entry"]);
/** The elements of an address that are kept. */
const FIELDS: Readonly<Record<string, "url" | "modified" | "title">> = {
  loc: "url",
  link: "url",
  lastmod: "modified",
  pubDate: "modified",
  updated: "modified",
  title: "title",
};

type Entry = { -readonly [Field in keyof SitemapPage]?: string };

/** A sitemap, an index or a feed. Entities that the file declares are not expanded. */
class XmlReader {
  readonly pages: SitemapPage[] = [];
  readonly sitemaps: string[] = [];
  readonly #parser: Parser;
  #holder: { readonly name: string; readonly prefix: string; readonly entry: Entry } | undefined;
  #field: { readonly name: string; readonly key: keyof SitemapPage; text: string } | undefined;

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, attributes),
        ontext: (piece) => {
          const field = this.#field;
          if (field !== undefined && field.text.length <= MAX_URL_LENGTH) field.text += piece;
        },
        onclosetag: (name) => this.#close(name),
      },
      { xmlMode: true },
    );
  }

  read(text: string): boolean {
    this.#parser.write(text);
    return !this.#isFull;
  }

  end(): void {
    this.#parser.end();
  }

  get #isFull(): boolean {
    return this.pages.length + this.sitemaps.length >= MAX_URLS;
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const bare = name.slice(name.indexOf(":") + 1);
    const prefix = name.slice(0, name.length - bare.length);
    if (HOLDERS.has(bare) && this.#holder === undefined) this.#holder = { name, prefix, entry: {} };
    // Images and videos of a page have a `loc` in their own namespaces.
    if (this.#holder?.prefix !== prefix || this.#field !== undefined) return;
    const key = Object.hasOwn(FIELDS, bare) ? FIELDS[bare] : undefined;
    if (key === undefined) return;
    this.#field = { name, key, text: "" };
    const { href, rel = "alternate" } = attributes;
    if (href !== undefined && rel === "alternate") this.#holder.entry[key] ??= href;
  }

  #close(name: string): void {
    if (this.#field?.name === name) {
      const { key, text } = this.#field;
      if (this.#holder !== undefined && text.trim() !== "") this.#holder.entry[key] ??= text;
      this.#field = undefined;
    }
    if (this.#holder?.name !== name) return;
    this.#keep(this.#holder.name.endsWith("sitemap"), this.#holder.entry);
    this.#holder = undefined;
    this.#field = undefined;
    if (this.#isFull) this.#parser.pause();
  }

  #keep(isIndex: boolean, { url: address = "", modified, title }: Entry): void {
    const url = addressOf(address);
    if (url === undefined || this.#isFull) return;
    if (isIndex) this.sitemaps.push(url);
    else {
      const texts = Object.entries({ modified, title }).flatMap(([name, text = ""]) => {
        const line = text.replace(/\s+/g, " ").trim().slice(0, MAX_TEXT).toWellFormed();
        return line === "" ? [] : [[name, line] as const];
      });
      this.pages.push({ url, ...Object.fromEntries(texts) });
    }
  }
}

function addressOf(text: string): string | undefined {
  const url = text.trim();
  return url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}
