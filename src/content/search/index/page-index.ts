import { type Database } from "bun:sqlite";
import { openSqlite } from "../../../store/sqlite/open-sqlite.ts";
import { type SearchFilters } from "../web/provider.ts";
import { hostWithoutWww } from "../web/result-url.ts";
import { type IndexMatch, matchOf } from "./match.ts";
import { MAX_PASSAGES, passagesOf } from "./passages.ts";
import { createTables } from "./index-tables.ts";
import { type Ranking, RANKING, scoresOf } from "./ranking.ts";
import { snippetOf } from "./snippet.ts";
import { Vocabulary } from "./vocabulary.ts";
import { stemsOf, termsOf, UNSTEMMED } from "./words.ts";

/** Maximum number of characters of a page's text that are indexed. */
const MAX_PAGE_TEXT = 200_000;
const MAX_TITLE = 300;
/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 5_000;
/** Best passages by which pages are ranked. */
const MAX_RANKED_PASSAGES = 1_000;
/**
 * Maximum number of pages in the index that were fetched outside of a crawl and belong to no site. The oldest are
 * removed.
 */
const MAX_FETCHED_PAGES = 20_000;

export interface IndexQuery {
  /** Undefined for all pages that the filters leave, in no order and without snippets. */
  readonly query?: string;
  readonly filters?: SearchFilters;
  readonly count: number;
  /** Pages that are left out at the beginning. */
  readonly offset?: number;
}

export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export interface NewPage {
  readonly url: string;
  readonly title: string;
  /** Each heading in it may begin with `HEADING_MARK`. */
  readonly text: string;
  readonly language?: string | undefined;
  /** The date of publication in any format that begins with year, month and day. */
  readonly published?: string | undefined;
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
  /** By ISO 639. Empty if it is not known. */
  readonly language: string;
}

export interface IndexStats {
  readonly sites: number;
  readonly pages: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/**
 * A full-text index of pages in one SQLite file. Any number of processes may use it at the same time. A row of `words` is
 * a passage of a page, in stems; its id is that of the page times `MAX_PASSAGES`, plus the passage's number.
 */
export class PageIndex {
  readonly database: Database;
  readonly #now: () => number;
  readonly #ranking: Ranking;
  readonly #vocabulary: Vocabulary;

  private constructor(database: Database, now: () => number, ranking: Ranking) {
    this.database = database;
    this.#now = now;
    this.#ranking = ranking;
    this.#vocabulary = new Vocabulary(database);
  }

  /**
   * Opens the index with mode 0600, and creates it if it does not exist. `now` is in milliseconds. Throws if that
   * fails.
   */
  static open(path: string, now: () => number = Date.now, ranking = RANKING): PageIndex {
    // A crash of the machine may lose the last pages, which the next crawl fetches again. It does not corrupt the file.
    const database = openSqlite(path, { synchronous: "NORMAL", busyMs: BUSY_MS, what: "the index" }, (file) =>
      createTables(file, path),
    );
    return new PageIndex(database, now, ranking);
  }

