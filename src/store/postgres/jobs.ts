import { jobOf } from "../jobs/job-row.ts";
import {
  type Address,
  type Job,
  type JobState,
  type JobStore,
  type NewJob,
  type Outcome,
  type PaidSoFar,
  RESULT_PAGE_BYTES,
  type Share,
  type Stored,
  type StoredResult,
  type Taken,
} from "../jobs/job-store.ts";
import { claimKeys, keyed } from "../jobs/keys.ts";
import { asBytes, Columns, asNumber, asText, each } from "./columns.ts";
import { type Result, statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { PostgresHooks } from "./hooks.ts";
import { BY_DAY, DAY_BITS, partitionsOf } from "./jobs-schema.ts";
import * as sql from "./jobs-statements.ts";
import { type Statement, type Value } from "./messages.ts";
import { PostgresError } from "./postgres-error.ts";
import { PostgresSessions } from "./sessions.ts";

/** Attempts of a write that the server ends, because it waits in a circle with another, or both claim a name (division by zero). */
const MOST_ATTEMPTS = 5;
const PASSING: ReadonlySet<string> = new Set(["40P01", "22012"]);
const DISK_FULL = "53100";
/** A number for the advisory lock of partitions that no other program is likely to use: "turnpik2" in ASCII. */
const LOCK = "8391737060846725682";
/** Milliseconds for which a change of partitions waits for readers: all others wait behind it. @bound */
const PARTITION_LOCK_MS = 2_000;
/** Milliseconds after which a transaction is old: every row that changes in the meantime is kept twice. @bound */
const OLD_SNAPSHOT_MS = 60_000;
/** The columns of `TAKE` and of `READ_RESULTS`. */
const TAKEN = new Columns<Taken>({
  ...each(asText, "key", "host", "url"),
  ...each(asNumber, "task", "depth", "tries", "startMs"),
});
const RESULT = new Columns<StoredResult>({ number: asNumber, pages: asNumber, saved: asNumber, body: asBytes });
const TODAY = statement(`SELECT ${NOW} / 86400000`);

/** Jobs in PostgreSQL, which any number of content services share. Times are those of the database's clock. Decision 0921. */
export class PostgresJobs implements JobStore {
  readonly hooks: PostgresHooks;
  readonly sessions: PostgresSessions;
  readonly #database: Database;
  readonly #oldSnapshotMs: number;
  /** The newest day that has partitions. */
  #day = 0;

  constructor(database: Database, oldSnapshotMs = OLD_SNAPSHOT_MS) {
    this.#database = database;
    this.hooks = new PostgresHooks(database);
    this.sessions = new PostgresSessions(database);
    this.#oldSnapshotMs = oldSnapshotMs;
  }

  isFull(error: unknown): boolean {
    return error instanceof PostgresError && error.code === DISK_FULL;
  }

  async ready(): Promise<void> {
    await this.#database.ready();
  }

  async create(job: NewJob, addresses: readonly Address[]): Promise<boolean> {
    const { clock } = this.#database;
    const day = Number((await this.#database.read(TODAY, [clock])).rows[0]?.[0]);
    if (day > this.#day) {
      await this.#partition(partitionsOf(day));
      this.#day = day;
    }
    const { count } = await this.#database.durable(sql.CREATE, [
      clock,
      String(BigInt(day) << BigInt(DAY_BITS)),
      job.id,
      job.secretHash,
      job.payer,
      job.order,
      job.limit,
      job.maxKnown,
      job.maxRunMs,
      job.keptMs,
      job.sale,
      job.payment,
    ]);
    if (count === 0) return false;
    await this.#write(sql.SEED, [clock, job.id, JSON.stringify(keyed(job.id, addresses))]);
    return true;
  }

  async find(id: string): Promise<Job | undefined> {
    const { rows } = await this.#database.read(sql.FIND, [this.#database.clock, id]);
    return rows.map(jobOf)[0];
  }

  async running(): Promise<readonly Job[]> {
    return (await this.#database.read(sql.RUNNING, [])).rows.map(jobOf);
  }

  async newest(count: number): Promise<readonly Job[]> {
    return (await this.#database.read(sql.NEWEST, [this.#database.clock, count])).rows.map(jobOf);
  }

  async take(job: Job, { hosts, addresses, delayMs }: Share): Promise<readonly Taken[]> {
    const values = [this.#database.clock, job.number, hosts, addresses, delayMs];
    const { rows } = await this.#write(sql.TAKE, values);
    if (rows.length === 0) await this.#write(sql.MEND, values.slice(0, 2));
    return rows.map(TAKEN.read).toSorted((a, b) => a.startMs - b.startMs);
  }

  async renew({ number }: Job, taken: readonly Taken[]): Promise<void> {
    const held = JSON.stringify(taken.map(({ key, tries }) => ({ key, tries })));
    await this.#write(sql.RENEW, [this.#database.clock, number, held]);
  }

  async finish({ id, number }: Job, outcome: Outcome): Promise<Stored | undefined> {
    const { finished, claims = [], found, leftOut = {}, paces = [] } = outcome;
    const { clock } = this.#database;
    if (paces.length > 0) {
      const rows = paces.map(({ host, intervalMs, pauseMs }) => ({ host, pause: pauseMs, pace: intervalMs }));
      await this.#write(sql.PACE, [clock, JSON.stringify(rows)]);
    }
    const outcomes = finished.map(({ taken: { key, host, tries }, kind, againMs, result, saved = 0 }, at) => ({
      key,
      host,
      tries,
      kind,
      again: againMs,
      body: result === undefined ? undefined : Buffer.from(result).toString("base64"),
      saved: kind === "delivered" ? saved : 0,
      at,
    }));
    const named = claims.flatMap((claim, place) =>
      claimKeys(id, claim).map((name) => ({ name, place, most: claim.most, kind: claim.kind })),
    );
    const values = [clock, number, ...[keyed(id, found), outcomes, leftOut].map((value) => JSON.stringify(value))];
    const givesWork = found.length > 0 || outcomes.some(({ again }) => again !== undefined);
    const hasResults = outcomes.some(({ body }) => body !== undefined);
    const results = !hasResults ? "none" : named.length === 0 ? "results" : "claims";
    if (results === "claims") values.push(JSON.stringify(named));
    // A client may read a result at once, so that no crash may give its number to another one.
    const { rows } = await this.#write(sql.finishing(givesWork, results), values);
    const [row] = rows;
    const job = row === undefined ? await this.find(id) : jobOf(row.slice(0, -1));
    return job && { ...job, isAlike: Number(row?.at(-1)) > 0 };
  }

  async end(id: string, state: Exclude<JobState, "running">, reason: string): Promise<boolean> {
    return (await this.#database.durable(sql.END, [this.#database.clock, id, state, reason])).count > 0;
  }

  async paid(id: string, { pages, amount, transaction, isClosed }: PaidSoFar): Promise<void> {
    await this.#database.durable(sql.PAID, [id, pages, amount, isClosed ? 1 : 0, transaction]);
  }

  async begin(id: string): Promise<void> {
    await this.#database.durable(sql.BEGIN, [this.#database.clock, id]);
  }

  async rename(id: string, { secretHash, sale }: Pick<NewJob, "secretHash" | "sale">): Promise<void> {
    await this.#database.durable(sql.RENAME, [id, secretHash, sale]);
  }

  async results({ number }: Job, after: number, count: number): Promise<readonly StoredResult[]> {
    const { rows } = await this.#database.read(sql.READ_RESULTS, [number, after, count, RESULT_PAGE_BYTES]);
    return rows.map(RESULT.read);
  }

  async sweep(): Promise<readonly string[]> {
    const { clock } = this.#database;
    for (const text of [sql.TIME_OUT, sql.UNPAID, sql.FORGET, sql.FORGET_HOSTS]) await this.#write(text, [clock]);
    await this.sessions.removeExpired();
    const { rows } = await this.#database.read(sql.OLD_DAYS, [clock]);
    for (const [day] of rows) await this.#partition(BY_DAY.map((table) => `DROP TABLE IF EXISTS ${table}_${day}`));
    const [old] = (await this.#database.read(sql.OLD_SNAPSHOT, [this.#oldSnapshotMs])).rows;
    if (old === undefined) return [];
    return [
      `a transaction of this database is ${old[0] ?? ""} s old: it makes the frontiers of crawls slow; end it, and avoid long transactions`,
    ];
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Changes partitions, one process at a time. */
  async #partition(statements: readonly string[]): Promise<void> {
    await this.#database.transaction("", async (run) => {
      await run(`SET LOCAL lock_timeout = ${PARTITION_LOCK_MS}`);
      await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
      for (const text of statements) await run(text);
    });
  }

  /** Makes a write that waits for the disk, unless the statement has `IS_QUICK`: a step of its own for that takes time, too. */
  async #write(text: Statement, values: readonly Value[]): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#database.durable(text, values);
      } catch (error) {
        const isPassing = error instanceof PostgresError && PASSING.has(error.code);
        if (!isPassing || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }
}
