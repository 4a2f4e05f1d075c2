import { isDue } from "../due.ts";
import { type HookProgress, type HookState, type HookStore, type TakenHook } from "../jobs/hook-store.ts";
import { LEASE_MS } from "../jobs/job-store.ts";
import { MAX_NOTICE_WAIT_MS } from "../outbox.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

const STATE = "sent, tries, failure, failing_since AS failingSince, next_at IS NULL AS isOver";

const DUE = `SELECT hooks.job, jobs.id AS jobId, turn + 1 AS turn, ${STATE} FROM hooks JOIN jobs ON jobs.number = hooks.job
  WHERE ${isDue("next_at", "$now", MAX_NOTICE_WAIT_MS)} AND (tries > 0) = $failing AND payment <> 'waiting' AND (sent < jobs.results OR jobs.state <> 'running')
  ORDER BY next_at LIMIT $count`;

const RECORD = `UPDATE hooks SET sent = $sent, tries = $tries, failure = $failure, next_at = $nextAt,
  failing_since = iif($tries = 0, 0, iif(failing_since = 0, $now, failing_since)) WHERE job = $job AND turn = $turn`;

/** Webhooks of the jobs in an SQLite file. */
export class SqliteHooks implements HookStore {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async add(id: string): Promise<void> {
    const sql = "INSERT OR IGNORE INTO hooks (job, next_at) SELECT number, $now FROM jobs WHERE id = $id";
    await this.#file.write(sql, { id, now: this.#file.now() });
  }

  async take(count: number, isFailing: boolean): Promise<readonly TakenHook[]> {
    // Most looks find nothing, so they do not write.
    if (this.#due(1, isFailing).length === 0) return [];
    return await this.#file.transaction(() => {
      const due = this.#due(count, isFailing);
      const until = this.#file.now() + LEASE_MS;
      for (const { job } of due) {
        this.#file.run("UPDATE hooks SET next_at = $until, turn = turn + 1 WHERE job = $job", { until, job });
      }
      return due;
    });
  }

  #due(count: number, isFailing: boolean): readonly TakenHook[] {
    const rows = this.#file.all<TakenHook>(DUE, { now: this.#file.now(), failing: Number(isFailing), count });
    return rows.map((row) => ({ ...row, isOver: false }));
  }

  async record({ job, turn }: TakenHook, { nextMs, ...progress }: HookProgress): Promise<boolean> {
    const now = this.#file.now();
    const nextAt = nextMs === undefined ? null : now + nextMs;
    return (await this.#file.write(RECORD, { ...progress, nextAt, now, job, turn })) > 0;
  }

  async of(number: number): Promise<HookState | undefined> {
    const row = this.#file.get<HookRow>(`SELECT ${STATE} FROM hooks WHERE job = $number`, { number });
    return row && { ...row, isOver: row.isOver === 1 };
  }
}

type HookRow = Omit<HookState, "isOver"> & { readonly isOver: number };
