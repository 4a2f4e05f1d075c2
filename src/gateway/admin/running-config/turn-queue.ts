/** Runs one task after another, and refuses tasks if too many wait. */
export class TurnQueue {
  readonly #most: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Undefined if too many tasks wait. `always`: the task waits in any case, so the caller must keep the number of such
   * tasks small.
   */
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
