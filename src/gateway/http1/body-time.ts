/** The time limit of a request's body, in milliseconds. It is suspended while the gateway pauses the client. */
export class BodyTime {
  #left = 0;
  #startedAt = 0;

  /** Starts the time. Returns the milliseconds that remain. */
  begin(ms: number): number {
    this.#left = ms;
    return this.run();
  }

  rest(): void {
    this.#left -= performance.now() - this.#startedAt;
  }

  /** Continues the time. Returns the milliseconds that remain. */
  run(): number {
    this.#startedAt = performance.now();
    return Math.max(this.#left, 0);
  }
}
