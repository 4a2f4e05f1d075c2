import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { machineTime } from "../../lib/time/machine-time.ts";
import { MAX_SERVERS } from "../config/max-servers.ts";
import { CELLS_BEFORE_SERVERS, CELLS_PER_SERVER, clearServer, SUPERVISOR_ROW } from "../telemetry/metrics/layout.ts";

/** The probe state of a server, and DRAINED, in the supervisor's row. A server without probes stays at UNKNOWN. */
const ACTIVE = 0;
/** The reason why a probe failed last. The prober defines the meaning of the number. */
const REASON = 1;
/** Failures in a row of real requests, over all workers. */
const FAILS = 2;
/** When the server may be tried again, in milliseconds of the machine's clock modulo 2^32; 0 while it is in rotation. */
const OUT_UNTIL = 3;
/** When a real request or a probe failed last, in Unix seconds; 0 if none has. */
const FAILED_AT = 4;
/** The reason why a real request failed last: an index of FAILURES. */
const FAILURE = 5;
/** The number of times that real requests have put the server out of rotation. */
const EJECTIONS = 6;
/** Requests that a worker has in flight with the server, in the worker's row. */
const IN_FLIGHT = 0;

const UNKNOWN = 0;
const UP = 1;
const DOWN = 2;
/** Added to one of the states above: an operator keeps new requests away. */
const DRAINED = 4;

/** The reasons why a request to a server failed. */
const FAILURES = ["", "refused", "unreachable", "broken", "late"] as const;
export type Failure = Exclude<(typeof FAILURES)[number], "">;

/** The result of the probes of a server. */
export interface ActiveState {
  /** Undefined if there are no probes, or no result yet. */
  readonly up: boolean | undefined;
  readonly reason: number;
}

/** The methods that a worker uses to read and report the state of its servers. */
export type WorkerStates = Pick<
  ServerStates,
  "active" | "isInRotation" | "inFlight" | "began" | "ended" | "succeeded" | "failed"
>;

/** The limits beyond which a server leaves rotation. */
export interface PassiveLimits {
  readonly maxFails: number;
  /** Milliseconds that a server stays out of rotation. */
  readonly failTimeoutMs: number;
}

/**
 * The state of all servers that all processes share: health, and requests in flight. The supervisor gives each server a
 * slot. Only the supervisor writes probe results. Every worker writes failures (`Atomics`). Each worker writes its
 * requests in flight to its own row.
 */
export class ServerStates {
  readonly #zone: SharedZone;
  readonly #rows: readonly Int32Array[];
  readonly #own: Int32Array;
  readonly #common: Int32Array;
  readonly #now: () => number;
  readonly #steady: () => number;

  /**
   * `row` is the row of this process. `now` returns Unix milliseconds, and `steady` whole milliseconds of a clock that all
   * processes share and no one sets: a step of the system time returns no server to rotation.
   */
  constructor(zone: SharedZone, row: number, now: () => number = Date.now, steady: () => number = machineTime) {
    this.#zone = zone;
    this.#rows = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
    this.#common = zone.cells(SUPERVISOR_ROW);
    this.#now = now;
    this.#steady = steady;
  }

  active(slot: number): ActiveState {
    const at = cellOf(slot);
    const state = (this.#common[at + ACTIVE] ?? 0) & ~DRAINED;
    return { up: state === UNKNOWN ? undefined : state === UP, reason: this.#common[at + REASON] ?? 0 };
  }

  /** Stores the result of a probe. `up` is undefined if the server is no longer probed. */
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

  /** Drains a server, or ends that. Called by the supervisor only, like `setActive`. All workers follow it at once. */
  setDrained(slot: number, drained: boolean): void {
    const at = cellOf(slot) + ACTIVE;
    const state = (this.#common[at] ?? 0) & ~DRAINED;
    Atomics.store(this.#common, at, state + (drained ? DRAINED : 0));
  }

  /** When a request or probe last failed, in Unix ms to the second, and why the last request failed. */
  lastFailure(slot: number): { readonly ms: number | undefined; readonly failure: Failure | "" } {
    const at = cellOf(slot);
    const seconds = (this.#common[at + FAILED_AT] ?? 0) >>> 0;
    return {
      ms: seconds === 0 ? undefined : seconds * 1000,
      failure: FAILURES[this.#common[at + FAILURE] ?? 0] ?? "",
    };
  }

  /** The number of times that real requests have put the server out of rotation. */
  ejections(slot: number): number {
    return this.#common[cellOf(slot) + EJECTIONS] ?? 0;
  }

  /** Failures in a row of real requests. */
  fails(slot: number): number {
    return this.#common[cellOf(slot) + FAILS] ?? 0;
  }

  /** Real requests have put the server out of rotation. This lasts at most `failTimeoutMs` milliseconds. */
  isEjected(slot: number, failTimeoutMs: number): boolean {
    const until = this.#common[cellOf(slot) + OUT_UNTIL] ?? 0;
    if (until === 0) return false;
    // Weeks after its end, an ejection would seem to be in the future, modulo 2^32.
    const left = (until - this.#steady()) | 0;
    return left > 0 && left <= failTimeoutMs;
  }

  isInRotation(slot: number, failTimeoutMs: number): boolean {
    return (this.#common[cellOf(slot) + ACTIVE] ?? 0) < DOWN && !this.isEjected(slot, failTimeoutMs);
  }

  /** A request succeeded, which resets the failures in a row. */
  succeeded(slot: number): void {
    const at = cellOf(slot);
    if (this.#common[at + FAILS] === 0 && this.#common[at + OUT_UNTIL] === 0) return;
    Atomics.store(this.#common, at + FAILS, 0);
    Atomics.store(this.#common, at + OUT_UNTIL, 0);
  }

  /** A request failed by the server's fault. That can put the server out of rotation. */
  failed(slot: number, { maxFails, failTimeoutMs }: PassiveLimits, failure: Failure = "broken"): void {
    const at = cellOf(slot);
    Atomics.store(this.#common, at + FAILURE, FAILURES.indexOf(failure));
    Atomics.store(this.#common, at + FAILED_AT, this.#seconds());
    if (Atomics.add(this.#common, at + FAILS, 1) + 1 < maxFails) return;
    const wasOut = this.isEjected(slot, failTimeoutMs);
    // Never 0, because 0 means that the server is in rotation.
    Atomics.store(this.#common, at + OUT_UNTIL, (this.#steady() + failTimeoutMs) | 0 || 1);
    if (!wasOut) Atomics.add(this.#common, at + EJECTIONS, 1);
  }

  began(slot: number): void {
    const at = cellOf(slot) + IN_FLIGHT;
    this.#own[at] = (this.#own[at] ?? 0) + 1;
  }

  ended(slot: number): void {
    const at = cellOf(slot) + IN_FLIGHT;
    this.#own[at] = (this.#own[at] ?? 0) - 1;
  }

  /** Requests in flight with the server, over all workers. */
  inFlight(slot: number): number {
    const at = cellOf(slot) + IN_FLIGHT;
    let sum = 0;
    for (let row = SUPERVISOR_ROW + 1; row < this.#rows.length; row++) sum += this.#rows[row]?.[at] ?? 0;
    return sum;
  }

  /** No worker has a request in flight with the server, so another server may have the slot. */
  isUnused(slot: number): boolean {
    const at = cellOf(slot) + IN_FLIGHT;
    return this.#rows.every((row, index) => index === SUPERVISOR_ROW || row[at] === 0);
  }

  /** Clears the state of a slot. The supervisor calls it before another server gets the slot. */
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
