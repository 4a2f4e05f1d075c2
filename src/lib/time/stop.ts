/** Ends all waits of a process at once, when its time to stop is over. */
export class Stop {
  readonly #waits = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The result of `work`, or `late` if the end comes first. The work then continues by itself. Rejects if `work` does in time. */
  async orElse<T>(work: Promise<T>, late: T): Promise<T> {
    const ended = Promise.withResolvers<T>();
    const end = (): void => ended.resolve(late);
    if (this.#isOver) end();
    this.#waits.add(end);
    try {
      return await Promise.race([work, ended.promise]);
    } finally {
      this.#waits.delete(end);
    }
  }

  end(): void {
    this.#isOver = true;
    for (const end of this.#waits) end();
  }
}
