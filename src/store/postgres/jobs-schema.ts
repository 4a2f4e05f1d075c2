import { statement } from "./connection.ts";
import { type Schema } from "./schema.ts";

/** The names have a prefix, because other programs may use the same database. */
export const JOBS = "turnpike_jobs";
export const ADDRESSES = "turnpike_job_addresses";
export const LANES = "turnpike_job_lanes";
export const HOSTS = "turnpike_job_hosts";
export const KINDS = "turnpike_job_kinds";
export const RESULTS = "turnpike_job_results";
export const HOOKS = "turnpike_job_hooks";
export const SESSIONS = "turnpike_sessions";

/** Tables with a partition for each day, which is dropped as a whole. The number of a job begins with its day. */
export const BY_DAY = [ADDRESSES, LANES, RESULTS] as const;
/** Bits of a job's number below its day, as days since 1970. */
export const DAY_BITS = 32;

/**
 * The settings of a session. The server cannot know how few rows these statements have: it would read whole tables, compile
 * them, or plan a statement again each time, which takes longer than to run it (bench frontier).
 */
const BY_INDEX = statement(
  `SELECT set_config('plan_cache_mode', 'force_generic_plan', false), ${[
    "jit",
    "enable_hashjoin",
    "enable_mergejoin",
    "enable_seqscan",
  ]
    .map((name) => `set_config('${name}', 'off', false)`)
    .join(", ")}`,
);

/**
 * All addresses of a job are in one table. `due` orders those of a host. A waiting address has its place in the order of
 * discovery; a postponed one has a larger number, the time at which it can be taken again. A finished one has NULL. A leased
 * one keeps its `due`, and cannot be taken before `lease`. `open` of a lane counts the addresses that it
 * was given, and is not the number of those that are left: an outcome that gives a lane no work does not change it.
 * The other columns are those of the SQLite file (`src/store/sqlite/jobs-schema.ts`). A released migration is never edited. The
 * updates of leases, hosts and jobs touch no indexed column, so that they stay on their pages and change no index (HOT).
 */
export const JOB_SCHEMA: Schema = {
  version: "turnpike_job_schema",
  session: [BY_INDEX],
  first: 5,
  migrations: [
    [
      `CREATE TABLE ${JOBS} (
         number bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, secret_hash text NOT NULL, payer text NOT NULL,
         orders text NOT NULL, page_limit bigint NOT NULL, max_known bigint NOT NULL, ends_at bigint NOT NULL,
         kept_ms bigint NOT NULL, sale text NOT NULL,
         payment text COLLATE "C" NOT NULL, paid text NOT NULL DEFAULT '0', tx text NOT NULL DEFAULT '', state text COLLATE "C" NOT NULL,
         reason text NOT NULL, known bigint NOT NULL DEFAULT 0, open bigint NOT NULL DEFAULT 0,
         delivered bigint NOT NULL DEFAULT 0, paid_through bigint NOT NULL DEFAULT 0, results bigint NOT NULL DEFAULT 0,
         bytes bigint NOT NULL DEFAULT 0, created_at bigint NOT NULL, ended_at bigint NOT NULL DEFAULT 0,
         saved bigint NOT NULL DEFAULT 0
       ) WITH (fillfactor = 50)`,
      `CREATE INDEX ${JOBS}_running ON ${JOBS} (number) WHERE state = 'running'`,
      `CREATE SEQUENCE ${JOBS}_number`,
      `CREATE TABLE ${ADDRESSES} (
         job bigint NOT NULL, key bigint NOT NULL, host bigint NOT NULL, due bigint, task smallint NOT NULL,
         depth smallint NOT NULL, tries smallint NOT NULL DEFAULT 0, url text NOT NULL, lease bigint NOT NULL DEFAULT 0, PRIMARY KEY (job, key)
       ) PARTITION BY RANGE (job)`,
      `CREATE INDEX ${ADDRESSES}_due ON ${ADDRESSES} (job, host, due) WHERE due IS NOT NULL`,
      `CREATE TABLE ${LANES} (
         job bigint NOT NULL, host bigint NOT NULL, open bigint NOT NULL, next_at bigint NOT NULL, PRIMARY KEY (job, host)
       ) PARTITION BY RANGE (job)`,
      `CREATE INDEX ${LANES}_due ON ${LANES} (job, next_at)`,
      `CREATE TABLE ${HOSTS} (
         host bigint PRIMARY KEY, next_at bigint NOT NULL, pace bigint NOT NULL
       ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
      // Each outcome changes a row of few. Its old versions are removed when the rest of their page is full.
      `CREATE TABLE ${KINDS} (
         job bigint NOT NULL REFERENCES ${JOBS} ON DELETE CASCADE, kind text COLLATE "C" NOT NULL, count bigint NOT NULL,
         PRIMARY KEY (job, kind)
       ) WITH (fillfactor = 10)`,
      `CREATE TABLE ${HOOKS} (
         job bigint PRIMARY KEY REFERENCES ${JOBS} ON DELETE CASCADE, next_at bigint, turn bigint NOT NULL DEFAULT 0,
         sent bigint NOT NULL DEFAULT -1, tries integer NOT NULL DEFAULT 0, failure text NOT NULL DEFAULT '',
         failing_since bigint NOT NULL DEFAULT 0
       )`,
      `CREATE INDEX ${HOOKS}_due ON ${HOOKS} (next_at) WHERE next_at IS NOT NULL`,
      `CREATE TABLE ${RESULTS} (
         job bigint NOT NULL, number bigint NOT NULL, pages bigint NOT NULL, body bytea NOT NULL,
         saved bigint NOT NULL DEFAULT 0, PRIMARY KEY (job, number)
       ) PARTITION BY RANGE (job)`,
      // The bodies are compressed already.
      `ALTER TABLE ${RESULTS} ALTER COLUMN body SET STORAGE EXTERNAL`,
      `CREATE TABLE ${SESSIONS} (
         id text COLLATE "C" PRIMARY KEY, secret_hash text COLLATE "C" NOT NULL, idle_ms bigint NOT NULL,
         created_at bigint NOT NULL, used_at bigint NOT NULL, expires_at bigint NOT NULL, uses bigint NOT NULL DEFAULT 0,
         turn bigint NOT NULL DEFAULT 0, leased_until bigint NOT NULL DEFAULT 0, state bytea NOT NULL DEFAULT ''
       )`,
      `CREATE INDEX ${SESSIONS}_secret ON ${SESSIONS} (secret_hash)`,
      // The states are compressed already.
      `ALTER TABLE ${SESSIONS} ALTER COLUMN state SET STORAGE EXTERNAL`,
    ],
  ],
};

/** The statements that create the partitions of a day. Rows of the frontier change often, so they are vacuumed early. */
export function partitionsOf(day: number): readonly string[] {
  const [from, to] = [day, day + 1].map((one) => String(BigInt(one) << BigInt(DAY_BITS)));
  return BY_DAY.map(
    (table) => `CREATE TABLE IF NOT EXISTS ${table}_${day} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to})
      WITH (autovacuum_vacuum_scale_factor = 0.02${table === LANES ? ", fillfactor = 50" : ""})`,
  );
}
