import { within } from "../../lib/time/within.ts";
import { createHash } from "node:crypto";
import { type Attempt, dial } from "./dial.ts";
import { type LogIn, logIn } from "./log-in.ts";
import { Messages, type Statement, type Value } from "./messages.ts";
import { PostgresError, serverError } from "./postgres-error.ts";
import { fieldsOf, type Message, valuesOf, Wire } from "./wire.ts";

export interface ConnectionSettings extends Omit<LogIn, "parameters"> {
  /** PEM certificates that `verify-full` trusts instead of the system's; empty: the system's. */
  readonly authorities: string;
  /** The statement timeout of the server, in milliseconds. */
  readonly statementMs: number;
  /** Milliseconds to open a connection. Default: `CONNECT_MS`. */
  readonly connectMs?: number;
}

/** A statement of a transaction, with the values of its parameters. */
export interface Step {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

/** Values as text, as the server sends them. */
export type Row = readonly (string | null)[];

export interface Result {
  readonly rows: readonly Row[];
  /** Rows that were changed or read. */
  readonly count: number;
}

/** Longest time to open a connection, until it is ready for a query, in milliseconds. @bound */
const CONNECT_MS = 5000;
/** Longest result, in bytes. */
const MAX_RESULT_BYTES = 64 * 1024 * 1024;
/** Errors for a prepared statement that is gone: another session, or the tables have changed. */
const NOT_PREPARED: ReadonlySet<string> = new Set(["26000", "42P05", "0A000"]);
/** Errors after which a connection is useless: the server stops, or has become read-only. */
const OF_NO_USE = /^(57P0[1-5]|25006|08\w{3})$/;

/** Names a statement by a hash of its text, so that no session has another statement of the same name. */
export function statement(text: string): Statement {
  return { name: `turnpike_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`, text };
}

interface Running {
  readonly steps: readonly Step[];
  readonly done: PromiseWithResolvers<Result>;
  rows: Row[];
  count: number;
  /** Index of the step whose response is being received. */
  at: number;
  bytes: number;
  error: PostgresError | undefined;
}

/** One session of the database. It runs one piece of work at a time. */
export class Connection {
  readonly #wire: Wire;
  readonly #messages = new Messages();
  readonly #prepared = new Set<string>();
  /** False if statements do not stay prepared, because a pooler gives each transaction another session. */
  #keepsPrepared = true;
  /** Names in Parse messages without a response so far. */
  #parsing: string[] = [];
  #running: Running | undefined;
  #inTransaction = false;
  /** Called once, when the connection cannot be used any more. */
  onEnd: () => void = () => {};

  private constructor(wire: Wire) {
    this.#wire = wire;
    wire.onMessage = (message) => this.#take(message);
    wire.onEnd = (error) => {
      const running = this.#running;
      this.#running = undefined;
      running?.done.reject(error);
      this.onEnd();
    };
  }

  /** Opens a connection in time, or rejects with a PostgresError. */
  static async open(settings: ConnectionSettings): Promise<Connection> {
    const { connectMs = CONNECT_MS } = settings;
    const attempt: Attempt = { socket: undefined };
    try {
      return await within(connectMs, Connection.#make(settings, attempt), () => {
        throw new PostgresError("timeout", `the server is not ready within ${connectMs} ms`);
      });
    } catch (error) {
      attempt.socket?.destroy();
      throw error instanceof PostgresError ? error : new PostgresError("connection", "it cannot be connected to");
    }
  }

