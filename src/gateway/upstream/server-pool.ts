import { type BufferPool } from "../../lib/buffer-pool.ts";
import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { ClientConnection, type ConnectionOwner } from "../http1/client-connection.ts";
import { type UpstreamMetrics } from "../telemetry/upstream-metrics.ts";
import { connect, type Endpoint, type OnFault } from "../wire/tcp.ts";
import { resolveEndpoint } from "./dial.ts";

/** Requests that wait for a connection to one server, in one worker; one more is answered 503. */
const MAX_WAITING = 4096;

export interface PoolSettings {
  readonly maxConnections: number;
  readonly maxIdle: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxFails: number;
  readonly failTimeoutMs: number;
  readonly allowPrivate: boolean;
}

export interface PoolDeps {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Counts; left out: nobody does. */
  readonly metrics?: UpstreamMetrics;
  readonly onFault: OnFault;
}

/** Why no connection could be had. `busy`: all of them were in use all the time, which says nothing against the server. */
export type PoolRefusal = "refused" | "timeout" | "busy" | "full";

/** A request that waits for a connection. Exactly one of its two calls is made, unless it leaves. */
export abstract class Waiter extends Deadline {
  pool: ServerPool | undefined;
  abstract onConnection(connection: ClientConnection): void;
  abstract onRefusal(reason: PoolRefusal): void;
  override onDeadline(): void {
    this.pool?.leave(this);
    this.onRefusal(this.pool?.connecting === true ? "timeout" : "busy");
  }
}

/** The connections of one worker to one server of an upstream, and whether that server is in rotation. */
export class ServerPool implements ConnectionOwner {
  readonly endpoint: Endpoint;
  readonly backup: boolean;
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly #settings: PoolSettings;
  readonly #metrics: UpstreamMetrics | undefined;
  readonly #onFault: OnFault;
  readonly #idle: ClientConnection[] = [];
  readonly #waiting: Waiter[] = [];
  #connections = 0;
  readonly #connecting = new Set<ClientConnection>();
  #fails = 0;
  #outUntil = 0;
  #closed = false;

  constructor(endpoint: Endpoint, backup: boolean, settings: PoolSettings, deps: PoolDeps) {
    this.endpoint = endpoint;
    this.backup = backup;
    this.wheel = deps.wheel;
    this.buffers = deps.buffers;
    this.#metrics = deps.metrics;
    this.#settings = settings;
    this.#onFault = deps.onFault;
  }

  /** Passive health: false for `fail_timeout_ms` after `max_fails` failures in a row. */
  get inRotation(): boolean {
    return this.#outUntil === 0 || performance.now() >= this.#outUntil;
  }

  /** Connections are being opened. */
  get connecting(): boolean {
    return this.#connecting.size > 0;
  }

  /** A response came: the row of failures is broken. */
  succeeded(): void {
    this.#fails = 0;
    this.#outUntil = 0;
  }

  failed(): void {
    this.#metrics?.failed();
    this.#fails++;
    if (this.#fails >= this.#settings.maxFails) this.#outUntil = performance.now() + this.#settings.failTimeoutMs;
  }

  /** An idle connection, the one used last first; undefined where there is none. */
  takeIdle(): ClientConnection | undefined {
    return this.#idle.pop();
  }

  /** Waits for a connection that is set free or newly made, `connectTimeoutMs` at most. */
  wait(waiter: Waiter, connectTimeoutMs: number): void {
    if (this.#waiting.length >= MAX_WAITING) {
      waiter.onRefusal("full");
      return;
    }
    waiter.pool = this;
    this.#waiting.push(waiter);
    this.wheel.set(waiter, Math.min(connectTimeoutMs, this.#settings.connectTimeoutMs));
    this.#grow();
  }

  leave(waiter: Waiter): void {
    this.wheel.remove(waiter);
    const index = this.#waiting.indexOf(waiter);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  released(connection: ClientConnection): void {
    const waiter = this.#nextWaiter();
    if (waiter !== undefined) waiter.onConnection(connection);
    else if (this.#closed || this.#idle.length >= this.#settings.maxIdle) connection.destroy();
    else {
      this.#idle.push(connection);
      connection.closeAfter(this.#settings.idleTimeoutMs);
    }
  }

  closed(connection: ClientConnection): void {
    this.#connections--;
    this.#connecting.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#grow();
  }

  /** Closes what is idle; requests under way or waiting are served, and their connections close after them. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #nextWaiter(): Waiter | undefined {
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) this.wheel.remove(waiter);
    return waiter;
  }

  #grow(): void {
    if (this.#waiting.length > this.#connecting.size && this.#connections < this.#settings.maxConnections) {
      void this.#connect();
    }
  }

  async #connect(): Promise<void> {
    const connection = new ClientConnection(this);
    this.#metrics?.connecting();
    this.#connections++;
    this.#connecting.add(connection);
    // A server that swallows SYNs must not hold the place of one that has come back: the attempt is given up.
    connection.closeAfter(this.#settings.connectTimeoutMs);
    try {
      const endpoint = await resolveEndpoint(this.endpoint, this.#settings.allowPrivate);
      connection.attach(await connect(endpoint, connection, this.#onFault));
    } catch {
      // An attempt that was given up has no part in those made after it.
      if (!this.#connecting.has(connection)) return;
      const waiter = this.#nextWaiter();
      connection.destroy();
      waiter?.onRefusal("refused");
      return;
    }
    this.#connecting.delete(connection);
    if (!connection.open) return;
    try {
      this.released(connection);
    } catch (error) {
      // No socket's event is there to catch it. The request hears that its connection closed.
      connection.onClose();
      this.#onFault(error);
    }
  }
}
