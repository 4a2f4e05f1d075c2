import { type JobStore } from "../jobs/job-store.ts";
import { createJobTables } from "../sqlite/jobs-schema.ts";
import { SqliteJobs } from "../sqlite/sqlite-jobs.ts";
import { TRY_MS, WriteTurns } from "../sqlite/write-turns.ts";
import { connect, ownFile } from "./open-store.ts";

/** Milliseconds for which a write waits for another process's write. @bound */
const BUSY_MS = 5000;

/**
 * Opens the jobs in an SQLite file of mode 0600, and creates the file if necessary. A power failure may undo the last
 * writes. `now` gives Unix milliseconds. Throws if the file cannot be created or read.
 */
export function openSqliteJobs(path: string, now: () => number = Date.now): JobStore {
  if (path !== ":memory:") ownFile(path, "the jobs");
  const database = connect(path, "NORMAL", BUSY_MS);
  try {
    createJobTables(database);
    database.run(`PRAGMA busy_timeout = ${TRY_MS}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteJobs(database, now, new WriteTurns(BUSY_MS));
}
