import { type Database } from "bun:sqlite";
import { openSqlite } from "../../store/sqlite/open-sqlite.ts";
import { join } from "node:path";
import { isWithin } from "../../lib/time/is-within.ts";
import { messageOf } from "../../lib/caught.ts";
import { KEPT_TEMPLATE_MS as KEPT_MS, type LearnedTemplate, MAX_TEMPLATES } from "../../store/template-store.ts";

/** Visits of a template after which the engines are compared again. */
const VISITS = 100;

/**
 * Pages in sequence whose results must be equal before a template counts as not changed by scripts. The second number
 * applies after a page whose results differed.
 */
const EQUAL = 2;
const EQUAL_AGAIN = 3;

/** Milliseconds that a write waits for another process's write. */
const BUSY_MS = 1_000;

interface Learned {
  /** Whether scripts changed the content of a page. Undefined if the engines were never compared. */
  readonly changes: boolean | undefined;
  /** Pages with equal results in sequence, and the digest of the last page. */
  readonly equal: number;
  readonly page: string;
  visits: number;
  /** Unix milliseconds of the last comparison. Of the first visit if there was no comparison. */
  readonly at: number;
}

type TemplateRow = Omit<LearnedTemplate, "changes"> & { readonly changes: number };

const SCHEMA =
  "CREATE TABLE IF NOT EXISTS templates (key TEXT PRIMARY KEY, changes INTEGER NOT NULL, equal INTEGER NOT NULL, page TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID";
const ROWS = "SELECT key, changes, equal, page, at FROM templates";
/** Deletes old templates, and those above the maximum, which another process may have added. */
const TRIM = `DELETE FROM templates WHERE abs(?1 - at) > ${KEPT_MS} OR key IN (SELECT key FROM templates ORDER BY at DESC LIMIT -1 OFFSET ${MAX_TEMPLATES})`;

export interface LearnedTemplatesOptions {
  /** The state folder, for the file `templates.db`. If it is undefined, templates are remembered only in memory. */
  readonly folder: string | undefined;
  readonly log: (message: string) => void;
  /** Called after each comparison, to share its result. */
  readonly onCompared?: ((template: LearnedTemplate) => void) | undefined;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Remembers for each template of pages whether scripts change the content. The file has digests instead of addresses. It
 * is opened at the first visit.
 */
export class LearnedTemplates {
  /** In the order of the last use. */
  readonly #learned = new Map<string, Learned>();
  readonly #path: string | undefined;
  readonly #log: (message: string) => void;
  readonly #onCompared: LearnedTemplatesOptions["onCompared"];
  readonly #now: () => number;
  #file: Database | "unopened" | "closed" = "unopened";

  constructor({ folder, log, onCompared, now = Date.now }: LearnedTemplatesOptions) {
    this.#path = folder === undefined ? undefined : join(folder, "templates.db");
    this.#log = log;
    this.#onCompared = onCompared;
    this.#now = now;
  }

  /** Counts a visit. Returns whether scripts change the page, and whether to compare the engines again. */
  visit(template: string, page: string): { readonly changes: boolean | undefined; readonly checks: boolean } {
    const key = digestOf(template);
    const known = this.#known(key);
    const isKnown = known !== undefined && isWithin(known.at, KEPT_MS, this.#now());
    const learned = isKnown ? known : { changes: undefined, equal: 0, page: "", visits: 0, at: this.#now() };
    learned.visits += 1;
    this.#keep(key, learned);
    const isEnough = learned.changes === true || learned.equal >= EQUAL || learned.page === digestOf(page);
    return { changes: isEnough ? learned.changes : undefined, checks: learned.visits % VISITS === 0 };
  }

  compared(name: string, url: string, changed: boolean): void {
    const key = digestOf(name);
    const page = digestOf(url);
    const known = this.#known(key);
    const equal = changed ? 0 : (known?.equal ?? 0) + (known?.page === page && known.changes === false ? 0 : 1);
    const changes = changed || (known?.changes === true && equal < EQUAL_AGAIN);
    const template = { key, changes, equal, page, at: this.#now() };
    this.#write(template, known);
    this.#onCompared?.(template);
  }

  /** Adds what other services have learned, unless this one has compared the template later. */
  learn(templates: readonly LearnedTemplate[]): void {
    for (const template of templates) {
      const known = this.#known(template.key);
      if (known?.changes === undefined || known.at < template.at) this.#write(template, known);
    }
  }

  close(): void {
    if (typeof this.#file === "object") this.#file.close();
    this.#file = "closed";
  }

  #write({ key, ...learned }: LearnedTemplate, known: Learned | undefined): void {
    this.#keep(key, { ...learned, visits: known?.visits ?? 1 });
    const { changes, equal, page, at } = learned;
    this.#store((file) =>
      file.query("INSERT OR REPLACE INTO templates VALUES (?, ?, ?, ?, ?)").run(key, changes ? 1 : 0, equal, page, at),
    );
  }

  #known(key: string): Learned | undefined {
    if (this.#file === "unopened") this.#store((file) => this.#read(file));
    return this.#learned.get(key);
  }

  #read(file: Database): void {
    for (const { key, changes, equal, page, at } of file.query<TemplateRow, []>(`${ROWS} ORDER BY at`).iterate())
      this.#learned.set(key, { changes: changes === 1, equal, page, visits: 0, at });
  }

  /** If the file fails, for example on a full disk, templates are remembered only in memory from then on. */
  #store(use: (file: Database) => void): void {
    if (this.#path === undefined || this.#file === "closed") return;
    try {
      if (this.#file === "unopened") this.#file = open(this.#path, this.#now());
      use(this.#file);
    } catch (error) {
      this.close();
      this.#log(`cannot use the file templates.db in the state folder until the next start: ${messageOf(error)}`);
    }
  }

  #keep(key: string, learned: Learned): void {
    this.#learned.delete(key);
    this.#learned.set(key, learned);
    if (this.#learned.size <= MAX_TEMPLATES) return;
    for (const [oldest, { changes }] of this.#learned) {
      this.#learned.delete(oldest);
      if (changes !== undefined) this.#store((file) => file.query("DELETE FROM templates WHERE key = ?").run(oldest));
      return;
    }
  }
}

/** Opens the file, and deletes old templates. `now` is in Unix milliseconds. */
function open(path: string, now: number): Database {
  return openSqlite(path, { synchronous: "OFF", busyMs: BUSY_MS, what: "the templates" }, (file) => {
    file.run(SCHEMA);
    file.query(TRIM).run(now);
  });
}

/** Digests do not show the addresses of visited pages. */
function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 24);
}
