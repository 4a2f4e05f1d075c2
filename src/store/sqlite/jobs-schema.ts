import { type Database } from "bun:sqlite";

/** The version of the tables below. */
const VERSION = 6;

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
 * The column `due` orders the addresses of a host. A waiting address has its place in the order of discovery. A leased or
 * postponed one has the time at which it can be taken again, a larger number. A finished one has NULL.
 */
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
  CREATE TABLE addresses (
    job INTEGER NOT NULL, key INTEGER NOT NULL, host INTEGER NOT NULL, due INTEGER, task INTEGER NOT NULL,
    depth INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, url TEXT NOT NULL, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX addresses_due ON addresses (job, host, due) WHERE due IS NOT NULL;
  CREATE TABLE lanes (
    job INTEGER NOT NULL, host INTEGER NOT NULL, open INTEGER NOT NULL, next_at INTEGER NOT NULL,
    PRIMARY KEY (job, host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_due ON lanes (job, next_at) WHERE open > 0;
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

/** Changes the tables of versions 4 and 3. */
const FROM_FOURTH = [
  ...["jobs", "results"].map((table) => `ALTER TABLE ${table} ADD COLUMN saved INTEGER NOT NULL DEFAULT 0`),
  SESSIONS,
].join("; ");
const FROM_THIRD = `ALTER TABLE jobs ADD COLUMN tx TEXT NOT NULL DEFAULT ''; ${FROM_FOURTH}`;

/**
 * Changes the tables of version 1, whose jobs were crawls that were paid as a whole. The order of a crawl was its input
 * alone.
 */
const FROM_FIRST = `
  ALTER TABLE jobs DROP COLUMN page_price;
  ALTER TABLE jobs DROP COLUMN quote;
  ALTER TABLE jobs ADD COLUMN sale TEXT NOT NULL DEFAULT '';
  ALTER TABLE jobs ADD COLUMN payment TEXT NOT NULL DEFAULT 'none';
  ALTER TABLE jobs ADD COLUMN paid TEXT NOT NULL DEFAULT '0';
  ${FROM_THIRD};
  UPDATE jobs SET orders = json_object('operation', 'crawl', 'input', json(orders));
  ALTER TABLE results RENAME COLUMN delivered TO pages;
  UPDATE results SET pages = counted.pages FROM (
    SELECT job, number, sum(pages) OVER (PARTITION BY job ORDER BY number) AS pages FROM results
  ) AS counted WHERE counted.job = results.job AND counted.number = results.number;
  ${HOOKS}`;

/** Creates or updates the tables of jobs. Throws if a newer version of the program wrote the file. */
export function createJobTables(database: Database): void {
  const version = (): number =>
    database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  database
    .transaction(() => {
      const sql = [TABLES, FROM_FIRST, undefined, FROM_THIRD, FROM_FOURTH, SESSIONS][version()];
      if (sql !== undefined) database.run(`${sql}; PRAGMA user_version = ${VERSION}`);
    })
    .immediate();
  if (version() !== VERSION) {
    throw new Error(`Cannot open the file of jobs: its version is ${version()}, this program knows ${VERSION}`);
  }
}
