import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { codeOf } from "../../../lib/caught.ts";
import { type SearchFilters } from "../web/provider.ts";
import { matchesOf, segmented, snippetOf, termsOf } from "./query.ts";

/** Maximum number of characters of a page's text that are indexed. */
const MAX_PAGE_TEXT = 200_000;
const MAX_TITLE = 300;
/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 5_000;
/** The weights of a word in the title, the text and the address. */
const WEIGHTS = "8.0, 1.0, 3.0";
/**
 * Maximum number of pages in the index that were fetched outside of a crawl and belong to no site. The oldest are
 * removed.
 */
const MAX_FETCHED_PAGES = 20_000;

const VERSION = 1;

const SCHEMA = `
CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  depth INTEGER NOT NULL,
  max_pages INTEGER NOT NULL,
  sitemap INTEGER NOT NULL,
  same_host INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  open INTEGER NOT NULL DEFAULT 0,
  crawled_at INTEGER
) STRICT;
CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  site INTEGER REFERENCES sites(id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  fetched_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pages_by_site ON pages(site, fetched_at);
CREATE INDEX pages_by_hash ON pages(hash);
CREATE TABLE frontier (
  site INTEGER NOT NULL REFERENCES sites(id),
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  waiting INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (site, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX frontier_waiting ON frontier(site, waiting, depth, url);
CREATE TABLE crawler (id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER NOT NULL, seen_at INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE words USING fts5(
  title, body, address, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);`;

/** A query of the index. */
export interface IndexQuery {
  readonly query: string;
  readonly filters?: SearchFilters;
  readonly count: number;
  /** Pages that are left out at the beginning. */
  readonly offset?: number;
}

/** A page that a query found. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

/** A page to put into the index. */
export interface NewPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** The site that it was crawled for. Undefined if it was fetched outside of a crawl. */
  readonly site: number | undefined;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A known page, with the validators for its next fetch. */
export interface PageRow {
  readonly id: number;
  /** Null for a page that was fetched outside of a crawl. */
  readonly site: number | null;
  readonly hash: string;
  readonly etag: string | null;
  readonly last_modified: string | null;
}

/** The size of an index. */
export interface IndexStats {
  readonly sites: number;
  readonly pages: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/**
 * A full-text index of pages in one SQLite file. Any number of processes may use it at the same time. Scripts
 * without spaces are indexed by character and searched as phrases: trigrams would triple the index, and miss words of two characters.
 */
export class PageIndex {
  readonly database: Database;
  readonly #now: () => number;

  private constructor(database: Database, now: () => number) {
    this.database = database;
    this.#now = now;
  }

