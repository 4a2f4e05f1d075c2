import { type Connection, type Result, statement, type Step } from "./connection.ts";
import { type Statement, type Value } from "./messages.ts";
import { Pool, type PoolSettings, STATEMENT_GRACE_MS } from "./pool.ts";
import { PostgresError } from "./postgres-error.ts";
import { migrate, PAYMENT_SCHEMA, type Schema } from "./schema.ts";

/**
 * SQL for the time in Unix milliseconds; the statement's first value must be `Database.clock`. It is the database's
 * clock, because gateways on several machines must agree on when a lease expires.
 */
export const NOW = "coalesce($1::bigint, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)";

/** A crash of the database's machine may undo such a transaction. Nothing else can. */
const QUICK = { statement: statement("SELECT set_config('synchronous_commit', 'off', true)"), values: [] };
/** Makes a server with `synchronous_commit = off` wait for its disk. One that waits for replicas still does. */
const WAIT_FOR_DISK = statement(
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
);

/** Runs one statement of a transaction, and resolves with its rows. */
export type Run = (text: string, values?: readonly Value[]) => Promise<Result["rows"]>;

/** Runs statements on the tables of the store, after a check of their schema. */
export class Database {
  readonly #pool: Pool;
  readonly #now: (() => number) | undefined;
  readonly #statementMs: number;
  readonly #schema: Schema;
  #ready: Promise<void> | undefined;

  /** `now` replaces the database's clock. Only tests use it. */
  constructor(settings: PoolSettings, now?: () => number, schema: Schema = PAYMENT_SCHEMA) {
    const { statementMs } = settings;
    this.#schema = schema;
    const steps = [WAIT_FOR_DISK, ...(schema.session ?? [])].map((one) => ({ statement: one, values: [] }));
    this.#pool = new Pool(settings, async (connection) => {
      await connection.run(steps, statementMs);
    });
    this.#now = now;
    this.#statementMs = statementMs;
  }

  /** The first value of a statement that uses `NOW`. */
  get clock(): Value {
    return this.#now?.() ?? null;
  }

  /** Resolves once the tables have the schema of this program. A call after a failure tries again. */
  ready(): Promise<void> {
    this.#ready ??= this.#pool
      .session((connection) => migrated(connection, this.#statementMs, this.#schema))
      .catch((error: unknown) => {
        this.#ready = undefined;
        throw error;
      });
    return this.#ready;
  }

  /** When it resolves, this write and all earlier writes of all processes are on the disk. */
  async durable(text: Statement, values: readonly Value[]): Promise<Result> {
    await this.ready();
    return this.#pool.run({ statement: text, values });
  }

  /**
   * For reads, and for writes that a crash of the database's machine may undo because they transfer no money.
   */
  async quick(text: Statement, values: readonly Value[]): Promise<Result> {
    await this.ready();
    return this.#pool.run(QUICK, { statement: text, values });
  }

  read(text: Statement, values: readonly Value[]): Promise<Result> {
    return this.durable(text, values);
  }

  /**
   * Runs the statements of `work` as one transaction, which is on the disk when it resolves. `mode` is appended to
   * BEGIN. If it rejects, nothing was written, except if the response to COMMIT was lost.
   */
  async transaction<T>(mode: string, work: (run: Run) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#pool.session(async (connection) => {
      const run: Run = async (text, values = []) => {
        // The statement has no name: behind a pooler another session may not know it, and it cannot be prepared again
        // within a transaction.
        const step: Step = { statement: { name: "", text }, values };
        return (await connection.run([step], this.#statementMs + STATEMENT_GRACE_MS)).rows;
      };
      await run(`BEGIN ${mode}`);
      const result = await work(run);
      await run("COMMIT");
      return result;
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

async function migrated(connection: Connection, statementMs: number, schema: Schema): Promise<void> {
  try {
    await migrate(connection, statementMs, schema);
  } catch (error) {
    if (error instanceof PostgresError && error.code === "42501") {
      throw new PostgresError("42501", "its user may not make Turnpike's tables, or read them (SQLSTATE 42501)");
    }
    throw error;
  }
}
