import {
  type Address,
  type Finished,
  type Job,
  type JobState,
  type JobStore,
  MAX_RUNNING_JOBS,
  MAX_WAIT_MS,
  type NewJob,
  type Outcome,
  type PaidSoFar,
  RESULT_PAGE_BYTES,
  type Share,
  type Stored,
  type StoredResult,
  type Taken,
} from "../jobs/job-store.ts";
import { isDiskFull } from "../../lib/files/disk-full.ts";
import { JOB_COLUMNS, jobOf } from "../jobs/job-row.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { SqliteFrontier } from "./sqlite-frontier.ts";
import { SqliteHooks } from "./sqlite-hooks.ts";
import { SqliteSessions } from "./sqlite-sessions.ts";

/** Results and jobs that one call of `sweep` removes. */
const SWEEP_ROWS = 10_000;
const SWEEP_JOBS = 2;

const INSERT = `INSERT INTO jobs
  (id, secret_hash, payer, orders, page_limit, max_known, ends_at, kept_ms, sale, payment, created_at)
  VALUES ($id, $secretHash, $payer, $order, $limit, $maxKnown, $now + $maxRunMs, $keptMs, $sale,
    $payment, $now)`;
const COMPLETE = `UPDATE jobs SET state = 'completed', reason = iif(open > 0, 'limit', ''), ended_at = $now
  WHERE number = $number AND (open = 0 OR delivered >= page_limit)`;
const CHANGE = "UPDATE jobs SET known = known + $added, open = open + $added - $closed WHERE number = $number";
const COUNT = `INSERT INTO kinds VALUES ($job, $kind, $count)
  ON CONFLICT (job, kind) DO UPDATE SET count = count + excluded.count`;
const DELIVER = `UPDATE jobs SET results = results + 1, delivered = delivered + $pages, saved = saved + $saved, bytes = bytes + $bytes
  WHERE number = $job AND delivered < page_limit`;
const RESULT = `INSERT INTO results (job, number, pages, saved, body)
  SELECT number, results, delivered, saved, $result FROM jobs WHERE number = $job`;
const RESULTS =
  "SELECT number, pages, saved, body FROM results WHERE job = $number AND number > $after ORDER BY number LIMIT $count";
const END = "UPDATE jobs SET state = $state, reason = $reason, ended_at = $now WHERE id = $id AND state = 'running'";
const PAID = `UPDATE jobs SET paid = iif((length(paid), paid) > (length($amount), $amount), paid, $amount), paid_through = max(paid_through, $pages),
  payment = iif($isClosed OR payment = 'closed', 'closed', 'open'), tx = iif($transaction = '', tx, $transaction) WHERE id = $id`;
const BEGIN = `UPDATE jobs SET payment = 'none', ends_at = ends_at + max($now - created_at, 0)
  WHERE id = $id AND payment = 'waiting' AND sale = ''`;
const RENAME = "UPDATE jobs SET secret_hash = $secretHash, sale = $sale WHERE id = $id";

const LATE = `UPDATE jobs SET state = 'failed', reason = 'time', ended_at = $now WHERE state = 'running' AND ends_at <= $now`;
const UNPAID = `UPDATE jobs SET state = 'failed', reason = 'unpaid', payment = 'closed', ended_at = $now
  WHERE state = 'running' AND payment = 'waiting' AND sale <> '' AND created_at <= $now - ${MAX_WAIT_MS}`;
const ENDED = "SELECT number FROM jobs WHERE state <> 'running' AND swept = 0 ORDER BY number LIMIT $count";
const EXPIRED = `SELECT number FROM jobs WHERE state <> 'running' AND swept = 1 AND ended_at + kept_ms <= $now
  LIMIT $count`;
const FORGET = `DELETE FROM results WHERE job = $job AND number IN (SELECT number FROM results WHERE job = $job
  LIMIT ${SWEEP_ROWS})`;

const JOB = `SELECT ${JOB_COLUMNS}, (SELECT json_group_object(kind, count) FROM kinds WHERE job = number) FROM jobs`;

interface Numbered {
  readonly number: number;
}

/** Jobs in an SQLite file in `folder`. */
export class SqliteJobs implements JobStore {
  readonly #file: SqliteConnection;
  readonly #frontier: SqliteFrontier;
  readonly #folder: string;
  readonly hooks: SqliteHooks;
  readonly sessions: SqliteSessions;

  constructor(file: SqliteConnection, folder: string) {
    this.#file = file;
    this.#folder = folder;
    this.#frontier = new SqliteFrontier(file);
    this.hooks = new SqliteHooks(file);
    this.sessions = new SqliteSessions(file);
  }

  isFull(error: unknown): boolean {
    return isDiskFull(error, this.#folder);
  }

  async ready(): Promise<void> {
    // The file was opened before this object was created.
  }

  create(job: NewJob, addresses: readonly Address[]): Promise<boolean> {
    return this.#file.transaction(() => {
      const running = this.#file.all("SELECT 1 FROM jobs WHERE state = 'running'");
      if (running.length >= MAX_RUNNING_JOBS) return false;
      this.#file.run(INSERT, { ...job, now: this.#file.now() });
      for (const made of this.#jobs("WHERE id = ?", job.id)) this.#change(made, addresses, 0);
      return true;
    });
  }

