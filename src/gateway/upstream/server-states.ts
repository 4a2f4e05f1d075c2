import { type SharedZone } from "../../lib/shared-zone.ts";
import { MAX_SERVERS } from "../config/max-servers.ts";
import { CELLS_BEFORE_SERVERS, CELLS_PER_SERVER, clearServer, SUPERVISOR_ROW } from "../telemetry/layout.ts";

/** What a probe has found of a server, in the supervisor's row, and DRAINED. A server without probes stays at UNKNOWN. */
const ACTIVE = 0;
/** Why a probe failed last: a number whose meaning is the prober's. */
const REASON = 1;
/** Failures in a row of real requests, of all workers. */
const FAILS = 2;
/** When the server may be tried again, in milliseconds of `Date` modulo 2^32; 0 while it is in rotation. */
const OUT_UNTIL = 3;
/** When a real request or a probe failed last, in Unix seconds; 0: none has. */
const FAILED_AT = 4;
/** Why a real request failed last: an index of FAILURES. */
const FAILURE = 5;
/** How often real requests have put it out of rotation. */
const EJECTIONS = 6;
/** Requests that a worker has at the server, in the worker's row. */
const IN_FLIGHT = 0;

const UNKNOWN = 0;
const UP = 1;
const DOWN = 2;
/** Added to one of these. An operator keeps requests away. */
const DRAINED = 4;

/** Why a request to a server failed. */
const FAILURES = ["", "refused", "unreachable", "broken", "late"] as const;
export type Failure = Exclude<(typeof FAILURES)[number], "">;

/** What probes say of a server. */
export interface ActiveState {
  /** Undefined: nobody has asked, or no response is in yet. */
  readonly up: boolean | undefined;
  readonly reason: number;
}

/** What a worker knows of its servers, and is told of them. */
export type WorkerStates = Pick<
  ServerStates,
  "active" | "isInRotation" | "inFlight" | "began" | "ended" | "succeeded" | "failed"
>;

/** When a server counts as failing. */
export interface PassiveLimits {
  readonly maxFails: number;
  /** Milliseconds. */
  readonly failTimeoutMs: number;
}

/**
 * What all processes know of all servers: health, and requests in flight. Each server has a slot, which the supervisor gives
 * it. Probes are written by the supervisor alone, failures by every worker (`Atomics`), requests in flight by each worker in
 * a row of its own.
 */
export class ServerStates {
  readonly #zone: SharedZone;
  readonly #rows: readonly Int32Array[];
  readonly #own: Int32Array;
  readonly #common: Int32Array;
  readonly #now: () => number;

  /** `row` is this process's own; `now` gives Unix milliseconds. */
  constructor(zone: SharedZone, row: number, now: () => number = Date.now) {
    this.#zone = zone;
    this.#rows = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
    this.#common = zone.cells(SUPERVISOR_ROW);
    this.#now = now;
  }

