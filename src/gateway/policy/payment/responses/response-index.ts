import { type Database, type Statement } from "bun:sqlite";
import { isMoved, openSqlite, undoInMemory } from "../../../../store/sqlite/open-sqlite.ts";
import { chmodSync, mkdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../../../lib/caught.ts";

/**
 * Milliseconds after the last sign of life of a process. After that its unfinished responses are removed. It is longer than the
 * largest change of the system clock that does not count as a step (`ClockSteps`). @bound @internal
 */
export const WRITER_STALE_MS = 90_000;
/** Paid responses on the disk, unfinished or kept for a repetition. @operator */
const MAX_RESPONSES = 100_000;
/** Stored responses that are evicted for one new response. Removing more would delay other requests. */
const MAX_EVICTED = 256;
/** Candidates for eviction that one query returns. */
const EVICTION_STEP = 16;
/** Milliseconds to wait for another process when the index is opened. */
const OPEN_MS = 2000;
/** Milliseconds that one write waits for a write of another process. It blocks the event loop. @bound */
const WRITE_MS = 20;
/** Bytes of a disk block: the size of a file is counted in whole blocks. */
const BLOCK_BYTES = 4096;
/** Pages that one sweep returns to the file system. */
const VACUUM_PAGES = 256;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS answers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, writer TEXT NOT NULL, bytes INTEGER NOT NULL,
    until INTEGER NOT NULL, body BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS answers_by_end ON answers (until);
  CREATE INDEX IF NOT EXISTS answers_by_writer ON answers (writer, bytes) WHERE writer <> '';
  CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, answers INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO account VALUES (1, 0, 0);
  CREATE TRIGGER IF NOT EXISTS answer_added AFTER INSERT ON answers
    BEGIN UPDATE account SET bytes = bytes + NEW.bytes, answers = answers + 1; END;
  CREATE TRIGGER IF NOT EXISTS answer_resized AFTER UPDATE OF bytes ON answers
    BEGIN UPDATE account SET bytes = bytes + NEW.bytes - OLD.bytes; END;
  CREATE TRIGGER IF NOT EXISTS answer_removed AFTER DELETE ON answers
    BEGIN UPDATE account SET bytes = bytes - OLD.bytes, answers = answers - 1; END`;

interface IndexRow {
  readonly name: string;
  readonly bytes: number;
  readonly until: number;
  /** 1 or 0: the body is in the file with this name. */
  readonly isFile: number;
}

interface Account {
  readonly bytes: number;
  readonly responses: number;
}

/** A small response with its record, and the name that it is stored under. */
export interface KeptBody {
  readonly name: string;
  readonly whole: Uint8Array;
  readonly until: number;
}

/** The place of a stored body: in the index itself, or in the file with its name. */
export type IndexedBody = { readonly body: Uint8Array } | "file";

/**
 * The index of the paid responses on a machine's disk: an SQLite file that all workers share. The space of a response
 * is added to the sum in the same transaction that takes it, so the sum is exact over all processes and survives them.
 * Small responses are stored in the index; long ones in files. A row is written before its file and removed after it.
 * Every method can throw. It throws SQLITE_BUSY and changes nothing if another process writes. Decision 0806.
 */
export class ResponseIndex {
  readonly folder: string;
  readonly #database: Database;
  readonly #writer = crypto.randomUUID();
  readonly #statements: ReturnType<typeof prepare>;

  /** Creates the folder if it does not exist, readable only by this user. A damaged index is replaced by a new one. */
  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const path = join(folder, "index.db");
    this.#database = openOrReplace(path);
    this.#statements = prepare(this.#database);
  }

  /** Takes `bytes` for `name`, and evicts the oldest responses if needed; false if `limit` leaves no room. */
  reserve(name: string, bytes: number, { now, limit }: { now: number; limit: number }): boolean {
    return this.#inTransaction(() => {
      const { find, take, resize } = this.#statements;
      const before = find.get(name);
      const wanted = onDisk(bytes);
      if (!this.#makeRoom({ bytes: wanted - (before?.bytes ?? 0), responses: before === null ? 1 : 0 }, limit))
        return false;
      if (before === null) take.run(name, this.#writer, wanted, now + WRITER_STALE_MS);
      else resize.run(wanted, name);
      return true;
    });
  }

  /** Stores this process's unfinished response `name` as `kept`. False: the sweep had removed it. */
  keepFile(name: string, kept: string, until: number): boolean {
    const path = join(this.folder, kept);
    let isRenamed = false;
    try {
      return this.#inTransaction(() => {
        const { find, remove, finish } = this.#statements;
        if (find.get(name) === null) return false;
        remove.run(kept);
        finish.run(kept, until, name);
        renameSync(join(this.folder, name), path);
        isRenamed = true;
        return true;
      });
    } catch (error) {
      // The index does not contain the new name, so the file is removed.
      if (isRenamed) unlinkQuietly(path);
      throw error;
    }
  }

  /** Stores small responses in the index itself, as far as `limit` leaves room. */
  keepBodies(bodies: readonly KeptBody[], limit: number): void {
    this.#inTransaction(() => {
      for (const { name, whole, until } of bodies) {
        this.#remove(name);
        if (this.#makeRoom({ bytes: whole.length, responses: 1 }, limit))
          this.#statements.insert.run(name, whole.length, until, whole);
      }
    });
  }

  find(kept: string, now: number): IndexedBody | undefined {
    const row = this.#statements.find.get(kept);
    if (row === null || row.until <= now) return undefined;
    if (row.isFile === 1) return "file";
    const body = this.#statements.read.get(kept)?.body;
    return body === undefined ? undefined : { body };
  }

  remove(name: string): void {
    this.#inTransaction(() => this.#remove(name));
  }

  /** Removes the file with this name if no row has it. */
  removeUnknown(name: string): void {
    // In a transaction, so that no process can rename the file at the same moment.
    this.#inTransaction(() => {
      if (this.#statements.find.get(name) === null) unlinkQuietly(join(this.folder, name));
    });
  }

  /** Reports that this process is alive, so that its unfinished responses are kept. */
  renew(now: number): void {
    this.#statements.renew.run(now + WRITER_STALE_MS, this.#writer);
  }

  /** Removes up to `most` expired responses, and returns their number. */
  sweep(now: number, most: number): number {
    const removed = this.#inTransaction(() => {
      const expired = this.#statements.expired.all(now, most);
      for (const { name } of expired) this.#remove(name);
      return expired.length;
    });
    this.#database.run(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    return removed;
  }

  /** True if the folder was moved or deleted, or if its index was. */
  get isMoved(): boolean {
    return isMoved(this.#database);
  }

  get account(): Account {
    return this.#statements.account.get();
  }

  close(): void {
    this.#database.close();
  }

  #inTransaction<Result>(work: () => Result): Result {
    return this.#database.transaction(work).immediate();
  }

  /** Evicts the oldest stored responses until the new one fits. Evicts nothing if it would not fit even then. */
  #makeRoom(more: { bytes: number; responses: number }, limit: number): boolean {
    const { bytes, responses } = this.account;
    let overBytes = bytes + more.bytes - limit;
    let overResponses = responses + more.responses - MAX_RESPONSES;
    if (overBytes <= 0 && overResponses <= 0) return true;
    const written = this.#statements.written.get()?.bytes ?? 0;
    if (written + more.bytes > limit) return false;
    for (let left = MAX_EVICTED; left > 0; left -= EVICTION_STEP) {
      for (const row of this.#statements.oldest.all(EVICTION_STEP)) {
        this.#remove(row.name);
        overBytes -= row.bytes;
        overResponses -= 1;
        if (overBytes <= 0 && overResponses <= 0) return true;
      }
    }
    return false;
  }

  #remove(name: string): void {
    const row = this.#statements.find.get(name);
    if (row === null) return;
    if (row.isFile === 1) unlinkQuietly(join(this.folder, name));
    this.#statements.remove.run(name);
  }
}

function prepare(database: Database): {
  readonly find: Statement<IndexRow, [string]>;
  readonly read: Statement<{ body: Uint8Array }, [string]>;
  readonly take: Statement<unknown, [string, string, number, number]>;
  readonly resize: Statement<unknown, [number, string]>;
  readonly finish: Statement<unknown, [string, number, string]>;
  readonly insert: Statement<unknown, [string, number, number, Uint8Array]>;
  readonly remove: Statement<unknown, [string]>;
  readonly renew: Statement<unknown, [number, string]>;
  readonly expired: Statement<{ name: string }, [number, number]>;
  readonly oldest: Statement<{ name: string; bytes: number }, [number]>;
  readonly written: Statement<{ bytes: number }, []>;
  readonly account: { get(): Account };
} {
  return {
    find: database.query("SELECT name, bytes, until, body IS NULL AS isFile FROM answers WHERE name = ?"),
    read: database.query("SELECT body FROM answers WHERE name = ? AND body IS NOT NULL"),
    take: database.query("INSERT INTO answers (name, writer, bytes, until) VALUES (?, ?, ?, ?)"),
    resize: database.query("UPDATE answers SET bytes = ? WHERE name = ?"),
    finish: database.query("UPDATE answers SET name = ?, writer = '', until = ? WHERE name = ?"),
    insert: database.query("INSERT INTO answers (name, writer, bytes, until, body) VALUES (?, '', ?, ?, ?)"),
    remove: database.query("DELETE FROM answers WHERE name = ?"),
    renew: database.query("UPDATE answers SET until = ? WHERE writer <> '' AND writer = ?"),
    expired: database.query("SELECT name FROM answers WHERE until <= ? ORDER BY until LIMIT ?"),
    oldest: database.query("SELECT name, bytes FROM answers WHERE writer = '' ORDER BY id LIMIT ?"),
    written: database.query("SELECT COALESCE(SUM(bytes), 0) AS bytes FROM answers WHERE writer <> ''"),
    // The schema has put the only row in.
    account: database.query("SELECT bytes, answers AS responses FROM account") as { get(): Account },
  };
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function openOrReplace(path: string): Database {
  try {
    return open(path);
  } catch (error) {
    if (!/^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error) ?? "")) throw error;
    // The index only locates stored responses: without it they count as absent.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return open(path);
  }
}

function open(path: string): Database {
  // A power cut can lose stored responses; they are only a convenience for retries.
  const settings = { synchronous: "NORMAL", busyMs: OPEN_MS, what: "the index of responses" } as const;
  return openSqlite(path, { ...settings, first: "PRAGMA auto_vacuum = INCREMENTAL" }, (database) => {
    database.transaction(() => database.run(SCHEMA)).immediate();
    undoInMemory(database);
    database.run(`PRAGMA busy_timeout = ${WRITE_MS}`);
  });
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
