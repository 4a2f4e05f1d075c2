import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { codeOf, FULL_DISK, messageOf, whyUnwritable } from "../../lib/caught.ts";
import { NamedFile } from "./named-file.ts";

/** `SQLITE_FCNTL_HAS_MOVED` writes 1 if the name of the open file is gone, or belongs to another file. */
const HAS_MOVED = 20;
const MOVED =
  "the file or its log (-wal) was moved, deleted or emptied while it is in use: put it back; a restart without it begins with an empty one";
/** An int. Bun asks for 8 bytes. */
const moved = new Int32Array(2);
/** The open files, and their write-ahead logs. SQLite keeps a log while a connection is open. None in memory. */
const files = new WeakMap<Database, { readonly main: NamedFile; readonly log: NamedFile }>();

export interface SqliteSettings {
  /** With `FULL` each write waits for the disk. With `NORMAL` a power failure may undo it, with `OFF` it may spoil the file. */
  readonly synchronous: "FULL" | "NORMAL" | "OFF";
  /** Milliseconds for which a write waits for another process's write. */
  readonly busyMs: number;
  /** The name of the file in errors, such as `the ledger`. */
  readonly what: string;
  /** SQL for a new file, before its first table. */
  readonly first?: string;
}

/**
 * Opens an SQLite file of mode 0600 with a write-ahead log, and creates it if necessary; `:memory:` is in memory. `prepare`
 * creates what is missing. If it throws, the file is closed.
 */
export function openSqlite(
  path: string,
  { synchronous, busyMs, what, first }: SqliteSettings,
  prepare: (database: Database) => void = () => {},
): Database {
  if (path !== ":memory:") makeOwn(path, what);
  const database = new Database(path, { create: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${busyMs}`);
    if (first !== undefined) database.run(first);
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA synchronous = ${synchronous}`);
    prepare(database);
    if (path !== ":memory:") files.set(database, namesOf(database));
    return database;
  } catch (error) {
    database.close();
    throw codeOf(error)?.startsWith("SQLITE_") === true ? refusal(error, path, what) : error;
  }
}

function refusal(error: unknown, path: string, what: string): Error {
  const code = codeOf(error) ?? "unknown";
  const why = code.startsWith("SQLITE_") && !FULL_DISK.has(code) ? messageOf(error) : whyUnwritable(error);
  return Object.assign(new Error(`Cannot open ${what} "${path}": ${why}`, { cause: error }), { code });
}

/** SQLite gives its -wal and -shm files the mode of the main file, so the mode is set before SQLite opens the file. */
function makeOwn(path: string, what: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    // Its folder is not created: perhaps its disk is not mounted, and an empty ledger would accept spent payments again.
    throw refusal(error, path, what);
  }
}

/**
 * Keeps what a failed statement would undo in memory. SQLite writes it to a file below /var/tmp, 42 writes for each payment in a group
 * of 64, which takes a fifth of the ledger's CPU time (bench channels). Sorts use memory too: `SqliteConnection.sorted` is for large ones.
 */
export function undoInMemory(database: Database): void {
  database.run("PRAGMA temp_store = MEMORY");
}

function namesOf(database: Database): { readonly main: NamedFile; readonly log: NamedFile } {
  const { filename } = database;
  const names = { main: new NamedFile(filename), log: new NamedFile(`${filename}-wal`) };
  // Its name could have become another file's since it was opened.
  moved[0] = 0;
  database.fileControl(HAS_MOVED, moved);
  if (moved[0] !== 0) throw new Error(MOVED);
  return names;
}

/** True if the file or its log was moved, deleted or emptied while it is open. SQLite goes on without an error then. */
export function isMoved(database: Database): boolean {
  const names = files.get(database);
  if (names === undefined) return false;
  return !names.main.isSameAndFull() || (names.log.wasThere && !names.log.isSame());
}

/**
 * Throws if the file or its log was moved, deleted or emptied: its writes are lost when the process ends. Another process would
 * create a new file meanwhile, and accept spent payments again.
 */
export function refuseMoved(database: Database): void {
  if (!isMoved(database)) return;
  throw Object.assign(new Error(`Cannot write to "${database.filename}": ${MOVED}`), {
    code: "SQLITE_READONLY_DBMOVED",
    publicText: MOVED,
  });
}
