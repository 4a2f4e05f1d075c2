import { TurnpikeError } from "../../lib/errors.ts";

/** Screenshots that may wait for their turn. A further one gets 503. @operator */
const MAX_WAITING = 64;

interface Waiter {
  readonly pixels: number;
  grant(): void;
}

/** Limits the pixels of all pictures that are captured at the same time. A larger picture is captured alone. */
export class PixelBudget {
  #free: number;
  readonly #total: number;
  readonly #waiters = new Set<Waiter>();

  constructor(total: number) {
    this.#free = total;
    this.#total = total;
  }

  /**
   * Waits for its turn and returns the function that ends it. `race` fails if the wait is over for another reason.
   * Fails with `overloaded` if too many wait.
   */
  async take(wanted: number, race: <T>(promise: Promise<T>) => Promise<T>): Promise<() => void> {
    const pixels = Math.min(wanted, this.#total);
    if (this.#waiters.size === 0 && pixels <= this.#free) this.#free -= pixels;
    else await this.#wait(pixels, race);
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      this.#free += pixels;
      this.#next();
    };
  }

  async #wait(pixels: number, race: <T>(promise: Promise<T>) => Promise<T>): Promise<void> {
    if (this.#waiters.size >= MAX_WAITING) {
      throw new TurnpikeError(
        "overloaded",
        "Cannot accept the request: too many large pictures are waiting; try again",
      );
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { pixels, grant: resolve };
    this.#waiters.add(waiter);
    try {
      await race(promise);
    } catch (error) {
      // The turn was granted at the moment the wait ended, so its pixels are returned here.
      if (!this.#waiters.delete(waiter)) this.#free += pixels;
      this.#next();
      throw error;
    }
  }

  /** In order, so that a large picture gets its turn. */
  #next(): void {
    for (const waiter of this.#waiters) {
      if (waiter.pixels > this.#free) return;
      this.#free -= waiter.pixels;
      this.#waiters.delete(waiter);
      waiter.grant();
    }
  }
}