  /** The best pages for a query. Never fails because of the query's text. */
  search({ query, filters = {}, count, offset = 0 }: IndexQuery): FoundPage[] {
    if (query === undefined) return this.#all(filters, count, offset);
    const { stems, corrections } = this.#ranking;
    const languages = !stems ? [UNSTEMMED] : filters.lang === undefined ? this.#languages() : [filters.lang];
    const match = matchOf(query, { count: this.#count(), languages, vocabulary: this.#vocabulary, corrections });
    if (match.text === "") return [];
    const pages = this.#ranked(match, filters, offset + count).slice(offset, offset + count);
    const terms = [...new Set([...termsOf(query).map((parts) => parts.join("")), ...match.stems])];
    const body = this.database.query<{ body: string }, [number]>("SELECT body FROM pages WHERE id = ?");
    return pages.map(({ id, url, title }) => ({ url, title, snippet: snippetOf(body.get(id)?.body ?? "", terms) }));
  }

  #all(filters: SearchFilters, count: number, offset: number): FoundPage[] {
    const { conditions, values } = conditionsOf(filters);
    return this.database
      .query<FoundPage, (string | number)[]>(
        `SELECT url, title, '' AS snippet FROM pages WHERE ${["true", ...conditions].join(" AND ")} LIMIT ? OFFSET ?`,
      )
      .all(...values, count, offset);
  }

  /** The pages for a query, of which the first `count` are in order. */
  #ranked({ text, stems }: IndexMatch, filters: SearchFilters, count: number): readonly RankedPage[] {
    const { conditions, values } = conditionsOf(filters);
    const from = conditions.length === 0 ? "words" : `words JOIN pages ON pages.id = words.rowid / ${MAX_PASSAGES}`;
    const passages = this.database
      .query<{ page: number; score: number }, (string | number)[]>(
        `SELECT words.rowid / ${MAX_PASSAGES} AS page, -bm25(words, ${this.#ranking.weights.join(", ")}) AS score FROM ${from}
         WHERE ${["words MATCH ?", ...conditions].join(" AND ")} ORDER BY score DESC LIMIT ${MAX_RANKED_PASSAGES}`,
      )
      .all(text, ...values);
    const scores = [...scoresOf(passages, this.#ranking)].toSorted(([, a], [, b]) => b - a);
    // No title can lift a page with less into the first ones.
    const least = (scores[count - 1]?.[1] ?? 0) / (1 + this.#ranking.titleGain);
    const page = this.database.query<RankedPage & { language: string }, [number]>(
      "SELECT id, url, title, language FROM pages WHERE id = ?",
    );
    return scores
      .filter(([, score]) => score >= least)
      .flatMap(([id, score]) => {
        const found = page.get(id);
        return found === null ? [] : [{ ...found, score: score * this.#titleFactor(found, stems) }];
      })
      .toSorted((a, b) => b.score - a.score);
  }

  #languages(): string[] {
    const rows = this.database.query<{ language: string }, []>(
      `WITH RECURSIVE known(language) AS (
         SELECT min(language) FROM pages
         UNION ALL SELECT (SELECT min(pages.language) FROM pages WHERE pages.language > known.language) FROM known
           WHERE known.language IS NOT NULL
       ) SELECT language FROM known WHERE language IS NOT NULL`,
    );
    return rows.all().map(({ language }) => language);
  }

  #count(): number {
    return this.database.query<{ pages: number }, []>("SELECT count(*) AS pages FROM pages").get()?.pages ?? 0;
  }

  page(url: string): PageRow | undefined {
    const row = this.database.query<PageRow, [string]>(
      "SELECT id, site, hash, etag, last_modified, language FROM pages WHERE url = ?",
    );
    return row.get(url) ?? undefined;
  }

  /** Inserts or replaces a page. False if its text has not changed. */
  put(page: NewPage): boolean {
    const content = contentOf(page.title, page.text);
    const language = languageOf(page.language);
    return this.database
      .transaction(() => {
        const old = this.page(page.url);
        const changed = old?.hash !== content.hash;
        // Another language gives other stems of the same text.
        const isStale = changed || old.language !== language;
        if (old !== undefined && isStale) this.#removeWords(old.id);
        const row = this.#upsert(page, { ...content, language });
        if (isStale) this.#addWords(row);
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
    const row = this.database
      .query<{ url: string }, [string, string]>("SELECT url FROM pages WHERE hash = ? AND url <> ? LIMIT 1")
      .get(contentOf(title, text).hash, url);
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

  removeSite(site: number): number {
    const rows = this.database.query<{ id: number }, [number]>("SELECT id FROM pages WHERE site = ?").all(site);
    for (const { id } of rows) this.#removeRow(id);
    return rows.length;
  }

  stats(): IndexStats {
    const sites = this.database.query<{ sites: number }, []>("SELECT count(*) AS sites FROM sites").get()?.sites ?? 0;
    return { sites, pages: this.#count(), bytes: this.bytes() };
  }

  /** The length of the file in bytes. */
  bytes(): number {
    const row = this.database
      .query<{ bytes: number }, []>("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get();
    return row?.bytes ?? 0;
  }

  hasPages(): boolean {
    return this.database.query("SELECT 1 FROM pages LIMIT 1").get() !== null;
  }

  close(): void {
    this.database.close();
  }

  #upsert(page: NewPage, { title, body, hash, language }: IndexedContent & { language: string }): StoredText {
    const published = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(page.published ?? "")?.[0];
    const row = this.database
      .query<StoredText, (string | number | null)[]>(
        `INSERT INTO pages (url, site, title, body, hash, etag, last_modified, fetched_at, host, language, published)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (url) DO UPDATE SET site = coalesce(excluded.site, site), title = excluded.title,
           body = excluded.body, hash = excluded.hash, etag = excluded.etag, last_modified = excluded.last_modified,
           fetched_at = excluded.fetched_at, language = excluded.language, published = excluded.published
         RETURNING id, url, title, body, language`,
      )
      .get(
        page.url,
        page.site ?? null,
        title,
        body,
        hash,
        page.etag ?? null,
        page.lastModified ?? null,
        this.#now(),
        hostWithoutWww(new URL(page.url).hostname),
        language,
        published ?? null,
      );
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

  #addWords(page: StoredText): void {
    const add = this.database.query<unknown, [number, string, string, string, string]>(
      "INSERT INTO words (rowid, title, heading, body, address) VALUES (?, ?, ?, ?, ?)",
    );
    const { title, address, passages, all } = this.#wordsOf(page);
    for (const [at, { heading, body }] of passages.entries()) {
      add.run(page.id * MAX_PASSAGES + at, title.join(" "), heading.join(" "), body.join(" "), address.join(" "));
    }
    this.#vocabulary.add(all);
  }

  #removeWords(id: number): void {
    const page = this.database
      .query<StoredText, [number]>("SELECT id, url, title, body, language FROM pages WHERE id = ?")
      .get(id);
    if (page === null) return;
    this.database.run("DELETE FROM words WHERE rowid BETWEEN ? AND ?", [
      id * MAX_PASSAGES,
      (id + 1) * MAX_PASSAGES - 1,
    ]);
    this.#vocabulary.remove(this.#wordsOf(page).all);
  }

  /** The words of a page as the index stores them, by passage and in all. */
  #wordsOf({ url, title: name, body: text, language }: StoredText) {
    const words = (piece: string) => stemsOf(piece, this.#ranking.stems ? language : UNSTEMMED);
    const passages = passagesOf(text, this.#ranking.passageLength).map((passage) => ({
      heading: words(passage.heading),
      body: words(passage.text),
    }));
    const [title, address] = [words(name), words(addressWords(url))];
    return { title, address, passages, all: new Set([...title, ...address, ...passages.flatMap(({ body }) => body)]) };
  }

  /** The factor for a page by the share of its title that the query names. */
  #titleFactor({ title, language }: { title: string; language: string }, stems: ReadonlySet<string>): number {
    const words = new Set(stemsOf(title, this.#ranking.stems ? language : UNSTEMMED));
    return 1 + (this.#ranking.titleGain * words.intersection(stems).size) / Math.max(1, words.size);
  }

  #removeRow(id: number): void {
    this.#removeWords(id);
    this.database.run("DELETE FROM pages WHERE id = ?", [id]);
  }
}

/** The indexed parts of a page's title and text, and their hash. */
interface IndexedContent {
  readonly title: string;
  readonly body: string;
  readonly hash: string;
}

function contentOf(name: string, text: string): IndexedContent {
  const title = name.slice(0, MAX_TITLE).toWellFormed();
  const body = text.slice(0, MAX_PAGE_TEXT).toWellFormed();
  return { title, body, hash: Bun.hash(`${title}\0${body}`).toString(16) };
}

/** The code at the beginning of a language tag; empty if there is no tag. */
function languageOf(tag = ""): string {
  return /^[a-z]{2,3}(?![a-z])/.exec(tag.toLowerCase())?.[0] ?? "";
}

interface StoredText {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly language: string;
}

interface RankedPage {
  readonly id: number;
  readonly url: string;
  readonly title: string;
}

/** The conditions of SQL for the restrictions of a search. */
function conditionsOf({ site, exclude_site: excluded = [], after, before, lang }: SearchFilters) {
  const all: readonly (readonly [condition: string, value: string | undefined])[] = [
    ["'.' || pages.host LIKE ?", site === undefined ? undefined : `%.${site}`],
    ...excluded.map((other): [string, string] => ["'.' || pages.host NOT LIKE ?", `%.${other}`]),
    ["pages.published >= ?", after],
    ["pages.published <= ?", before],
    ["pages.language = ?", lang],
  ];
  const set = all.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
  return { conditions: set.map(({ condition }) => condition), values: set.map(({ value }) => value) };
}

function addressWords(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${hostname} ${pathname}`.replace(/%[\da-f]{2}/gi, " ").replace(/[^\p{L}\p{N}]+/gu, " ");
}
