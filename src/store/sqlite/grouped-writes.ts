import { isBusy, type WriteTurns } from "./write-turns.ts";

interface Waiting<V, R> {
  readonly value: V;
  readonly done: PromiseWithResolvers<R>;
}

/**
 * Writes whose callers wait. All of one turn of the event loop become one transaction, so that they wait for the disk once, and
 * write the pages that they share once: meanwhile requests and responses of upstreams arrive, whose writes are the next group.
 */
export class GroupedWrites<V, R> {
  readonly #write: (values: readonly V[]) => readonly R[];
  readonly #turns: WriteTurns;
  #waiting: Waiting<V, R>[] = [];

  /** `write` makes all writes in one transaction. If it throws, it must have changed nothing. */
  constructor(write: (values: readonly V[]) => readonly R[], turns: WriteTurns) {
    this.#write = write;
    this.#turns = turns;
  }

  run(value: V): Promise<R> {
    const done = Promise.withResolvers<R>();
    if (this.#waiting.push({ value, done }) === 1) setImmediate(() => void this.flush());
    return done.promise;
  }

  /** Makes the waiting writes now. Never rejects. */
  async flush(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length > 0) await this.#make(group);
  }

  async #make(group: readonly Waiting<V, R>[]): Promise<void> {
    try {
      const results = await this.#turns.run(() => this.#write(group.map(({ value }) => value)));
      for (const [i, result] of results.entries()) group[i]?.done.resolve(result);
    } catch (error) {
      // One bad write must not take the others with it. A busy file has made all of them wait long enough.
      if (group.length > 1 && !isBusy(error)) await Promise.all(group.map((one) => this.#make([one])));
      else for (const { done } of group) done.reject(error);
    }
  }
}
