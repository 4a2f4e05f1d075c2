import { hostAndPort } from "../../lib/http/url-host.ts";
import { Connection, type ConnectionSettings, type Result, type Step } from "./connection.ts";
import { PostgresError } from "./postgres-error.ts";

export interface PoolSettings extends ConnectionSettings {
  /** Most connections. */
  readonly size: number;
}

/**
 * Waiting calls of a process. All limits of a busy worker together allow fewer. Further calls fail at
 * once.
 */
const MAX_WAITING = 2000;
/**
 * Milliseconds by which the client's limit for a statement is longer than the server's, because the server's error says
 * more. @bound
 */
export const STATEMENT_GRACE_MS = 500;

/** Milliseconds without a new attempt to connect after the server has refused one more connection. */
const OPEN_AGAIN_MS = 1000;

/** The longest time that a timer accepts, in milliseconds. A timer with a longer time fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

interface Waiting {
  readonly done: PromiseWithResolvers<Connection>;
  readonly timer: NodeJS.Timeout;
}

/** A few connections, which are opened on demand and replaced when they break. Each wait has a timeout. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #prepare: (connection: Connection) => Promise<void>;
  readonly #clock: () => number;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  /** Time of the next attempt to open one more connection, by the clock. */
  #openAgainAt = 0;
  #closed = false;
  #emptied: (() => void) | undefined;
  #busy = 0;

  /** `prepare` runs once on each connection before its first use. `clock` returns monotonic milliseconds. */
  constructor(
    settings: PoolSettings,
    prepare: (connection: Connection) => Promise<void> = async () => {},
    clock: () => number = () => performance.now(),
  ) {
    this.#settings = settings;
    this.#prepare = prepare;
    this.#clock = clock;
  }

  /** Runs all steps as one transaction, and resolves with the result of the last step. Rejects with a PostgresError. */
  async run(...steps: readonly Step[]): Promise<Result> {
    const { statementMs } = this.#settings;
    return this.session((connection) =>
      connection.run(steps, Math.min(statementMs + STATEMENT_GRACE_MS, MAX_TIMER_MS)),
    );
  }

  /** Reserves one connection for `work`. If `work` leaves a transaction open, it is rolled back. */
  async session<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#session(work);
    } catch (error) {
      const { host, port } = this.#settings.target;
      if (error instanceof PostgresError) error.place = hostAndPort(host, port);
      throw error;
    }
  }

  async #session<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    this.#busy++;
    try {
      return await work(connection);
    } finally {
      this.#busy--;
      this.#release(connection);
    }
  }

  /** Waits for running work, and accepts no more. */
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
      // The server accepts no further connection, so the open ones have to do.
      this.#openAgainAt = this.#clock() + OPEN_AGAIN_MS;
      return this.#acquire();
    }
  }

  get #mayOpen(): boolean {
    if (this.#open.size + this.#opening >= this.#settings.size) return false;
    return this.#open.size === 0 || this.#clock() >= this.#openAgainAt;
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
      // All waiting calls would fail in the same way.
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

  /** The closed connection would have served the first waiting call, so another one is opened. */
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
