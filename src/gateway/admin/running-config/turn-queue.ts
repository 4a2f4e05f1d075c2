/** Runs one task after another, and refuses tasks if too many wait. */
export class TurnQueue {
  readonly #most: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined if too many tasks wait. `always`: it waits anyway, so callers must keep such tasks few. */
  run<T>(task: () => Promise<T>, always = false): Promise<T> | undefined {
    if (this.#waiting >= this.#most && !always) return undefined;
    this.#waiting++;
    const turn = this.#last.then(task).finally(() => {
      this.#waiting--;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
