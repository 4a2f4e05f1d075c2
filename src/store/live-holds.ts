/** A hold without any progress for so long is given up: its holder forgot it. @bound */
export const LONGEST_HOLD_MS = 15 * 60_000;

/**
 * The holds of a process that are renewed, by the payment's nonce. Their time is this process's own, which no change of the time
 * of day moves: a step of a clock must not end a hold.
 */
export class LiveHolds {
  readonly #progress = new Map<string, number>();
  readonly #now: () => number;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The hold was taken, or its payment moved. */
  touch(nonce: string): void {
    this.#progress.set(nonce, this.#now());
  }

  /** The hold is over. */
  drop(nonce: string): void {
    this.#progress.delete(nonce);
  }

  /** Nonces of holds that have not moved for too long: the ledger gives them up, and drops them here. */
  forgotten(): string[] {
    const before = this.#now() - LONGEST_HOLD_MS;
    const found: string[] = [];
    for (const [nonce, at] of this.#progress) if (at < before) found.push(nonce);
    return found;
  }
}
