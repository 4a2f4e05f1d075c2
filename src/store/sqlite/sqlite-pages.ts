import { type Database } from "bun:sqlite";
import { openSqlite } from "./open-sqlite.ts";
import { messageOf } from "../../lib/caught.ts";
import { MAX_PAGE_BYTES, type PageStore, type PageStoreOptions, type StoredPage } from "../page-store.ts";

/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 1_000;
/** The share of its bytes that a full store empties at once. */
const EMPTIED = 0.1;

/** Another version of the program with another format has another table. */
const TABLE = "pages_2";
const TABLES = `CREATE TABLE IF NOT EXISTS ${TABLE} (key TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, head TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (key, at)) STRICT;
  CREATE INDEX IF NOT EXISTS ${TABLE}_bytes ON ${TABLE}(bytes)`;
/** Keeps the newest pages: as many as have at most `?` bytes together. */
const KEEP = `DELETE FROM ${TABLE} WHERE rowid IN (
  SELECT id FROM (SELECT rowid AS id, sum(bytes) OVER (ORDER BY rowid DESC) AS kept FROM ${TABLE}) WHERE kept > ?)`;

export interface SqlitePagesOptions extends PageStoreOptions {
  readonly path: string;
}

/** Pages in one file of mode 0600 that all content services with its folder share. */
export class SqlitePages implements PageStore {
  readonly #options: SqlitePagesOptions;
  #file: Database | "unopened" | "unusable" = "unopened";

  constructor(options: SqlitePagesOptions) {
    this.#options = options;
  }

  async get(key: string, upTo = Number.MAX_SAFE_INTEGER): Promise<StoredPage | undefined> {
    const newest = `SELECT at, head, body FROM ${TABLE} WHERE key = ? AND at <= ? ORDER BY at DESC LIMIT 1`;
    return this.#using("read", (file) => file.query<StoredPage, [string, number]>(newest).get(key, upTo) ?? undefined);
  }

  async put(key: string, { at, head, body }: StoredPage): Promise<void> {
    const bytes = body.length + head.length + key.length;
    if (bytes > MAX_PAGE_BYTES) return;
    this.#using("write", (file) => {
      file
        .transaction(() => {
          // A row that is replaced gets a new rowid, the largest.
          file.run(`INSERT OR REPLACE INTO ${TABLE} (key, at, bytes, head, body) VALUES (?, ?, ?, ?, ?)`, [
            key,
            at,
            bytes,
            head,
            body,
          ]);
          const old = `SELECT at FROM ${TABLE} WHERE key = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2`;
          file.run(`DELETE FROM ${TABLE} WHERE key = ?1 AND at IN (${old})`, [key, this.#options.versions]);
          this.#trim(file);
        })
        .immediate();
    });
  }

  async remove(key: string): Promise<void> {
    this.#using("write", (file) => void file.run(`DELETE FROM ${TABLE} WHERE key = ?`, [key]));
  }

  close(): void {
    if (typeof this.#file === "object") this.#file.close();
    this.#file = "unusable";
  }

  #trim(file: Database): void {
    const { maxBytes } = this.#options;
    const sum = Number(file.query(`SELECT sum(bytes) FROM ${TABLE}`).values().flat()[0]);
    if (sum > maxBytes) file.run(KEEP, [maxBytes * (1 - EMPTIED)]);
  }

  #using<T>(what: string, use: (file: Database) => T): T | undefined {
    try {
      if (this.#file === "unopened") this.#file = openFile(this.#options.path);
      return typeof this.#file === "object" ? use(this.#file) : undefined;
    } catch (error) {
      if (this.#file === "unopened") this.#file = "unusable";
      this.#options.log(`Cannot ${what} the ${this.#options.name}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

function openFile(path: string): Database {
  return openSqlite(path, { synchronous: "NORMAL", busyMs: BUSY_MS, what: "the pages" }, (file) => {
    file.run(TABLES);
  });
}