  static async #make(settings: ConnectionSettings, attempt: Attempt): Promise<Connection> {
    const wire = new Wire(await dial(settings.target, settings.authorities, attempt));
    const { target, password, allowCleartext, statementMs } = settings;
    const login: LogIn = { target, password, allowCleartext, parameters: parametersOf(statementMs) };
    const server = await logIn(wire, login);
    if (server.get("server_encoding") !== "UTF8") throw new PostgresError("refused", "its encoding is not UTF8");
    return new Connection(wire);
  }

  get ended(): boolean {
    return this.#wire.ended;
  }

  /** True if a transaction has begun and not ended. */
  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  /**
   * Runs all steps as one transaction, or within the open transaction, and resolves with the result of the last step.
   * After `ms` milliseconds the connection is cut. Then the outcome of the steps is unknown.
   */
  async run(steps: readonly Step[], ms: number): Promise<Result> {
    try {
      return await this.#try(steps, ms);
    } catch (error) {
      const again = error instanceof PostgresError && NOT_PREPARED.has(error.code) && this.#keepsPrepared;
      if (!again || this.#inTransaction) throw error;
      // The steps failed before the server executed anything, so they can be run again.
      this.#keepsPrepared = false;
      this.#prepared.clear();
      return this.#try(steps, ms);
    }
  }

  async #try(steps: readonly Step[], ms: number): Promise<Result> {
    if (this.ended || this.#running !== undefined) throw new PostgresError("connection", "the connection is not free");
    const done = Promise.withResolvers<Result>();
    this.#running = { steps, done, rows: [], count: 0, at: 0, bytes: 0, error: undefined };
    const timer = setTimeout(() => {
      this.#wire.end(new PostgresError("timeout", `the server did not respond within ${ms} ms`));
    }, ms);
    this.#parsing = [];
    for (const {
      statement: { name, text },
      values,
    } of steps)
      this.#add(name, text, values);
    this.#wire.write(this.#messages.sync().take());
    try {
      return await done.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #add(name: string, text: string, values: readonly Value[]): void {
    const known = this.#keepsPrepared ? name : "";
    if (known === "" || !this.#prepared.has(known)) {
      this.#parsing.push(known);
      this.#messages.parse(known, text);
    }
    this.#messages.bind(known, values).execute();
  }

  /** Tells the server that the connection ends, and aborts running work. */
  close(): void {
    this.#wire.finish(this.#messages.terminate().take());
  }

  #take({ type, body }: Message): void {
    const running = this.#running;
    if (running === undefined) {
      // Notices, parameters, and the reason why the server is about to close.
      if (type === "E") this.#wire.end(serverError(fieldsOf(body)));
      return;
    }
    if (type === "D") this.#row(running, body);
    else if (type === "C") complete(running, body);
    else if (type === "1") this.#parsed();
    else if (type === "E") running.error ??= serverError(fieldsOf(body));
    else if (type === "N") running.error ??= unconfirmed(fieldsOf(body));
    else if (type === "Z") this.#end(running, body);
    else if (!"23nSAI".includes(type))
      this.#wire.end(new PostgresError("protocol", "the server sent a message of an unexpected type"));
  }

  #row(running: Running, body: Buffer): void {
    const values = valuesOf(body);
    running.bytes += body.length;
    if (values === undefined) this.#wire.end(new PostgresError("protocol", "a row of the server is not read"));
    else if (running.bytes > MAX_RESULT_BYTES) this.#wire.end(new PostgresError("protocol", "the result is too long"));
    else if (running.at === running.steps.length - 1) running.rows.push(values);
  }

  #parsed(): void {
    const name = this.#parsing.shift() ?? "";
    if (name !== "") this.#prepared.add(name);
  }

  #end(running: Running, body: Buffer): void {
    this.#running = undefined;
    this.#inTransaction = body[0] !== IDLE;
    const { error, rows, count } = running;
    if (error === undefined) {
      running.done.resolve({ rows, count });
      return;
    }
    running.done.reject(error);
    if (OF_NO_USE.test(error.code)) this.#wire.end(error);
  }
}

/** The status `I` of ReadyForQuery: no transaction is open. */
const IDLE = 0x49;

/** The function of the server that waits for replicas. It warns of a wait that was cancelled, and reports success all the same. */
const WAIT_FOR_REPLICA = "SyncRepWaitForLSN";

/** The error of a write that a failover may undo. Undefined for other notices. */
function unconfirmed(notice: ReadonlyMap<string, string>): PostgresError | undefined {
  if (notice.get("R") !== WAIT_FOR_REPLICA) return undefined;
  return new PostgresError("unconfirmed", "no replica has confirmed this write, because its wait was cancelled");
}

/** The tag of a command ends with the count of its rows, as in `INSERT 0 1` and `UPDATE 3`. `BEGIN` has no count. */
function complete(running: Running, body: Buffer): void {
  const [count] = /\d+(?=\0)/.exec(body.toString("latin1")) ?? [];
  running.count = Number(count ?? 0);
  if (running.at < running.steps.length - 1) running.at++;
}

/** Settings of the session. If a process hangs in a transaction, the server ends it like a statement. */
function parametersOf(statementMs: number): Record<string, string> {
  return {
    application_name: "turnpike",
    client_encoding: "UTF8",
    default_transaction_isolation: "read committed",
    idle_in_transaction_session_timeout: String(statementMs),
    statement_timeout: String(statementMs),
  };
}
