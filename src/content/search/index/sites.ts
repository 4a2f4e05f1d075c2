import { type Database } from "bun:sqlite";
import { isAlive } from "../../../lib/process/is-alive.ts";
import { isWithin } from "../../../lib/time/is-within.ts";
import { type PageIndex } from "./page-index.ts";

/** Known addresses of a site, for each page that it may have in the index. @bound */
const FRONTIER_PER_PAGE = 10;
const MIN_FRONTIER = 1_000;
/** Addresses that are examined to find one whose host is free. */
const LOOK_AHEAD = 500;
/** The same if there are at most two hosts: with `www.` and without. */
const LOOK_AHEAD_SAME_HOST = 20;

/**
 * Milliseconds without a processed address after which a crawler counts as dead: its process id may belong to another
 * process. @bound
 */
const LOCK_MS = 300_000;

export interface SiteOptions {
  readonly url: string;
  /** Links followed from the first page on. */
  readonly depth: number;
  readonly maxPages: number;
  readonly sitemap: boolean;
  /** Whether links to other hosts are ignored. */
  readonly sameHost: boolean;
}

/** A site of the index, as stored. */
export interface Site extends SiteOptions {
  readonly id: number;
  /** Milliseconds since 1970 when the last crawl finished. Undefined if no crawl has finished. */
  readonly crawledAt: number | undefined;
  readonly pages: number;
}

/** An address that has not been fetched in this round. */
export interface Waiting {
  readonly url: string;
  readonly depth: number;
}

interface SiteRow {
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  readonly max_pages: number;
  readonly sitemap: number;
  readonly same_host: number;
  readonly crawled_at: number | null;
  readonly pages: number;
}

/**
 * The sites of an index, and their addresses that are still to be fetched. All of it is on disk, so that a crawl
 * continues after it was killed.
 */
export class Sites {
  readonly #database: Database;
  readonly #index: PageIndex;
  readonly #now: () => number;

  constructor(index: PageIndex, now: () => number = Date.now) {
    this.#index = index;
    this.#database = index.database;
    this.#now = now;
  }

  /** Adds a site, or changes its settings. */
  add({ url, depth, maxPages, sitemap, sameHost }: SiteOptions): Site {
    this.#database.run(
      `INSERT INTO sites (url, depth, max_pages, sitemap, same_host, added_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (url) DO UPDATE SET depth = excluded.depth, max_pages = excluded.max_pages,
         sitemap = excluded.sitemap, same_host = excluded.same_host`,
      [url, depth, maxPages, Number(sitemap), Number(sameHost), this.#now()],
    );
    const site = this.list().find((known) => known.url === url);
    if (site === undefined) throw new Error("Cannot add a site: the database returned no row");
    return site;
  }

  list(): Site[] {
    const rows = this.#database
      .query<SiteRow, []>(
        `SELECT id, url, depth, max_pages, sitemap, same_host, crawled_at,
           (SELECT count(*) FROM pages WHERE site = sites.id) AS pages FROM sites ORDER BY url`,
      )
      .all();
    return rows.map((row) => ({
      id: row.id,
      url: row.url,
      depth: row.depth,
      maxPages: row.max_pages,
      sitemap: row.sitemap === 1,
      sameHost: row.same_host === 1,
      crawledAt: row.crawled_at ?? undefined,
      pages: row.pages,
    }));
  }

  /** Removes a site and its pages, and returns the number of pages. Undefined if the site does not exist. */
  remove(url: string): number | undefined {
    const site = this.list().find((known) => known.url === url);
    if (site === undefined) return undefined;
    return this.#database
      .transaction(() => {
        const removed = this.#index.removeSite(site.id);
        this.#database.run("DELETE FROM frontier WHERE site = ?", [site.id]);
        this.#database.run("DELETE FROM sites WHERE id = ?", [site.id]);
        return removed;
      })
      .immediate();
  }

