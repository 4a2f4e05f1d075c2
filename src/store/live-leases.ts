/**
 * Milliseconds after which a lease without any change of its payment is given up. Its holder has forgotten to release
 * it. @bound
 */
export const LONGEST_LEASE_MS = 15 * 60_000;

/** The leases that this process renews, by nonce, on a monotonic clock: a change of system time ends none. */
export class LiveLeases {
  readonly #progress = new Map<string, number>();
  readonly #now: () => number;

  /** `now` gives monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Call this when the lease was acquired or its payment has changed. */
  touch(nonce: string): void {
    this.#progress.set(nonce, this.#now());
  }

  /** Call this when the lease has ended. */
  drop(nonce: string): void {
    this.#progress.delete(nonce);
  }

  /** Nonces of leases without a change for longer than `LONGEST_LEASE_MS`. The ledger gives them up and calls `drop`. */
  forgotten(): string[] {
    const before = this.#now() - LONGEST_LEASE_MS;
    const found: string[] = [];
    for (const [nonce, at] of this.#progress) if (at < before) found.push(nonce);
    return found;
  }
}
