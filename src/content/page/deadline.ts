import { TurnpikeError } from "../../lib/errors.ts";

/** Milliseconds that a page may wait for its turn, in all queues together. @operator @internal */
export const MAX_TURN_MS = 30_000;

/**
 * The end of a page visit: its timeout, a crash, or a client that went away. Each wait of a visit ends at the deadline,
 * so that a page cannot make the visit longer. Time in a queue does not count as the visit's time, and has a limit of
 * its own.
 */
export class Deadline {
  #stopped = stoppable();
  #start = performance.now();
  #limitMs: number;
  #turnMs: number;
  readonly #turnError: () => TurnpikeError;
  readonly #forgetSignal: () => void;
  #waitingSince: number | undefined;
  #graceMs = 0;
  #over = false;
  #late = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #doing = "loading";

  /** `limitMs` counts from now. `turnMs` limits the milliseconds that the visit waits for its turn. */
  constructor(limitMs: number, signal: AbortSignal | undefined, turnMs?: number) {
    this.#limitMs = limitMs;
    this.#turnMs = turnMs ?? MAX_TURN_MS;
    this.#turnError = () => turnError(turnMs);
    const abort = () =>
      this.stop(new TurnpikeError("page-failed", "Cannot load the page: the client closed the connection"));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#forgetSignal = () => signal?.removeEventListener("abort", abort);
    this.#arm();
  }

  /** Milliseconds since the visit began, without the time in queues. */
  get elapsedMs(): number {
    return (this.#waitingSince ?? performance.now()) - this.#start;
  }

  /** Milliseconds until the visit's end. */
  get leftMs(): number {
    return this.#limitMs + this.#graceMs - this.elapsedMs;
  }

  get stopped(): Promise<never> {
    return this.#stopped.promise;
  }

  /** Sets the activity that the timeout error names: "loading", "waiting for the selector". */
  doing(what: string): void {
    this.#doing = what;
  }

  /** The visit waits for its turn. Until `go`, its own time does not run. */
  wait(): void {
    if (this.#over || this.#waitingSince !== undefined) return;
    this.#waitingSince = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(this.#turnError()), this.#turnMs);
  }

  /** The visit has its turn, or its wait is over for another reason. */
  go(): void {
    if (this.#waitingSince === undefined) return;
    const waited = performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
    this.#start += waited;
    this.#turnMs -= waited;
    this.#arm();
  }

  extend(ms: number): void {
    this.#limitMs += ms;
    this.#arm();
  }

  /** Gives a visit that has timed out more milliseconds, from now. False if it ended for another reason. */
  grace(ms: number): boolean {
    if (!this.#late) return false;
    this.#late = false;
    this.#over = false;
    this.#stopped = stoppable();
    this.#graceMs = this.elapsedMs - this.#limitMs + ms;
    this.#arm();
    return true;
  }

  /** Ends the visit with this error. Later calls have no effect. */
  stop(error: Error): void {
    this.#over = true;
    this.#stopped.reject(error);
    clearTimeout(this.#timer);
  }

  race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped.promise]);
  }

  /** Settles after `ms` milliseconds, or fails with the deadline. */
  async sleep(ms: number): Promise<void> {
    await this.race(Bun.sleep(ms));
  }

  /** The visit is over. The signal of a job outlives thousands of visits, and must not keep them. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#forgetSignal();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#over) return;
    const seconds = Math.round(this.#limitMs / 1000);
    const late = () => {
      this.#late = true;
      this.stop(new TurnpikeError("page-timeout", `Cannot finish ${this.#doing} the page within ${seconds} s`));
    };
    this.#timer = setTimeout(late, this.leftMs);
  }
}

/** `turnMs` is the limit that a call sets for its pages. */
function turnError(turnMs: number | undefined): TurnpikeError {
  if (turnMs === undefined) {
    return new TurnpikeError("overloaded", "Cannot accept the request: no slot became free in time");
  }
  const seconds = Math.round(turnMs / 1000);
  return new TurnpikeError("page-not-begun", `Cannot load the page: its turn did not come within ${seconds} s`);
}

function stoppable(): PromiseWithResolvers<never> {
  const stopped = Promise.withResolvers<never>();
  // The promise may have no handler when it is rejected.
  stopped.promise.catch(() => undefined);
  return stopped;
}
