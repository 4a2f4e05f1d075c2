import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { type PageSource } from "../page/page.ts";

/** Bytes of a page in the cache, after compression. @operator A longer page is not kept. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 1_000;
/** The share of its bytes that a full cache empties at once. */
const EMPTIED = 0.1;

/** Another version of the program with another format has another table. */
const TABLE = "pages_1";
const SCHEMA = `CREATE TABLE IF NOT EXISTS ${TABLE} (key TEXT PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, head TEXT NOT NULL, body BLOB NOT NULL) STRICT`;
const INDEX = `CREATE INDEX IF NOT EXISTS ${TABLE}_at ON ${TABLE}(at, bytes)`;

/** A page that was loaded without credentials and may be shown to any caller. */
export interface CachedPage {
  readonly source: PageSource;
  /** Unix milliseconds when its server last sent or confirmed it. */
  readonly at: number;
  /** Field lines that make a request conditional on a change of the page. */
  readonly conditions: readonly string[];
}

export interface PageCacheOptions {
  /** The state folder, for the file `page-cache.db`. */
  readonly folder: string;
  /** Bytes of all pages, after compression. */
  readonly maxBytes: number;
  readonly log: (message: string) => void;
}

/** The description of a stored page: all but its body. */
type Head = Omit<CachedPage["source"], "body"> & { readonly isText: boolean; readonly conditions: readonly string[] };

interface Row {
  readonly at: number;
  readonly head: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Pages by their key, in one file that all content services with this state folder share. The oldest are removed. A file
 * that cannot be used counts as empty.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  #file: Database | "unopened" | "unusable" = "unopened";

  constructor(options: PageCacheOptions) {
    this.#options = options;
  }

  get(key: string): CachedPage | undefined {
    return this.#using("read", (file) => {
      const row = file.query<Row, [string]>(`SELECT at, head, body FROM ${TABLE} WHERE key = ?`).get(key);
      if (row === null) return undefined;
      // Only this class writes the file.
      const { isText, conditions, ...head } = JSON.parse(row.head) as Head;
      const bytes = new Uint8Array(Bun.zstdDecompressSync(row.body));
      const body = isText ? new TextDecoder().decode(bytes) : bytes;
      return { source: { ...head, body }, at: row.at, conditions };
    });
  }

  put(key: string, { source, at, conditions }: CachedPage): void {
    this.#using("write", (file) => {
      const { body, ...about } = source;
      const head: Head = { ...about, isText: typeof body === "string", conditions };
      const packed = Bun.zstdCompressSync(body);
      const text = JSON.stringify(head);
      const bytes = packed.length + text.length + key.length;
      if (bytes > MAX_PAGE_BYTES) return;
      file
        .transaction(() => {
          file.run(`INSERT OR REPLACE INTO ${TABLE} (key, at, bytes, head, body) VALUES (?, ?, ?, ?, ?)`, [
            key,
            at,
            bytes,
            text,
            packed,
          ]);
          this.#trim(file);
        })
        .immediate();
    });
  }

  /** Removes a page. */
  remove(key: string): void {
    this.#using("write", (file) => void file.run(`DELETE FROM ${TABLE} WHERE key = ?`, [key]));
  }

  close(): void {
    if (typeof this.#file === "object") this.#file.close();
    this.#file = "unusable";
  }

  #trim(file: Database): void {
    const { maxBytes } = this.#options;
    const sum = file.query<{ bytes: number | null }, []>(`SELECT sum(bytes) AS bytes FROM ${TABLE}`).get()?.bytes ?? 0;
    if (sum <= maxBytes) return;
    let over = sum - maxBytes * (1 - EMPTIED);
    const oldest = file.query<{ key: string; bytes: number }, []>(`SELECT key, bytes FROM ${TABLE} ORDER BY at`);
    for (const { key, bytes } of oldest.iterate()) {
      if (over <= 0) break;
      over -= bytes;
      file.run(`DELETE FROM ${TABLE} WHERE key = ?`, [key]);
    }
  }

  #using<T>(what: string, use: (file: Database) => T): T | undefined {
    try {
      if (this.#file === "unopened") this.#file = openFile(join(this.#options.folder, "page-cache.db"));
      return typeof this.#file === "object" ? use(this.#file) : undefined;
    } catch (error) {
      if (this.#file === "unopened") this.#file = "unusable";
      this.#options.log(`Cannot ${what} the page cache: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** SQLite gives its -wal and -shm files the mode of the main file, so that mode must be right before it is opened. */
function openFile(path: string): Database {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const file = new Database(path, { create: true, strict: true });
  try {
    file.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    file.run("PRAGMA journal_mode = WAL");
    file.run("PRAGMA synchronous = NORMAL");
    file.run(SCHEMA);
    file.run(INDEX);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