  /**
   * Opens the index with mode 0600, and creates it if it does not exist. `now` is in milliseconds. Throws if that
   * fails.
   */
  static open(path: string, now: () => number = Date.now): PageIndex {
    ownFile(path);
    const database = new Database(path, { create: true, strict: true });
    try {
      database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
      database.run("PRAGMA journal_mode = WAL");
      // A crash of the machine may lose the last pages, which the next crawl fetches again. It does not corrupt the
      // file.
      database.run("PRAGMA synchronous = NORMAL");
      prepare(database, path);
      return new PageIndex(database, now);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The best pages for a query. Never fails because of the query's text. */
  search({ query, count, offset = 0 }: IndexQuery): FoundPage[] {
    const terms = termsOf(query);
    const found = new Map<number, { readonly url: string; readonly title: string; readonly body: string }>();
    const statement = this.database.query<{ id: number; url: string; title: string; body: string }, [string, number]>(
      `SELECT id, url, title, body FROM
         (SELECT rowid AS id, bm25(words, ${WEIGHTS}) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?)
         JOIN pages USING (id) ORDER BY score`,
    );
    for (const match of matchesOf(terms)) {
      for (const { id, ...page } of statement.all(match, count + offset)) if (!found.has(id)) found.set(id, page);
      if (found.size >= count + offset) break;
    }
    const pages = [...found.values()].slice(offset, offset + count);
    return pages.map(({ url, title, body }) => ({ url, title, snippet: snippetOf(body, terms) }));
  }

  /** The index's record of a page. */
  page(url: string): PageRow | undefined {
    const row = this.database.query<PageRow, [string]>(
      "SELECT id, site, hash, etag, last_modified FROM pages WHERE url = ?",
    );
    return row.get(url) ?? undefined;
  }

  /** Inserts or replaces a page. False if its text has not changed. */
  put(page: NewPage): boolean {
    const title = page.title.slice(0, MAX_TITLE).toWellFormed();
    const body = page.text.slice(0, MAX_PAGE_TEXT).toWellFormed();
    const hash = Bun.hash(`${title}\0${body}`).toString(16);
    return this.database
      .transaction(() => {
        const old = this.page(page.url);
        const changed = old?.hash !== hash;
        if (old !== undefined && changed) this.database.run("DELETE FROM words WHERE rowid = ?", [old.id]);
        const { id } = this.#upsert(page, { title, body, hash });
        if (changed) {
          this.database.run("INSERT INTO words (rowid, title, body, address) VALUES (?, ?, ?, ?)", [
            id,
            segmented(title),
            segmented(body),
            segmented(addressWords(page.url)),
          ]);
        }
        if (page.site === undefined && old === undefined) this.#dropOldest();
        return changed;
      })
      .immediate();
  }

  /**
   * The address of another page with the same title and text, so that the duplicate can be left out. Undefined if the
   * index contains no such page.
   */
  twin(title: string, text: string, url: string): string | undefined {
    const hash = Bun.hash(
      `${title.slice(0, MAX_TITLE).toWellFormed()}\0${text.slice(0, MAX_PAGE_TEXT).toWellFormed()}`,
    ).toString(16);
    const row = this.database
      .query<{ url: string }, [string, string]>("SELECT url FROM pages WHERE hash = ? AND url <> ? LIMIT 1")
      .get(hash, url);
    return row?.url;
  }

  /** Records that a page has not changed. */
  touch(url: string): void {
    this.database.run("UPDATE pages SET fetched_at = ? WHERE url = ?", [this.#now(), url]);
  }

  /** Removes a page. False if the index does not contain it. */
  remove(url: string): boolean {
    return this.database
      .transaction(() => {
        const row = this.page(url);
        if (row !== undefined) this.#removeRow(row.id);
        return row !== undefined;
      })
      .immediate();
  }

  stats(): IndexStats {
    const row = this.database
      .query<{ sites: number; pages: number }, []>(
        "SELECT (SELECT count(*) FROM sites) AS sites, (SELECT count(*) FROM pages) AS pages",
      )
      .get();
    return { sites: row?.sites ?? 0, pages: row?.pages ?? 0, bytes: this.bytes() };
  }

  /** The length of the file in bytes. */
  bytes(): number {
    const row = this.database
      .query<{ bytes: number }, []>("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get();
    return row?.bytes ?? 0;
  }

  /** Whether the index contains a page. */
  hasPages(): boolean {
    return this.database.query("SELECT 1 FROM pages LIMIT 1").get() !== null;
  }

  close(): void {
    this.database.close();
  }

  #upsert(page: NewPage, { title, body, hash }: { title: string; body: string; hash: string }): { id: number } {
    const row = this.database
      .query<{ id: number }, (string | number | null)[]>(
        `INSERT INTO pages (url, site, title, body, hash, etag, last_modified, fetched_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (url) DO UPDATE SET site = coalesce(excluded.site, site), title = excluded.title,
           body = excluded.body, hash = excluded.hash, etag = excluded.etag, last_modified = excluded.last_modified,
           fetched_at = excluded.fetched_at
         RETURNING id`,
      )
      .get(page.url, page.site ?? null, title, body, hash, page.etag ?? null, page.lastModified ?? null, this.#now());
    if (row === null) throw new Error("Cannot index a page: the database returned no row");
    return row;
  }

  #dropOldest(): void {
    const rows = this.database
      .query<{ id: number }, [number]>(
        "SELECT id FROM pages WHERE site IS NULL ORDER BY fetched_at DESC, id DESC LIMIT 100 OFFSET ?",
      )
      .all(MAX_FETCHED_PAGES);
    for (const { id } of rows) this.#removeRow(id);
  }

  #removeRow(id: number): void {
    this.database.run("DELETE FROM words WHERE rowid = ?", [id]);
    this.database.run("DELETE FROM pages WHERE id = ?", [id]);
  }
}

function prepare(database: Database, path: string): void {
  database
    .transaction(() => {
      const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
      if (version > VERSION) throw new Error(`Cannot use the index "${path}": a newer version of Turnpike made it`);
      if (version === VERSION) return;
      database.run(SCHEMA);
      database.run(`PRAGMA user_version = ${VERSION}`);
    })
    .immediate();
}

/**
 * SQLite gives its -wal and -shm files the mode of the main file, so that mode must be right before the file is opened.
 */
function ownFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw new Error(`Cannot open the index "${path}": ${codeOf(error) ?? "unknown"}`, { cause: error });
  }
}

/** The words of an address that people search for. */
function addressWords(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${hostname} ${pathname}`.replace(/%[\da-f]{2}/gi, " ").replace(/[^\p{L}\p{N}]+/gu, " ");
}
