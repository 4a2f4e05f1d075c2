import { type Database } from "bun:sqlite";
import { dirname } from "node:path";
import { isDiskFull } from "../../lib/files/disk-full.ts";
import { type JobStore } from "../jobs/job-store.ts";
import { createJobTables } from "../sqlite/jobs-schema.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { SqliteJobs } from "../sqlite/sqlite-jobs.ts";
import { TRY_MS, WriteTurns } from "../sqlite/write-turns.ts";
import { openSqlite } from "../sqlite/open-sqlite.ts";

/** Milliseconds for which a write waits for another process's write. @bound */
const BUSY_MS = 5000;

/** Bytes of the file that are kept in memory. With SQLite's 2 MB, each change of a long frontier reads its pages again. @bound */
const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Opens the jobs in an SQLite file of mode 0600, and creates the file if necessary. A power failure may undo the last
 * writes. `now` gives Unix milliseconds. Once the file has `maxBytes`, writes that need more fail. While its disk is
 * full, each use fails. Throws if the file cannot be created or read for another reason.
 */
export function openSqliteJobs(path: string, now: () => number = Date.now, maxBytes = Infinity): JobStore {
  const open = (): Database =>
    openSqlite(path, { synchronous: "NORMAL", busyMs: BUSY_MS, what: "the jobs" }, (file) => {
      createJobTables(file);
      file.run(`PRAGMA cache_size = -${CACHE_BYTES / 1024}`);
      if (maxBytes < Infinity) limitPages(file, maxBytes);
      file.run(`PRAGMA busy_timeout = ${TRY_MS}`);
    });
  const folder = dirname(path);
  const turns = new WriteTurns(BUSY_MS);
  return new SqliteJobs(new SqliteConnection(orLater(open, folder), { turns, now }), folder);
}

/** The file, or what opens it later if its disk is full now: other operations need no jobs. */
function orLater(open: () => Database, folder: string): Database | (() => Database) {
  try {
    return open();
  } catch (error) {
    if (!isDiskFull(error, folder)) throw error;
    return open;
  }
}

/** A file that is longer already does not grow further. */
function limitPages(database: Database, maxBytes: number): void {
  const size = Number(database.query("PRAGMA page_size").values().flat()[0]);
  database.run(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / size))}`);
}
