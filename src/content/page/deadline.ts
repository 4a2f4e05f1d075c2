import { TurnpikeError } from "../../lib/errors.ts";

/**
 * The end of a page visit, whatever brings it: the time-out, a crash, a client that went away. All that a visit waits
 * for is raced against it, so that nothing a page does can hold the visit longer.
 */
export class Deadline {
  #stopped = stoppable();
  readonly #start = performance.now();
  #limitMs: number;
  #graceMs = 0;
  #over = false;
  #late = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #doing = "loading";

  /** `limitMs` counts from now. */
  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    const abort = () => this.stop(new TurnpikeError("page-failed", "Cannot load the page: the client went away"));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#arm();
  }

  /** Milliseconds since the visit began. */
  get elapsedMs(): number {
    return performance.now() - this.#start;
  }

  /** Milliseconds until the visit's end. */
  get leftMs(): number {
    return this.#limitMs + this.#graceMs - this.elapsedMs;
  }

  get stopped(): Promise<never> {
    return this.#stopped.promise;
  }

  /** Says what a time-out interrupts, in the words of its error: "loading", "waiting for the selector". */
  doing(what: string): void {
    this.#doing = what;
  }

  extend(ms: number): void {
    this.#limitMs += ms;
    this.#arm();
  }

  /** Gives a visit that its time-out ended this much longer, from now; false where something else ended it. */
  grace(ms: number): boolean {
    if (!this.#late) return false;
    this.#late = false;
    this.#over = false;
    this.#stopped = stoppable();
    this.#graceMs = this.elapsedMs - this.#limitMs + ms;
    this.#arm();
    return true;
  }

  /** Ends the visit with this error; the first end counts. */
  stop(error: Error): void {
    this.#over = true;
    this.#stopped.reject(error);
    clearTimeout(this.#timer);
  }

  race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped.promise]);
  }

  /** Settles after `ms`, or fails with the deadline. */
  async sleep(ms: number): Promise<void> {
    await this.race(Bun.sleep(ms));
  }

  clear(): void {
    clearTimeout(this.#timer);
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

function stoppable(): PromiseWithResolvers<never> {
  const stopped = Promise.withResolvers<never>();
  // Nobody may be waiting at the very moment that it stops.
  stopped.promise.catch(() => undefined);
  return stopped;
}