  /** Begins a round through all known addresses, or continues an interrupted one. */
  beginRound(site: number): void {
    this.#database.transaction(() => {
      const { changes } = this.#database.run("UPDATE sites SET open = 1 WHERE id = ? AND open = 0", [site]);
      if (changes > 0) this.#database.run("UPDATE frontier SET waiting = 1 WHERE site = ?", [site]);
    })();
  }

  endRound(site: number): void {
    this.#database.run("UPDATE sites SET open = 0, crawled_at = ? WHERE id = ?", [this.#now(), site]);
  }

  /** Records addresses that were found. A shorter path to a known address replaces its depth. */
  discover(site: Site, urls: readonly string[], depth: number): void {
    if (urls.length === 0) return;
    const room = Math.max(MIN_FRONTIER, site.maxPages * FRONTIER_PER_PAGE) - this.#known(site.id);
    const insert = this.#database.query<unknown, [number, string, number]>(
      `INSERT INTO frontier (site, url, depth) VALUES (?, ?, ?)
       ON CONFLICT (site, url) DO UPDATE SET depth = excluded.depth WHERE depth > excluded.depth`,
    );
    this.#database.transaction(() => {
      for (const url of urls.slice(0, Math.max(0, room))) insert.run(site.id, url, depth);
    })();
  }

  /** The next address of the round whose host allows a request now. Addresses nearest to the first page come first. */
  next(site: Site, mayFetch: (host: string) => boolean): Waiting | undefined {
    const rows = this.#database
      .query<Waiting, [number, number]>(
        "SELECT url, depth FROM frontier WHERE site = ? AND waiting = 1 ORDER BY depth, url LIMIT ?",
      )
      .all(site.id, site.sameHost ? LOOK_AHEAD_SAME_HOST : LOOK_AHEAD);
    return rows.find(({ url }) => mayFetch(new URL(url).host));
  }

  /** Records that an address was processed in this round. */
  done(site: number, url: string): void {
    this.#database.transaction(() => {
      this.#database.run("UPDATE frontier SET waiting = 0 WHERE site = ? AND url = ?", [site, url]);
      this.#database.run("UPDATE crawler SET seen_at = ?", [this.#now()]);
    })();
  }

  /** Whether an address was processed in this round. */
  isDone(site: number, url: string): boolean {
    const row = this.#database
      .query<{ waiting: number }, [number, string]>("SELECT waiting FROM frontier WHERE site = ? AND url = ?")
      .get(site, url);
    return row?.waiting === 0;
  }

  /** Deletes an address that leads to no page, and its page. */
  forget(site: number, url: string): boolean {
    this.#database.run("DELETE FROM frontier WHERE site = ? AND url = ?", [site, url]);
    return this.#index.remove(url);
  }

  pages(site: number): number {
    const row = this.#database
      .query<{ count: number }, [number]>("SELECT count(*) AS count FROM pages WHERE site = ?")
      .get(site);
    return row?.count ?? 0;
  }

  /** Takes the lock of the one crawler that an index may have. False if another process holds it. */
  lock(pid: number): boolean {
    return this.#database
      .transaction(() => {
        const row = this.#database
          .query<{ pid: number; seen_at: number }, []>("SELECT pid, seen_at FROM crawler")
          .get();
        const seenAt = row?.seen_at ?? 0;
        if (row !== null && row.pid !== pid && isAlive(row.pid) && isWithin(seenAt, LOCK_MS, this.#now())) return false;
        this.#database.run("INSERT OR REPLACE INTO crawler (id, pid, seen_at) VALUES (1, ?, ?)", [pid, this.#now()]);
        return true;
      })
      .immediate();
  }

  unlock(): void {
    this.#database.run("DELETE FROM crawler");
  }

  #known(site: number): number {
    const row = this.#database
      .query<{ count: number }, [number]>("SELECT count(*) AS count FROM frontier WHERE site = ?")
      .get(site);
    return row?.count ?? 0;
  }
}