  async find(id: string): Promise<Job | undefined> {
    const job = this.#job(id);
    if (job === undefined || job.state === "running") return job;
    return this.#file.now() < job.endedAt + job.keptMs ? job : undefined;
  }

  async running(): Promise<readonly Job[]> {
    return this.#jobs("WHERE state = 'running' AND payment <> 'waiting' ORDER BY number");
  }

  async newest(count: number): Promise<readonly Job[]> {
    const kept = "WHERE state = 'running' OR ended_at + kept_ms > ? ORDER BY number DESC LIMIT ?";
    return this.#jobs(kept, this.#file.now(), count);
  }

  take(job: Job, share: Share): Promise<readonly Taken[]> {
    return this.#frontier.take(job, share);
  }

  renew(job: Job, taken: readonly Taken[]): Promise<void> {
    return this.#frontier.renew(job, taken);
  }

  finish({ id }: Job, outcome: Outcome): Promise<Stored | undefined> {
    const { finished, claims = [], found, leftOut = {}, paces = [] } = outcome;
    return this.#file.transaction(() => {
      for (const pace of paces) this.#frontier.pace(pace);
      const job = this.#job(id);
      if (job?.state !== "running") return job && { ...job, isAlike: false };
      let other: string | undefined;
      let closed = 0;
      for (const one of finished) {
        if (!this.#frontier.finish(job.number, one)) continue;
        closed += 1;
        other = this.#frontier.claim(job, one.taken, claims);
        this.#deliver(job.number, other === undefined ? one : { taken: one.taken, kind: other });
      }
      this.#change(job, found, closed);
      for (const [kind, count] of Object.entries(leftOut)) this.#count(job.number, kind, count);
      this.#file.run(COMPLETE, { number: job.number, now: this.#file.now() });
      return { ...(this.#job(id) ?? job), isAlike: other !== undefined };
    });
  }

  #deliver(job: number, { kind, result, saved = 0 }: Finished): void {
    const isDelivered = kind === "delivered";
    if (!isDelivered) this.#count(job, kind, 1);
    if (result === undefined) return;
    const page = { pages: Number(isDelivered), saved: isDelivered ? saved : 0, bytes: result.length };
    const isWithin = this.#file.run(DELIVER, { job, ...page }) > 0;
    if (isWithin) this.#file.run(RESULT, { job, result });
  }

  /** Adds found addresses to the frontier, and counts them and those that were closed. */
  #change(job: Job, addresses: readonly Address[], closed: number): void {
    const { added, dropped } = this.#frontier.add(job, addresses);
    this.#file.run(CHANGE, { number: job.number, added, closed });
    if (dropped > 0) this.#count(job.number, "frontier-full", dropped);
  }

  #count(job: number, kind: string, count: number): void {
    this.#file.run(COUNT, { job, kind, count });
  }

  async end(id: string, state: Exclude<JobState, "running">, reason: string): Promise<boolean> {
    return (await this.#file.write(END, { id, state, reason, now: this.#file.now() })) > 0;
  }

  async paid(id: string, paid: PaidSoFar): Promise<void> {
    await this.#file.write(PAID, { id, ...paid, isClosed: Number(paid.isClosed) });
  }

  async begin(id: string): Promise<void> {
    await this.#file.write(BEGIN, { id, now: this.#file.now() });
  }

  async rename(id: string, { secretHash, sale }: Pick<NewJob, "secretHash" | "sale">): Promise<void> {
    await this.#file.write(RENAME, { id, secretHash, sale });
  }

  async results({ number }: Job, after: number, count: number): Promise<readonly StoredResult[]> {
    const rows = this.#file.iterate<StoredResult>(RESULTS, { number, after, count });
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
    return this.#file.transaction(() => {
      const now = this.#file.now();
      for (const ended of [LATE, UNPAID]) this.#file.run(ended, { now });
      for (const { number } of this.#file.all<Numbered>(ENDED, { count: SWEEP_JOBS })) {
        // The frontier of a job that has ended is of no use.
        if (this.#frontier.remove(number))
          this.#file.run("UPDATE jobs SET swept = 1 WHERE number = $number", { number });
      }
      for (const { number: job } of this.#file.all<Numbered>(EXPIRED, { now, count: SWEEP_JOBS })) {
        if (this.#file.run(FORGET, { job }) === SWEEP_ROWS) continue;
        for (const table of ["kinds", "hooks"]) this.#file.run(`DELETE FROM ${table} WHERE job = $job`, { job });
        this.#file.run("DELETE FROM jobs WHERE number = $job", { job });
      }
      this.#frontier.forgetHosts();
      this.sessions.removeExpired();
      return [];
    });
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  #job(id: string): Job | undefined {
    return this.#jobs("WHERE id = ?", id)[0];
  }

  #jobs(which: string, ...values: (string | number)[]): Job[] {
    return this.#file
      .prepared(`${JOB} ${which}`)
      .values(...values)
      .map(jobOf);
  }
}
