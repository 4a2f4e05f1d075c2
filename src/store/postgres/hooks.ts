import { isDue } from "../due.ts";
import { type HookProgress, type HookState, type HookStore, type TakenHook } from "../jobs/hook-store.ts";
import { LEASE_MS } from "../jobs/job-store.ts";
import { MAX_NOTICE_WAIT_MS } from "../outbox.ts";
import { Columns, asFlag, asNumber, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { HOOKS, JOBS } from "./jobs-schema.ts";

/** The columns of `OF` and of `TAKE`. */
const PROGRESS = { sent: asNumber, tries: asNumber, failure: asText, failingSince: asNumber, isOver: asFlag };
const STATE = new Columns<HookState>(PROGRESS);
const TAKEN = new Columns<TakenHook>({ ...PROGRESS, job: asNumber, jobId: asText, turn: asNumber });

const COLUMNS = "sent, tries, failure, failing_since, next_at IS NULL";

const ADD = statement(
  `INSERT INTO ${HOOKS} (job, next_at) SELECT number, ${NOW} FROM ${JOBS} WHERE id = $2 ON CONFLICT DO NOTHING`,
);

const TAKE = statement(`
  WITH due AS MATERIALIZED (
    SELECT hooks.job, jobs.id FROM ${HOOKS} AS hooks JOIN ${JOBS} AS jobs ON jobs.number = hooks.job
    WHERE ${isDue("next_at", NOW, MAX_NOTICE_WAIT_MS)} AND (tries > 0) = ($3::integer = 1) AND payment <> 'waiting'
      AND (sent < jobs.results OR jobs.state <> 'running')
    ORDER BY next_at LIMIT $2::integer FOR UPDATE OF hooks SKIP LOCKED)
  UPDATE ${HOOKS} AS hooks SET next_at = ${NOW} + ${LEASE_MS}, turn = turn + 1 FROM due WHERE hooks.job = due.job
  RETURNING ${COLUMNS}, hooks.job, due.id, turn`);

const RECORD = statement(`
  UPDATE ${HOOKS} SET sent = $4::bigint, tries = $5::integer, failure = $6, next_at = ${NOW} + $7::bigint,
    failing_since = CASE WHEN $5::integer = 0 THEN 0 WHEN failing_since = 0 THEN ${NOW} ELSE failing_since END
  WHERE job = $2::bigint AND turn = $3::bigint`);

const OF = statement(`SELECT ${COLUMNS} FROM ${HOOKS} WHERE job = $1::bigint`);

/** Webhooks of the jobs in PostgreSQL. */
export class PostgresHooks implements HookStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(jobId: string): Promise<void> {
    await this.#database.durable(ADD, [this.#database.clock, jobId]);
  }

  async take(count: number, isFailing: boolean): Promise<readonly TakenHook[]> {
    const values = [this.#database.clock, count, isFailing ? 1 : 0];
    const { rows } = await this.#database.quick(TAKE, values);
    return rows.map(TAKEN.read);
  }

  async record({ job, turn }: TakenHook, { sent, tries, failure, nextMs }: HookProgress): Promise<boolean> {
    const values = [this.#database.clock, job, turn, sent, tries, failure, nextMs ?? null];
    return (await this.#database.quick(RECORD, values)).count > 0;
  }

  async of(number: number): Promise<HookState | undefined> {
    return (await this.#database.read(OF, [number])).rows.map(STATE.read)[0];
  }
}
