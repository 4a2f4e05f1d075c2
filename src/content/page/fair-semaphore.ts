import { TurnpikeError } from "../../lib/errors.ts";
import { type SemaphoreFigures } from "../figures/figures.ts";
import { type Deadline } from "./deadline.ts";

interface Waiter {
  grant(): void;
  refuse(error: Error): void;
}

/** The permits that one client request holds, and its pages that wait for one. */
interface Share {
  held: number;
  readonly waiters: Set<Waiter>;
}

/**
 * A semaphore with a bounded queue and a timeout. Each client request is identified by its signal. A free permit goes
 * to the waiting request that holds the fewest permits. One request holds at most three quarters of the permits, even
 * if more of its pages wait.
 */
export class FairSemaphore {
  readonly #permits: number;
  #free: number;
  readonly #mostHeld: number;
  readonly #maxQueued: number;
  readonly #queueTimeoutMs: number;
  /** Requests that hold or wait for a permit. The request whose last permit was granted longest ago comes first. */
  readonly #shares = new Map<object, Share>();

  /** `maxQueued` counts requests. Each request can have as many pages waiting as its operation allows. */
  constructor(permits: number, maxQueued: number, queueTimeoutMs: number) {
    this.#permits = permits;
    this.#free = permits;
    this.#mostHeld = Math.max(1, Math.floor((permits * 3) / 4));
    this.#maxQueued = maxQueued;
    this.#queueTimeoutMs = queueTimeoutMs;
  }

  get figures(): SemaphoreFigures {
    let waiting = 0;
    for (const { waiters } of this.#shares.values()) waiting += waiters.size;
    return { places: this.#permits, under_way: this.#permits - this.#free, waiting };
  }

  /** Waits for a permit and returns the function that releases it. Fails with `overloaded`, or with the deadline. */
  async take(signal?: AbortSignal, deadline?: Deadline): Promise<() => void> {
    const key: object = signal ?? {};
    const share = this.#shares.get(key) ?? { held: 0, waiters: new Set<Waiter>() };
    if (this.#free > 0 && share.held < this.#mostHeld && signal?.aborted !== true) this.#grant(key, share);
    else await this.#wait(key, share, signal, deadline);
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      share.held -= 1;
      this.#free += 1;
      this.#forget(key, share);
      this.#next();
    };
  }

  /** Refuses all waiting requests. */
  close(): void {
    for (const { waiters } of this.#shares.values()) {
      for (const waiter of waiters) waiter.refuse(new TurnpikeError("overloaded", "The service is stopping"));
    }
  }

  #grant(key: object, share: Share): void {
    this.#free -= 1;
    share.held += 1;
    // Moves the request to the end of the order.
    this.#shares.delete(key);
    this.#shares.set(key, share);
  }

  #next(): void {
    while (this.#free > 0) {
      const ready = [...this.#shares].filter(([, { waiters, held }]) => waiters.size > 0 && held < this.#mostHeld);
      const [first] = ready;
      if (first === undefined) return;
      // The request with the fewest permits. Among several, the one whose last permit was granted longest ago.
      const [key, share] = ready.reduce((best, other) => (other[1].held < best[1].held ? other : best), first);
      const [waiter] = share.waiters;
      this.#grant(key, share);
      waiter?.grant();
    }
  }

  #forget(key: object, share: Share): void {
    // A wait that ended long ago can still be rejected by its deadline, when another share has the key.
    if (share.held === 0 && share.waiters.size === 0 && this.#shares.get(key) === share) this.#shares.delete(key);
  }

  #wait(key: object, share: Share, signal: AbortSignal | undefined, deadline: Deadline | undefined): Promise<void> {
    const waiting = [...this.#shares.values()].filter(({ waiters }) => waiters.size > 0).length;
    if (share.waiters.size === 0 && share.held === 0 && waiting >= this.#maxQueued) {
      return Promise.reject(
        new TurnpikeError("overloaded", "Cannot accept the request: too many requests are waiting; try again"),
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (done: () => void) => {
      clearInterval(timer);
      deadline?.go();
      signal?.removeEventListener("abort", leave);
      share.waiters.delete(waiter);
      done();
      this.#forget(key, share);
    };
    const waiter: Waiter = { grant: () => settle(resolve), refuse: (error) => settle(() => reject(error)) };
    const leave = () =>
      waiter.refuse(new TurnpikeError("overloaded", "Cannot accept the request: no slot became free in time"));
    // A request that already holds a permit is not refused: it gets the next permit when one of its own pages ends. The
    // deadline of a visit limits its wait.
    const timer =
      deadline === undefined ? setInterval(() => share.held === 0 && leave(), this.#queueTimeoutMs) : undefined;
    share.waiters.add(waiter);
    this.#shares.set(key, share);
    deadline?.wait();
    deadline?.stopped.catch((error: Error) => waiter.refuse(error));
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    return promise;
  }
}
