import { codeOf } from "../lib/caught.ts";

/** Milliseconds that one try to write waits for another process's write: the event loop stands still meanwhile. @bound */
export const TRY_MS = 5;
/** Milliseconds before the second try, doubled up to the most. */
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;
/** Writes that wait for one file. */
const MAX_WAITING = 1024;
/** Milliseconds for which writes that have waited are made in one go. */
const SLICE_MS = 10;

interface Waiting {
  /** Makes the write and tells its caller. Throws if it cannot be made. */
  readonly write: () => void;
  readonly fail: (error: unknown) => void;
  /** Of `performance.now()`. */
  readonly until: number;
}

/**
 * The writes of one process to an SQLite file that other processes write to as well. A write is made at once if the file is free. If
 * another process writes, it waits in line beside the event loop, and fails as SQLite does (SQLITE_BUSY) when its time is over.
 */
export class WriteTurns {
  readonly #mostMs: number;
  readonly #waiting: Waiting[] = [];
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #busy: unknown;

  /** `mostMs` is how long a write waits. */
  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** Makes a write, which must change nothing if it throws. */
  async run<T>(write: () => T): Promise<T> {
    if (this.#waiting.length === 0) {
      try {
        return write();
      } catch (error) {
        if (!isBusy(error)) throw error;
        this.#busy = error;
      }
    }
    if (this.#waiting.length >= MAX_WAITING) throw this.#busy;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({
      write: () => resolve(write()),
      fail: reject,
      until: performance.now() + this.#mostMs,
    });
    if (this.#timer === undefined) this.#retryAfter(this.#pauseMs);
    return await promise;
  }

  /** What waits fails. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { fail } of this.#waiting.splice(0)) fail(this.#busy);
  }

  #retryAfter(ms: number): void {
    this.#timer = setTimeout(() => this.#retry(), ms);
  }

  #retry(): void {
    const began = performance.now();
    this.#timer = undefined;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (performance.now() - began > SLICE_MS) {
        this.#retryAfter(0);
        return;
      }
      try {
        next.write();
        this.#pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (isBusy(error) && performance.now() < next.until) {
          this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
          this.#retryAfter(this.#pauseMs);
          return;
        }
        next.fail(error);
      }
      this.#waiting.shift();
    }
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error) === "SQLITE_BUSY";
}
