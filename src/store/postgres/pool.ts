import { Connection, type ConnectionSettings, type Result, type Step } from "./connection.ts";
import { PostgresError } from "./postgres-error.ts";

export interface PoolSettings extends ConnectionSettings {
  /** Most connections. */
  readonly size: number;
}

/** What waits for a connection, a process; more than all gates of a busy worker hold at a time. */
const MAX_WAITING = 2000;
/** How much later than the server itself this side gives a statement up, in milliseconds: its answer is the better one. @bound */
const STATEMENT_GRACE_MS = 500;

/** How long those that are open must do once the server has taken no further one, in milliseconds. */
const OPEN_AGAIN_MS = 1000;

/** The longest time that a timer takes, in milliseconds; beyond it fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

interface Waiting {
  readonly done: PromiseWithResolvers<Connection>;
  readonly timer: NodeJS.Timeout;
}

/** A few connections, opened when they are needed and anew when they broke. Every wait has an end. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #prepare: (connection: Connection) => Promise<void>;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  /** When another one is tried beside those that are open (performance.now()). */
  #openAgainAt = 0;
  #closed = false;
  #emptied: (() => void) | undefined;
  #busy = 0;

  /** `prepare`: done once with each connection, before it is used. */
  constructor(settings: PoolSettings, prepare: (connection: Connection) => Promise<void> = async () => {}) {
    this.#settings = settings;
    this.#prepare = prepare;
  }

  /** Runs all steps as one transaction; resolves with the last one's result. Rejects with a PostgresError. */
  async run(...steps: readonly Step[]): Promise<Result> {
    const { statementMs } = this.#settings;
    return this.session((connection) =>
      connection.run(steps, Math.min(statementMs + STATEMENT_GRACE_MS, MAX_TIMER_MS)),
    );
  }

  /** Has one connection for `work` alone. A transaction that is left open is undone. */
  async session<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    this.#busy++;
    try {
      return await work(connection);
    } finally {
      this.#busy--;
      this.#release(connection);
    }
  }

  /** Lets what runs come to its end, and takes no more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#reject(closed());
    for (const connection of this.#idle.splice(0)) connection.close();
    if (this.#busy === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  async #acquire(): Promise<Connection> {
    if (this.#closed) throw closed();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (!this.#mayOpen) return this.#wait();
    try {
      return await this.#connect();
    } catch (error) {
      if (this.#open.size === 0) throw error;
      // The server takes no more than those that are open: they do.
      this.#openAgainAt = performance.now() + OPEN_AGAIN_MS;
      return this.#acquire();
    }
  }

  get #mayOpen(): boolean {
    if (this.#open.size + this.#opening >= this.#settings.size) return false;
    return this.#open.size === 0 || performance.now() >= this.#openAgainAt;
  }

  #wait(): Promise<Connection> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new PostgresError("overloaded", `${MAX_WAITING} statements wait for a connection`));
    }
    const ms = this.#settings.statementMs;
    const done = Promise.withResolvers<Connection>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      done.reject(new PostgresError("overloaded", `no connection was free within ${ms} ms`));
    }, ms);
    const waiting: Waiting = { done, timer };
    this.#waiting.push(waiting);
    return done.promise;
  }

  async #connect(): Promise<Connection> {
    this.#opening++;
    try {
      const connection = await this.#make();
      this.#open.add(connection);
      connection.onEnd = () => this.#forget(connection);
      return connection;
    } catch (error) {
      // Who waits would only wait for the same.
      if (this.#open.size === 0) this.#reject(error);
      throw error;
    } finally {
      this.#opening--;
    }
  }

  async #make(): Promise<Connection> {
    const connection = await Connection.open(this.#settings);
    try {
      await this.#prepare(connection);
      if (this.#closed) throw closed();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #release(connection: Connection): void {
    if (connection.inTransaction || this.#closed) connection.close();
    if (this.#closed && this.#busy === 0) this.#emptied?.();
    if (connection.ended) {
      this.#forget(connection);
      this.#refill();
      return;
    }
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#idle.push(connection);
      return;
    }
    clearTimeout(next.timer);
    next.done.resolve(connection);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** A connection is gone whose turn it was to serve who waits first. */
  #refill(): void {
    if (this.#closed || !this.#mayOpen) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    this.#acquire().then(next.done.resolve, next.done.reject);
  }

  #reject(error: unknown): void {
    for (const { done, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      done.reject(error);
    }
  }
}

function closed(): PostgresError {
  return new PostgresError("connection", "the store is closed");
}
