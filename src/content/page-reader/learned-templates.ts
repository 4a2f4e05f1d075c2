import { Database, SQLiteError, type Statement } from "bun:sqlite";
import { join } from "node:path";

/** Templates that are remembered, and the milliseconds until one is forgotten: a week. @bound */
const MAX_TEMPLATES = 20_000;
const KEPT_MS = 7 * 24 * 3_600_000;

/** Visits of a template after which the engines are compared again. */
const VISITS = 100;

/** Pages with equal results after which a template counts as not changed by scripts, and the same after a change. */
const EQUAL = 2;
const EQUAL_AGAIN = 3;

/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 1_000;

interface Learned {
  /** Whether scripts changed the content of a page. Undefined if the engines were never compared. */
  changes: boolean | undefined;
  /** Pages with equal results in sequence, and the digest of the last page. */
  equal: number;
  page: string;
  visits: number;
  at: number;
}

const SCHEMA =
  "CREATE TABLE IF NOT EXISTS templates (key TEXT PRIMARY KEY, changes INTEGER NOT NULL, equal INTEGER NOT NULL, page TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID";

/**
 * Remembers for templates of pages if scripts change their content. It stores digests instead of addresses, and only for as
 * long as KEPT_MS.
 */
export class LearnedTemplates {
  /** In the order of the last use. */
  readonly #learned = new Map<string, Learned>();
  readonly #database: Database;
  readonly #write: Statement;
  readonly #delete: Statement;
  readonly #now: () => number;

  /** `folder` is the state folder. Undefined: what is learned is lost at the end of the process. */
  constructor(folder: string | undefined, now: () => number = Date.now) {
    this.#now = now;
    this.#database = new Database(folder === undefined ? ":memory:" : join(folder, "templates.db"), {
      create: true,
      strict: true,
    });
    this.#database.run(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF`);
    this.#database.run(SCHEMA);
    this.#database.query("DELETE FROM templates WHERE at < ?").run(now() - KEPT_MS);
    this.#write = this.#database.query("INSERT OR REPLACE INTO templates VALUES (?, ?, ?, ?, ?)");
    this.#delete = this.#database.query("DELETE FROM templates WHERE key = ?");
    const rows = this.#database
      .query("SELECT key, changes, equal, page, at FROM templates ORDER BY at LIMIT ?")
      .all(MAX_TEMPLATES);
    // The schema gives the columns' types.
    for (const { key, changes, ...row } of rows as {
      key: string;
      changes: number;
      equal: number;
      page: string;
      at: number;
    }[]) {
      this.#learned.set(key, { ...row, changes: changes === 1, visits: 0 });
    }
  }

  /** A visit of a page: whether scripts change its content, and whether the engines have to be compared again. */
  visit(template: string, page: string): { readonly changes: boolean | undefined; readonly checks: boolean } {
    const key = digestOf(template);
    const known = this.#learned.get(key);
    const isKnown = known !== undefined && this.#now() - known.at < KEPT_MS;
    const learned = isKnown ? known : { changes: undefined, equal: 0, page: "", visits: 0, at: this.#now() };
    learned.visits += 1;
    this.#keep(key, learned);
    const isEnough = learned.changes === true || learned.equal >= EQUAL || learned.page === digestOf(page);
    return { changes: isEnough ? learned.changes : undefined, checks: learned.visits % VISITS === 0 };
  }

  /** Adds the result of a comparison. */
  compared(template: string, url: string, changed: boolean): void {
    const key = digestOf(template);
    const page = digestOf(url);
    const known = this.#learned.get(key);
    const equal = changed ? 0 : (known?.equal ?? 0) + (known?.page === page && known.changes === false ? 0 : 1);
    const changes = changed || (known?.changes === true && equal < EQUAL_AGAIN);
    const at = this.#now();
    this.#keep(key, { changes, equal, page, visits: known?.visits ?? 1, at });
    this.#store(() => this.#write.run(key, changes ? 1 : 0, equal, page, at));
  }

  close(): void {
    this.#database.close();
  }

  /** Without the file, the process still has what it learned. A page must not fail because the disk is full. */
  #store(write: () => unknown): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
    }
  }

  #keep(key: string, learned: Learned): void {
    this.#learned.delete(key);
    this.#learned.set(key, learned);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size <= MAX_TEMPLATES || oldest === undefined) return;
    this.#learned.delete(oldest);
    this.#store(() => this.#delete.run(oldest));
  }
}

/** Digests do not show the addresses of visited pages. */
function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 24);
}
