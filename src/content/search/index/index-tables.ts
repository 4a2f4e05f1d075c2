import { type Database } from "bun:sqlite";

const VERSION = 2;

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
  fetched_at INTEGER NOT NULL,
  host TEXT NOT NULL,
  language TEXT NOT NULL,
  published TEXT
) STRICT;
CREATE INDEX pages_by_site ON pages(site, fetched_at);
CREATE INDEX pages_by_hash ON pages(hash);
CREATE INDEX pages_by_language ON pages(language);
CREATE TABLE vocabulary (word TEXT PRIMARY KEY, pages INTEGER NOT NULL) STRICT, WITHOUT ROWID;
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
  title, heading, body, address, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
);`;

/** Creates the tables of the index in a new file. Throws if another version of the program wrote the file at `path`. */
export function createTables(database: Database, path: string): void {
  database
    .transaction(() => {
      const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
      if (version > VERSION) throw new Error(`Cannot use the index "${path}": a newer version of Turnpike made it`);
      if (version === VERSION) return;
      if (version > 0) {
        throw new Error(
          `Cannot use the index "${path}": an older version of Turnpike made it; delete it and add its sites again`,
        );
      }
      database.run(SCHEMA);
      database.run(`PRAGMA user_version = ${VERSION}`);
    })
    .immediate();
}
