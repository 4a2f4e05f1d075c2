/** The time that a request's body may take, in milliseconds; it rests while the client is held back. */
export class BodyTime {
  #left = 0;
  #startedAt = 0;

  /** Counts from now; returns what is left. */
  begin(ms: number): number {
    this.#left = ms;
    return this.run();
  }

  rest(): void {
    this.#left -= performance.now() - this.#startedAt;
  }

  /** Goes on; returns what is left. */
  run(): number {
    this.#startedAt = performance.now();
    return Math.max(this.#left, 0);
  }
}
