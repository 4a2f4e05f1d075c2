import { TurnpikeError } from "../../lib/errors.ts";

/**
 * The end of a page visit, whatever brings it: the time-out, a crash, a client that went away. All that a visit waits
 * for is raced against it, so that nothing a page does can hold the visit longer.
 */
export class Deadline {
  readonly #stopped = Promise.withResolvers<never>();
  readonly #start = performance.now();
  #limitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #doing = "loading";

  /** `limitMs` counts from now. */
  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    // Nobody may be waiting at the very moment that it stops.
    this.#stopped.promise.catch(() => undefined);
    const abort = () => this.stop(new TurnpikeError("page-failed", "Cannot load the page: the client went away"));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#arm();
  }

  /** Milliseconds since the visit began. */
  get elapsedMs(): number {
    return performance.now() - this.#start;
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

  /** Ends the visit with this error; the first end counts. */
  stop(error: Error): void {
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
    const seconds = Math.round(this.#limitMs / 1000);
    this.#timer = setTimeout(
      () => this.stop(new TurnpikeError("page-timeout", `Cannot finish ${this.#doing} the page within ${seconds} s`)),
      this.#limitMs - this.elapsedMs,
    );
  }
}
