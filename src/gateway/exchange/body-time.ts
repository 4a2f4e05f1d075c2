/** The time limit of a request's body, in milliseconds. It is suspended while the gateway pauses the client. */
export class BodyTime {
  #left: number;
  #startedAt = 0;

  constructor(ms: number) {
    this.#left = ms;
  }

  /** Suspends the time. `now` is that of the timer wheel. */
  rest(now: number): void {
    this.#left -= now - this.#startedAt;
  }

  /** Starts or continues the time. Returns the milliseconds that remain. */
  run(now: number): number {
    this.#startedAt = now;
    return Math.max(this.#left, 0);
  }

  /** Removes the limit. */
  lift(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }
}
