import { HOLD_MS } from "../ledger.ts";

/** Milliseconds by which two looks at the database's clock may differ from what passed here meanwhile; a look takes time. @bound */
export const MOST_DRIFT_MS = 2000;

/**
 * Tells whether the database's clock can be trusted to say that a hold is over. It is the clock of all gateways, and somebody may
 * set it: after a step forward every hold looks over, and every living holder renews its own within `HOLD_MS`. So a gateway
 * takes nobody's hold before it has seen that clock run evenly, by its own monotonic one, for that long. Decision 0803.
 */
export class ClockWatch {
  readonly #own: () => number;
  #base: { readonly database: number; readonly own: number } | undefined;
  #evenSince = 0;

  /** `own`: monotonic milliseconds. */
  constructor(own: () => number) {
    this.#own = own;
  }

  /** The database was seen at least once. */
  get hasLooked(): boolean {
    return this.#base !== undefined;
  }

  /** What the database's clock must read now, in Unix milliseconds; undefined while it cannot be trusted. */
  get expected(): number | undefined {
    const own = this.#own();
    if (this.#base === undefined || own - this.#evenSince < HOLD_MS) return undefined;
    return this.#base.database + own - this.#base.own;
  }

  /** The database's clock reads `database`. */
  saw(database: number): void {
    const own = this.#own();
    const base = this.#base;
    const isEven = base !== undefined && Math.abs(base.database + own - base.own - database) <= MOST_DRIFT_MS;
    if (!isEven) this.#evenSince = own;
    this.#base = { database, own };
  }
}