  active(slot: number): ActiveState {
    const at = cellOf(slot);
    const state = (this.#common[at + ACTIVE] ?? 0) & ~DRAINED;
    return { up: state === UNKNOWN ? undefined : state === UP, reason: this.#common[at + REASON] ?? 0 };
  }

  /** What a probe has brought; undefined: there are no probes any more. */
  setActive(slot: number, up: boolean | undefined, reason = 0): void {
    const at = cellOf(slot);
    Atomics.store(this.#common, at + REASON, reason);
    if (reason !== 0) Atomics.store(this.#common, at + FAILED_AT, this.#seconds());
    const state = up === undefined ? UNKNOWN : up ? UP : DOWN;
    Atomics.store(this.#common, at + ACTIVE, state + (this.isDrained(slot) ? DRAINED : 0));
  }

  /** An operator keeps new requests away. */
  isDrained(slot: number): boolean {
    return ((this.#common[cellOf(slot) + ACTIVE] ?? 0) & DRAINED) !== 0;
  }

  /** The supervisor's to call, as `setActive` is. All workers go by it from now on. */
  setDrained(slot: number, drained: boolean): void {
    const at = cellOf(slot) + ACTIVE;
    const state = (this.#common[at] ?? 0) & ~DRAINED;
    Atomics.store(this.#common, at, state + (drained ? DRAINED : 0));
  }

  /** When a request or a probe failed last, in Unix milliseconds, exact to a second, and why a request did. */
  lastFailure(slot: number): { readonly ms: number | undefined; readonly failure: Failure | "" } {
    const at = cellOf(slot);
    const seconds = (this.#common[at + FAILED_AT] ?? 0) >>> 0;
    return {
      ms: seconds === 0 ? undefined : seconds * 1000,
      failure: FAILURES[this.#common[at + FAILURE] ?? 0] ?? "",
    };
  }

  /** How often real requests have put the server out of rotation. */
  ejections(slot: number): number {
    return this.#common[cellOf(slot) + EJECTIONS] ?? 0;
  }

  /** Failures in a row of real requests. */
  fails(slot: number): number {
    return this.#common[cellOf(slot) + FAILS] ?? 0;
  }

  /** Real requests have put it out of rotation, for as long as `failTimeoutMs` at most. */
  isEjected(slot: number, failTimeoutMs: number): boolean {
    const until = this.#common[cellOf(slot) + OUT_UNTIL] ?? 0;
    if (until === 0) return false;
    // A clock that was set back ends it: no more time can be left than there was.
    const left = (until - this.#now()) | 0;
    return left > 0 && left <= failTimeoutMs;
  }

  isInRotation(slot: number, failTimeoutMs: number): boolean {
    return (this.#common[cellOf(slot) + ACTIVE] ?? 0) < DOWN && !this.isEjected(slot, failTimeoutMs);
  }

  /** A request was answered: the row of failures is broken. */
  succeeded(slot: number): void {
    const at = cellOf(slot);
    if (this.#common[at + FAILS] === 0 && this.#common[at + OUT_UNTIL] === 0) return;
    Atomics.store(this.#common, at + FAILS, 0);
    Atomics.store(this.#common, at + OUT_UNTIL, 0);
  }

  /** A request has failed by the server's fault; true when that puts the server out of rotation. */
  failed(slot: number, { maxFails, failTimeoutMs }: PassiveLimits, failure: Failure = "broken"): boolean {
    const at = cellOf(slot);
    Atomics.store(this.#common, at + FAILURE, FAILURES.indexOf(failure));
    Atomics.store(this.#common, at + FAILED_AT, this.#seconds());
    if (Atomics.add(this.#common, at + FAILS, 1) + 1 < maxFails) return false;
    const wasOut = this.isEjected(slot, failTimeoutMs);
    // Never 0, which is the sign of rotation.
    Atomics.store(this.#common, at + OUT_UNTIL, (this.#now() + failTimeoutMs) | 0 || 1);
    if (!wasOut) Atomics.add(this.#common, at + EJECTIONS, 1);
    return !wasOut;
  }

  began(slot: number): void {
    const at = cellOf(slot) + IN_FLIGHT;
    this.#own[at] = (this.#own[at] ?? 0) + 1;
  }

  ended(slot: number): void {
    const at = cellOf(slot) + IN_FLIGHT;
    this.#own[at] = (this.#own[at] ?? 0) - 1;
  }

  /** Requests at the server, of all workers. */
  inFlight(slot: number): number {
    const at = cellOf(slot) + IN_FLIGHT;
    let sum = 0;
    for (let row = SUPERVISOR_ROW + 1; row < this.#rows.length; row++) sum += this.#rows[row]?.[at] ?? 0;
    return sum;
  }

  /** No worker has a request there: another server may have the slot. */
  isUnused(slot: number): boolean {
    const at = cellOf(slot) + IN_FLIGHT;
    return this.#rows.every((row, index) => index === SUPERVISOR_ROW || row[at] === 0);
  }

  /** Forgets what was known of the slot's server; the supervisor's to call, before another server gets the slot. */
  reset(slot: number): void {
    const at = cellOf(slot);
    this.#common.fill(0, at, at + CELLS_PER_SERVER);
    for (let row = 0; row < this.#zone.shape.rows; row++) clearServer(this.#zone.counters(row), slot);
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000) | 0;
  }
}

function cellOf(slot: number): number {
  if (slot < 0 || slot >= MAX_SERVERS) throw new Error(`Cannot use slot ${slot}: there are ${MAX_SERVERS}`);
  return CELLS_BEFORE_SERVERS + slot * CELLS_PER_SERVER;
}
