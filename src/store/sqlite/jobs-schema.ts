import { type Database } from "bun:sqlite";

/** The version of the tables below. */
const VERSION = 7;

const HOOKS = `
  CREATE TABLE hooks (
    job INTEGER PRIMARY KEY, next_at INTEGER, turn INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT -1,
    tries INTEGER NOT NULL DEFAULT 0, failure TEXT NOT NULL DEFAULT '', failing_since INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX hooks_due ON hooks (next_at) WHERE next_at IS NOT NULL`;

const SESSIONS = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, idle_ms INTEGER NOT NULL, created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0,
    turn INTEGER NOT NULL DEFAULT 0, leased_until INTEGER NOT NULL DEFAULT 0, state BLOB NOT NULL DEFAULT x''
  ) STRICT;
  CREATE INDEX sessions_secret ON sessions (secret_hash)`;

/**
 * The frontier. Each address that was found is in `known`. If it waits, it is in `queue` as well, and if it is taken, in
 * `leases`. `known` has the names that pages claim, too; `owner` is the key of the page. A lane is a host with waiting
 * addresses.
 *
 * `due` orders the addresses of a host. A new address has its place in the order of discovery. A postponed one has a larger
 * number, the time at which it can be taken again.
 *
 * The rows of a host are side by side, and often changed rows are in small tables. One table by the hashes of addresses
 * would be slower in a long frontier, because each change would write another page of the file (bench frontier).
 */
const FRONTIER = `
  CREATE TABLE known (
    job INTEGER NOT NULL, key INTEGER NOT NULL, owner INTEGER, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE queue (
    job INTEGER NOT NULL, host INTEGER NOT NULL, due INTEGER NOT NULL, key INTEGER NOT NULL, task INTEGER NOT NULL,
    depth INTEGER NOT NULL, tries INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (job, host, due, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE leases (
    job INTEGER NOT NULL, key INTEGER NOT NULL, host INTEGER NOT NULL, due INTEGER NOT NULL, task INTEGER NOT NULL,
    depth INTEGER NOT NULL, tries INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lanes (
    job INTEGER NOT NULL, host INTEGER NOT NULL, next_at INTEGER NOT NULL, PRIMARY KEY (job, host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_due ON lanes (job, next_at)`;

const TABLES = `
  CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, secret_hash TEXT NOT NULL, payer TEXT NOT NULL,
    orders TEXT NOT NULL, page_limit INTEGER NOT NULL, max_known INTEGER NOT NULL, ends_at INTEGER NOT NULL,
    kept_ms INTEGER NOT NULL, sale TEXT NOT NULL, payment TEXT NOT NULL,
    paid TEXT NOT NULL DEFAULT '0', tx TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'running', reason TEXT NOT NULL DEFAULT '', known INTEGER NOT NULL DEFAULT 0,
    open INTEGER NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0, paid_through INTEGER NOT NULL DEFAULT 0,
    results INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL DEFAULT 0, swept INTEGER NOT NULL DEFAULT 0, saved INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX jobs_running ON jobs (number) WHERE state = 'running';
  CREATE INDEX jobs_unswept ON jobs (number) WHERE state <> 'running' AND swept = 0;
  ${FRONTIER};
  CREATE TABLE hosts (
    host INTEGER PRIMARY KEY, next_at INTEGER NOT NULL, pace INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE kinds (
    job INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (job, kind)
  ) STRICT, WITHOUT ROWID;
  ${HOOKS};
  ${SESSIONS};
  CREATE TABLE results (
    job INTEGER NOT NULL, number INTEGER NOT NULL, pages INTEGER NOT NULL, body BLOB NOT NULL,
    saved INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (job, number)
  ) STRICT`;

/** Creates the tables of jobs. Throws if the file has those of another version. */
export function createJobTables(database: Database): void {
  const version = (): number =>
    database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  database
    .transaction(() => {
      if (version() === 0) database.run(`${TABLES}; PRAGMA user_version = ${VERSION}`);
    })
    .immediate();
  if (version() !== VERSION) {
    throw new Error(`Cannot open the file of jobs: its version is ${version()}, this program knows ${VERSION}`);
  }
}
