import { Turns } from "../../../lib/process/turns.ts";

/** Runs one task after another, and refuses tasks if too many wait. */
export class TurnQueue {
  readonly #most: number;
  #waiting = 0;
  readonly #turns = new Turns();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined if too many tasks wait. `always`: it waits anyway, so callers must keep such tasks few. */
  run<T>(task: () => Promise<T>, always = false): Promise<T> | undefined {
    if (this.#waiting >= this.#most && !always) return undefined;
    this.#waiting++;
    return this.#turns.run(task).finally(() => {
      this.#waiting--;
    });
  }
}
