/** Does one thing after another, and turns away what would wait behind too many. */
export class TurnQueue {
  readonly #most: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined: too many wait. `always`: it waits all the same; whoever asks sees to it that these are few. */
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
