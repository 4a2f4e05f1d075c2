import { type Statement } from "bun:sqlite";
import {
  type Address,
  type Finished,
  type Job,
  type JobState,
  type JobStore,
  LEASE_MS,
  MAX_RUNNING_JOBS,
  MAX_WAIT_MS,
  type NewJob,
  type Outcome,
  type Pace,
  type PaidSoFar,
  POSTPONED,
  RESULT_PAGE_BYTES,
  type Share,
  type StoredResult,
  type Taken,
  TURN_MS,
} from "../jobs/job-store.ts";
import { codeOf } from "../../lib/caught.ts";
import { JOB_COLUMNS, jobOf } from "../jobs/job-row.ts";
import { CLAIM, claimKey, keyed } from "../jobs/keys.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { SqliteHooks } from "./sqlite-hooks.ts";

/** Rows of a table and jobs that one call of `sweep` removes. */
const SWEEP_ROWS = 10_000;
const SWEEP_JOBS = 2;
/** Milliseconds after its last request for which the pace of a host is remembered: a day. @bound */
const KEPT_HOST_MS = 86_400_000;

const ENDED = "SELECT number FROM jobs WHERE state <> 'running' AND swept = 0 ORDER BY number LIMIT ?";
const UNPAID = `UPDATE jobs SET state = 'failed', reason = 'unpaid', payment = 'closed', ended_at = ?
  WHERE state = 'running' AND payment = 'waiting' AND created_at <= ?`;
const EXPIRED = "SELECT number FROM jobs WHERE state <> 'running' AND swept = 1 AND ended_at + kept_ms <= ? LIMIT ?";

const JOB = `SELECT ${JOB_COLUMNS}, (SELECT json_group_object(kind, count) FROM kinds WHERE job = number) FROM jobs`;

interface AddressRow {
  readonly key: string;
  readonly url: string;
  readonly task: number;
  readonly depth: number;
  readonly tries: number;
}

/** Jobs in an SQLite file. `now` gives Unix milliseconds. */
export class SqliteJobs implements JobStore {
  readonly #file: SqliteConnection;
  readonly #now: () => number;
  readonly hooks: SqliteHooks;

  constructor(file: SqliteConnection, now: () => number) {
    this.#file = file;
    this.#now = now;
    this.hooks = new SqliteHooks(file, now);
  }

  isFull(error: unknown): boolean {
    return codeOf(error) === "SQLITE_FULL";
  }

  async ready(): Promise<void> {
    // The file was opened before this object was created.
  }

