import { LEASE_MS } from "../ledger.ts";

/**
 * Milliseconds by which the time between two readings of the database's clock may differ from the time that passed
 * here. A reading itself takes time. @bound
 */
export const MOST_DRIFT_MS = 2000;

/**
 * Tells whether the database's clock can be trusted when it shows that a lease has expired. All gateways use this
 * clock, and an operator may change it. After a step forward all leases look expired, and each running process renews
 * its leases within `LEASE_MS`. So a gateway takes over a lease only after it has seen the database's clock run evenly
 * for that time, compared with its own monotonic clock.
 */
export class ClockWatch {
  readonly #own: () => number;
  #base: { readonly database: number; readonly own: number } | undefined;
  #evenSince = 0;

  /** `own` gives monotonic milliseconds. */
  constructor(own: () => number) {
    this.#own = own;
  }

  /** True if the database's clock was read at least once. */
  get hasLooked(): boolean {
    return this.#base !== undefined;
  }

  /** The expected time of the database's clock, in Unix milliseconds; undefined while the clock is not trusted. */
  get expected(): number | undefined {
    const own = this.#own();
    if (this.#base === undefined || own - this.#evenSince < LEASE_MS) return undefined;
    return this.#base.database + own - this.#base.own;
  }

  /** Takes note that the database's clock shows `database`. */
  saw(database: number): void {
    const own = this.#own();
    const base = this.#base;
    const isEven = base !== undefined && Math.abs(base.database + own - base.own - database) <= MOST_DRIFT_MS;
    if (!isEven) this.#evenSince = own;
    this.#base = { database, own };
  }
}
