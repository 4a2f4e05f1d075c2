import { type Connection, type Result, statement, type Step } from "./connection.ts";
import { type Statement, type Value } from "./messages.ts";
import { Pool, type PoolSettings } from "./pool.ts";
import { PostgresError } from "./postgres-error.ts";
import { migrate } from "./schema.ts";

/**
 * The time in Unix milliseconds, in a statement whose first value is `Database.clock`. It is the database's own: gateways on
 * several machines must agree on when a hold is over.
 */
export const NOW = "coalesce($1::bigint, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)";

/** What is committed with it may be undone by a crash of the database's machine, and by nothing else. */
const QUICK = { statement: statement("SELECT set_config('synchronous_commit', 'off', true)"), values: [] };
/** A server that never waits for its disk does so here. One that waits for its replicas too goes on with that. */
const WAIT_FOR_DISK = statement(
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
);

/** How much later than the server itself this side gives a statement of a transaction up, in milliseconds. */
const ANSWER_GRACE_MS = 500;

/** Runs one statement of a transaction: its rows. */
export type Run = (text: string, values?: readonly Value[]) => Promise<Result["rows"]>;

/** The tables of the store, once their schema is this program's. */
export class Database {
  readonly #pool: Pool;
  readonly #now: (() => number) | undefined;
  readonly #statementMs: number;
  #ready: Promise<void> | undefined;

  /** `now`: in place of the database's clock, for tests alone. */
  constructor(settings: PoolSettings, now?: () => number) {
    const { statementMs } = settings;
    this.#pool = new Pool(settings, async (connection) => {
      await connection.run([{ statement: WAIT_FOR_DISK, values: [] }], statementMs);
    });
    this.#now = now;
    this.#statementMs = statementMs;
  }

  /** The first value of a statement that asks for `NOW`. */
  get clock(): Value {
    return this.#now?.() ?? null;
  }

  /** Resolves once the schema is this program's. Who asks again after a failure has it tried again. */
  ready(): Promise<void> {
    this.#ready ??= this.#pool
      .session((connection) => migrated(connection, this.#statementMs))
      .catch((error: unknown) => {
        this.#ready = undefined;
        throw error;
      });
    return this.#ready;
  }

  /** On the disk when it resolves, and so is what any process wrote before it. */
  async durable(text: Statement, values: readonly Value[]): Promise<Result> {
    await this.ready();
    return this.#pool.run({ statement: text, values });
  }

  /** For what a crash of the database's machine may undo, since no money has moved by it; and for what is only read. */
  async quick(text: Statement, values: readonly Value[]): Promise<Result> {
    await this.ready();
    return this.#pool.run(QUICK, { statement: text, values });
  }

  /** For what is only read. */
  read(text: Statement, values: readonly Value[]): Promise<Result> {
    return this.durable(text, values);
  }

  /**
   * Runs what `work` asks for as one transaction, which is on the disk when it resolves. `mode` follows BEGIN. Where it rejects,
   * nothing was written, unless the answer to COMMIT was lost.
   */
  async transaction<T>(mode: string, work: (run: Run) => Promise<T>): Promise<T> {
    await this.ready();
    return this.#pool.session(async (connection) => {
      const run: Run = async (text, values = []) => {
        // Without a name: behind a pooler another session may not know it, and within a transaction it cannot be prepared again.
        const step: Step = { statement: { name: "", text }, values };
        return (await connection.run([step], this.#statementMs + ANSWER_GRACE_MS)).rows;
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

async function migrated(connection: Connection, statementMs: number): Promise<void> {
  try {
    await migrate(connection, statementMs);
  } catch (error) {
    if (error instanceof PostgresError && error.code === "42501") {
      throw new PostgresError("42501", "its user may not make Turnpike's tables, or read them (SQLSTATE 42501)");
    }
    throw error;
  }
}