  create(job: NewJob, addresses: readonly Address[]): Promise<boolean> {
    return this.#write(() => {
      const running = this.#get<{ count: number }>("SELECT count(*) AS count FROM jobs WHERE state = 'running'");
      if ((running?.count ?? 0) >= MAX_RUNNING_JOBS) return false;
      const now = this.#now();
      this.#run(
        `INSERT INTO jobs (id, secret_hash, payer, orders, page_limit, max_known, ends_at, kept_ms, sale, payment, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        job.id,
        job.secretHash,
        job.payer,
        job.order,
        job.limit,
        job.maxKnown,
        now + job.maxRunMs,
        job.keptMs,
        job.sale,
        job.sale === "" ? "none" : "waiting",
        now,
      );
      const made = this.#job(job.id);
      if (made !== undefined) this.#add(made, addresses);
      return true;
    });
  }

  async find(id: string): Promise<Job | undefined> {
    const job = this.#job(id);
    return job?.state === "running" || this.#now() < (job?.endedAt ?? 0) + (job?.keptMs ?? 0) ? job : undefined;
  }

  async running(): Promise<readonly Job[]> {
    return this.#query(`${JOB} WHERE state = 'running' AND payment <> 'waiting' ORDER BY number`).values().map(jobOf);
  }

  async newest(count: number): Promise<readonly Job[]> {
    const kept = `${JOB} WHERE state = 'running' OR ended_at + kept_ms > ? ORDER BY number DESC LIMIT ?`;
    return this.#query(kept).values(this.#now(), count).map(jobOf);
  }

  take({ number }: Job, share: Share): Promise<readonly Taken[]> {
    return this.#write(() => {
      const now = this.#now();
      const lanes = this.#all<{ host: string }>(
        `SELECT CAST(host AS TEXT) AS host FROM lanes WHERE job = ? AND open > 0 AND next_at <= ? ORDER BY next_at LIMIT ?`,
        number,
        now,
        share.hosts,
      );
      const taken: Taken[] = [];
      for (const { host } of lanes) taken.push(...this.#takeOf(number, host, share, share.addresses - taken.length));
      return taken;
    });
  }

  #takeOf(job: number, host: string, { delayMs }: Share, most: number): Taken[] {
    const now = this.#now();
    const key = BigInt(host);
    const known = this.#get<{ next_at: number; pace: number }>("SELECT next_at, pace FROM hosts WHERE host = ?", key);
    if (known !== null && known.next_at > now) {
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", known.next_at, job, key);
      return [];
    }
    const pace = Math.max(known?.pace ?? TURN_MS, delayMs);
    const rows = this.#all<AddressRow>(
      `SELECT CAST(key AS TEXT) AS key, url, task, depth, tries FROM addresses
       WHERE job = ? AND host = ? AND due <= ? ORDER BY due LIMIT ?`,
      job,
      key,
      now,
      Math.min(most, pace === 0 ? most : Math.max(1, Math.floor(TURN_MS / pace))),
    );
    if (rows.length === 0) {
      // All that is left is leased or postponed. Without a row the lane is finished by another service right now.
      const next = this.#get<{ due: number | null }>(
        "SELECT min(due) AS due FROM addresses WHERE job = ? AND host = ? AND due IS NOT NULL",
        job,
        key,
      );
      const nextAt = most === 0 ? now : (next?.due ?? now + TURN_MS);
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", nextAt, job, key);
      return [];
    }
    for (const row of rows) {
      this.#run(
        "UPDATE addresses SET due = ?, tries = tries + 1 WHERE job = ? AND key = ?",
        now + LEASE_MS,
        job,
        BigInt(row.key),
      );
    }
    const nextAt = now + rows.length * pace;
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ${TURN_MS}) ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at`,
      key,
      nextAt,
    );
    this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", nextAt, job, key);
    return rows.map((row, at) => ({ ...row, host, tries: row.tries + 1, startMs: at * pace }));
  }

  renew({ number }: Job, taken: readonly Taken[]): Promise<void> {
    return this.#write(() => {
      for (const { key, tries } of taken) {
        this.#run(
          "UPDATE addresses SET due = ? WHERE job = ? AND key = ? AND tries = ? AND due IS NOT NULL",
          this.#now() + LEASE_MS,
          number,
          BigInt(key),
          tries,
        );
      }
    });
  }

  finish({ id }: Job, { finished, found, leftOut = {}, paces = [] }: Outcome): Promise<Job | undefined> {
    return this.#write(() => {
      for (const pace of paces) this.#pace(pace);
      const job = this.#job(id);
      if (job?.state !== "running") return job;
      for (const one of finished) this.#finishOne(job.number, one);
      this.#add(job, found);
      for (const [kind, count] of Object.entries(leftOut)) this.#count(job.number, kind, count);
      this.#run(
        `UPDATE jobs SET state = 'completed', reason = iif(open > 0, 'limit', ''), ended_at = ?
         WHERE number = ? AND (open = 0 OR delivered >= page_limit)`,
        this.#now(),
        job.number,
      );
      return this.#job(id);
    });
  }

  #finishOne(job: number, { taken, kind, againMs, result }: Finished): void {
    const now = this.#now();
    const due = againMs === undefined ? null : now + againMs;
    const changed = this.#run(
      "UPDATE addresses SET due = ?, tries = tries + ? WHERE job = ? AND key = ? AND tries = ? AND due IS NOT NULL",
      due,
      due === null ? 0 : POSTPONED,
      job,
      BigInt(taken.key),
      taken.tries,
    );
    if (!changed) return;
    if (due !== null) {
      this.#run("UPDATE lanes SET next_at = min(next_at, ?) WHERE job = ? AND host = ?", due, job, BigInt(taken.host));
      return;
    }
    this.#run("UPDATE lanes SET open = open - 1 WHERE job = ? AND host = ?", job, BigInt(taken.host));
    this.#run("UPDATE jobs SET open = open - 1 WHERE number = ?", job);
    const isDelivered = kind === "delivered";
    if (!isDelivered) this.#count(job, kind, 1);
    if (result === undefined) return;
    const isWithin = this.#run(
      `UPDATE jobs SET results = results + 1, delivered = delivered + ?, bytes = bytes + ?
       WHERE number = ? AND delivered < page_limit`,
      Number(isDelivered),
      result.length,
      job,
    );
    if (!isWithin) return;
    this.#run(
      "INSERT INTO results (job, number, pages, body) SELECT number, results, delivered, ? FROM jobs WHERE number = ?",
      result,
      job,
    );
  }

  #add({ id, number, known, maxKnown }: Job, addresses: readonly Address[]): void {
    const now = this.#now();
    let added = 0;
    let dropped = 0;
    for (const { key, host, url, task, depth } of keyed(id, addresses)) {
      const values = [number, BigInt(key)] as const;
      if (known + added >= maxKnown) {
        const isKnown = this.#query("SELECT 1 FROM addresses WHERE job = ? AND key = ?").get(...values) !== null;
        if (!isKnown) dropped += 1;
        continue;
      }
      const isNew = this.#run(
        "INSERT OR IGNORE INTO addresses (job, key, host, due, task, depth, url) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...values,
        BigInt(host),
        known + added,
        task,
        depth,
        url,
      );
      if (!isNew) continue;
      added += 1;
      this.#run(
        `INSERT INTO lanes VALUES (?, ?, 1, ?) ON CONFLICT (job, host) DO UPDATE
         SET open = open + 1, next_at = iif(open = 0 OR next_at > excluded.next_at + ${TURN_MS}, excluded.next_at, next_at)`,
        number,
        BigInt(host),
        now,
      );
    }
    if (added > 0)
      this.#run("UPDATE jobs SET known = known + ?, open = open + ? WHERE number = ?", added, added, number);
    if (dropped > 0) this.#count(number, "frontier-full", dropped);
  }

  #count(job: number, kind: string, count: number): void {
    this.#run(
      "INSERT INTO kinds VALUES (?, ?, ?) ON CONFLICT (job, kind) DO UPDATE SET count = count + excluded.count",
      job,
      kind,
      count,
    );
  }

  #pace({ host, intervalMs, pauseMs }: Pace): void {
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ?) ON CONFLICT (host) DO UPDATE
       SET pace = excluded.pace, next_at = max(next_at, excluded.next_at)`,
      BigInt(host),
      this.#now() + pauseMs,
      intervalMs,
    );
  }

  claim({ id, number }: Job, names: readonly string[], { key: owner }: Taken, most: number): Promise<boolean> {
    const keys = names.map((name) => BigInt(claimKey(id, name)));
    return this.#write(() => {
      const owners = keys.map(
        (key) => this.#get<{ url: string }>("SELECT url FROM addresses WHERE job = ? AND key = ?", number, key)?.url,
      );
      if (owners.filter((other) => other !== undefined && other !== owner).length >= most) return false;
      for (const [at, key] of keys.entries()) {
        if (owners[at] !== undefined) continue;
        this.#run(
          "INSERT OR IGNORE INTO addresses (job, key, host, task, depth, url) VALUES (?, ?, 0, ?, 0, ?)",
          number,
          key,
          CLAIM,
          owner,
        );
      }
      return true;
    });
  }

  end(id: string, state: Exclude<JobState, "running">, reason: string): Promise<boolean> {
    return this.#write(() =>
      this.#run(
        "UPDATE jobs SET state = ?, reason = ?, ended_at = ? WHERE id = ? AND state = 'running'",
        state,
        reason,
        this.#now(),
        id,
      ),
    );
  }

  async paid(id: string, { pages, amount, isClosed }: PaidSoFar): Promise<void> {
    const sql = `UPDATE jobs SET paid = iif(paid_through > ?1, paid, ?2), paid_through = max(paid_through, ?1),
      payment = iif(?3 OR payment = 'closed', 'closed', 'open') WHERE id = ?4`;
    await this.#write(() => this.#run(sql, pages, amount, Number(isClosed), id));
  }

  async rename(id: string, { secretHash, sale }: Pick<NewJob, "secretHash" | "sale">): Promise<void> {
    await this.#write(() => this.#run("UPDATE jobs SET secret_hash = ?, sale = ? WHERE id = ?", secretHash, sale, id));
  }

  async results({ number }: Job, after: number, count: number): Promise<readonly StoredResult[]> {
    const rows = this.#query(
      "SELECT number, pages, body FROM results WHERE job = ? AND number > ? ORDER BY number LIMIT ?",
    ).iterate(number, after, count) as Iterable<StoredResult>;
    const found: StoredResult[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += row.body.length;
      if (found.length > 0 && bytes > RESULT_PAGE_BYTES) break;
      found.push(row);
    }
    return found;
  }

  sweep(): Promise<readonly string[]> {
    return this.#write(() => {
      const now = this.#now();
      this.#run(
        "UPDATE jobs SET state = 'failed', reason = 'time', ended_at = ? WHERE state = 'running' AND ends_at <= ?",
        now,
        now,
      );
      this.#run(UNPAID, now, now - MAX_WAIT_MS);
      for (const { number } of this.#all<{ number: number }>(ENDED, SWEEP_JOBS)) {
        // The frontier of a job that has ended is of no use.
        if (this.#remove("addresses", "key", number) && this.#remove("lanes", "host", number)) {
          this.#run("UPDATE jobs SET swept = 1 WHERE number = ?", number);
        }
      }
      for (const { number } of this.#all<{ number: number }>(EXPIRED, now, SWEEP_JOBS)) {
        if (!this.#remove("results", "number", number)) continue;
        for (const table of ["kinds", "hooks"]) this.#run(`DELETE FROM ${table} WHERE job = ?`, number);
        this.#run("DELETE FROM jobs WHERE number = ?", number);
      }
      this.#run("DELETE FROM hosts WHERE next_at < ?", now - KEPT_HOST_MS);
      return [];
    });
  }

  /** Removes at most `SWEEP_ROWS` rows of a job. True if none is left. */
  #remove(table: string, key: string, job: number): boolean {
    const sql = `DELETE FROM ${table} WHERE job = ? AND ${key} IN (SELECT ${key} FROM ${table} WHERE job = ? LIMIT ?)`;
    return this.#query(sql).run(job, job, SWEEP_ROWS).changes < SWEEP_ROWS;
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  #job(id: string): Job | undefined {
    return this.#query(`${JOB} WHERE id = ?`).values(id).map(jobOf)[0];
  }

  #write<T>(write: () => T): Promise<T> {
    return this.#file.transaction(write);
  }

  #query(sql: string): Statement {
    return this.#file.prepared(sql);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns are those of the statement
  #get<T>(sql: string, ...values: Value[]): T | null {
    // The columns are those of the statement.
    return this.#query(sql).get(...values) as T | null;
  }

  #all<T>(sql: string, ...values: Value[]): T[] {
    // As above.
    return this.#query(sql).all(...values) as T[];
  }

  /** True if a row was changed. */
  #run(sql: string, ...values: Value[]): boolean {
    return this.#query(sql).run(...values).changes > 0;
  }
}

type Value = string | number | bigint | null | Uint8Array;
