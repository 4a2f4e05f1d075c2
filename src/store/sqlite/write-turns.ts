import { codeOf } from "../../lib/caught.ts";

/** Milliseconds for which one attempt to write waits for another process's write. It blocks the event loop. @bound */
export const TRY_MS = 5;
/** Milliseconds before the second attempt. The pause doubles up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;
/** Writes that wait for one file. Further writes fail at once. */
const MAX_WAITING = 1024;
/** Milliseconds for which waiting writes run without a pause. */
const SLICE_MS = 10;

interface Waiting {
  /** Makes the write and resolves its promise. Throws if the write fails. */
  readonly write: () => void;
  readonly fail: (error: unknown) => void;
  /** By the clock. */
  readonly until: number;
}

/**
 * The writes of one process to an SQLite file that other processes write to as well. If the file is free, a write is
 * made at once. If another process writes, the write waits in a queue without blocking the event loop. After `mostMs`
 * it fails with SQLITE_BUSY.
 */
export class WriteTurns {
  readonly #mostMs: number;
  readonly #clock: () => number;
  readonly #waiting: Waiting[] = [];
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #busy: unknown;

  /** `mostMs` is how long a write waits, in milliseconds. `clock` returns monotonic milliseconds. */
  constructor(mostMs: number, clock: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#clock = clock;
  }

  /** Makes a write. If `write` throws, it must have changed nothing. */
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
      until: this.#clock() + this.#mostMs,
    });
    if (this.#timer === undefined) this.#retryAfter(this.#pauseMs);
    return await promise;
  }

  /** All waiting writes fail. */
  close(): void {
    for (const { fail } of this.#waiting.splice(0)) fail(this.#busy);
  }

  #retryAfter(ms: number): void {
    this.#timer = setTimeout(() => this.#retry(), ms);
  }

  #retry(): void {
    const began = this.#clock();
    this.#timer = undefined;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#clock() - began > SLICE_MS) {
        this.#retryAfter(0);
        return;
      }
      try {
        next.write();
        this.#pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (isBusy(error) && this.#clock() < next.until) {
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

/** True if another process writes to the file. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === "SQLITE_BUSY";
}
