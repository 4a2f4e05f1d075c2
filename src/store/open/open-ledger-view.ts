import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync } from "node:fs";
import { codeOf, whyUnwritable } from "../../lib/caught.ts";
import { createFileBy } from "../../lib/files/whole-file.ts";
import { type LedgerView, type LedgerVersion } from "../ledger-view.ts";
import { SCHEMA_VERSION, schemaVersion } from "../sqlite/migrations.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { SqliteLedgerView } from "../sqlite/sqlite-ledger-view.ts";

/** Longest wait for a process that migrates the file, in milliseconds. */
const BUSY_MS = 5000;
const NO_TABLES = "it has no payments; a copy also needs the file that ends in -wal, or use turnpike ledger backup";

export interface OpenLedgerView {
  readonly view: LedgerView;
  close(): Promise<void>;
}

/** Reads the version of a store's SQLite file, and changes nothing. Throws if the file exists but cannot be read. */
export function readSqliteVersion(path: string): LedgerVersion {
  if (path === ":memory:" || !existsSync(path)) return { found: 0, known: SCHEMA_VERSION };
  const database = new Database(path, { readonly: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    return { found: schemaVersion(database), known: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}

/**
 * Opens a store's SQLite file for reading only. It creates and changes nothing, and does not disturb a running gateway.
 * Throws if the file does not exist, cannot be read, or has another schema version.
 */
export function openLedgerView(path: string): OpenLedgerView {
  const database = openLedgerFile(path);
  return {
    view: new SqliteLedgerView(new SqliteConnection(database)),
    async close() {
      database.close();
    },
  };
}

/**
 * Writes a copy of a store's SQLite file to a new file of mode 0600, also while gateways write. It has everything that was
 * written before, also what is only in the log beside the file. Throws as `openLedgerView`, or if `copy` exists or cannot be written.
 */
export function backUpLedger(path: string, copy: string): void {
  const database = openLedgerFile(path);
  try {
    createFileBy(copy, (draft) => database.query("VACUUM INTO ?").run(draft));
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST";
    throw new Error(`Cannot write the backup "${copy}": ${isThere ? "the file exists" : whyUnwritable(error)}`, {
      cause: error,
    });
  } finally {
    database.close();
  }
}

/** Counts of the rows of a ledger that clients or the operator still need. */
export interface LeftOver {
  /** Payments in the state settling, unknown or deferred. */
  readonly open: number;
  /** Settled payments whose response is not delivered. */
  readonly owed: number;
  /** Prepaid balances and passes that are not used up, revoked or at their end. */
  readonly balances: number;
  readonly channels: number;
}

const LEFT_OVER = `SELECT
  (SELECT count(*) FROM payments WHERE state IN ('settling', 'unknown', 'deferred')) AS open,
  (SELECT count(*) FROM payments WHERE state = 'settled' AND delivered = 0 AND refunded = '0') AS owed,
  (SELECT count(*) FROM credits WHERE revoked_at = 0 AND (expires_at = 0 OR expires_at > unixepoch() * 1000) AND high + low > 0) AS balances,
  (SELECT count(*) FROM channels) AS channels`;

/**
 * Counts such rows in a store's SQLite file, and changes nothing. Undefined if there is no file, or not of this version: such a
 * ledger is opened by its own program first.
 */
export function leftOverIn(path: string): LeftOver | undefined {
  if (!existsSync(path) || readSqliteVersion(path).found !== SCHEMA_VERSION) return undefined;
  const database = openLedgerFile(path);
  try {
    return database.query<LeftOver, []>(LEFT_OVER).get() ?? undefined;
  } finally {
    database.close();
  }
}

function openLedgerFile(path: string): Database {
  const fail = (why: string, cause?: unknown): never => {
    throw new Error(`Cannot read the ledger "${path}": ${why}`, { cause });
  };
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    fail(
      code === "ENOENT"
        ? "there is no such file; the gateway has accepted no payment yet, or its ledger is elsewhere: name it with --config, --state-dir or --store"
        : code,
      error,
    );
  }
  let database: Database | undefined;
  try {
    database = new Database(path, { readonly: true, strict: true });
    database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const version = schemaVersion(database);
    if (version > SCHEMA_VERSION) fail("a newer version of Turnpike wrote it");
    if (version === 0) fail(NO_TABLES);
    if (version < SCHEMA_VERSION) fail("an older version of Turnpike wrote it; start the gateway once");
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && error.message.startsWith("Cannot read")) throw error;
    return fail(codeOf(error) === "SQLITE_NOTADB" ? "it is not a ledger" : (codeOf(error) ?? "unknown"), error);
  }
}
