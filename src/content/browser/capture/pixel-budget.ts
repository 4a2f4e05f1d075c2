interface Waiter {
  readonly pixels: number;
  grant(): void;
}

/** Lets as many pictures be taken at one time as have this many pixels together; a larger one is taken alone. */
export class PixelBudget {
  #free: number;
  readonly #total: number;
  readonly #waiters = new Set<Waiter>();

  constructor(total: number) {
    this.#free = total;
    this.#total = total;
  }

  /**
   * Waits for its turn and gives the function that ends it. `race` fails when the wait is over for another reason. No
   * more wait than there are pages open.
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
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { pixels, grant: resolve };
    this.#waiters.add(waiter);
    try {
      await race(promise);
    } catch (error) {
      // Granted at the very moment that its wait ended: nobody will give it back.
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
