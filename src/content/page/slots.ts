import { TurnpikeError } from "../../lib/errors.ts";

interface Waiter {
  grant(): void;
  refuse(error: TurnpikeError): void;
}

/** A fixed number of places and a bounded, timed queue before them. */
export class Slots {
  #free: number;
  readonly #maxQueued: number;
  readonly #queueTimeoutMs: number;
  readonly #waiters = new Set<Waiter>();

  constructor(places: number, maxQueued: number, queueTimeoutMs: number) {
    this.#free = places;
    this.#maxQueued = maxQueued;
    this.#queueTimeoutMs = queueTimeoutMs;
  }

  /** Waits for a place and gives the function that returns it. Fails with `overloaded` where the queue is full. */
  async take(signal?: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      this.#give();
    };
  }

  /** Refuses all who wait. */
  close(): void {
    for (const waiter of this.#waiters) waiter.refuse(new TurnpikeError("overloaded", "The service is stopping"));
  }

  #give(): void {
    const [next] = this.#waiters;
    if (next === undefined) this.#free += 1;
    else next.grant();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiters.size >= this.#maxQueued) {
      return Promise.reject(
        new TurnpikeError("overloaded", "Cannot take the request: too many are waiting; try again"),
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (done: () => void) => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
      done();
    };
    const waiter: Waiter = { grant: () => settle(resolve), refuse: (error) => settle(() => reject(error)) };
    const late = () => waiter.refuse(new TurnpikeError("overloaded", "Cannot take the request: no place came free"));
    const timer = setTimeout(late, this.#queueTimeoutMs);
    this.#waiters.add(waiter);
    signal?.addEventListener("abort", late, { once: true });
    if (signal?.aborted === true) late();
    return promise;
  }
}
