/** Milliseconds by which the system clock is set at least, in a step. Smaller changes are corrections. */
const STEP_MS = 60_000;
/** Milliseconds after a step forward for which it may be an error that is corrected soon. @bound */
const REST_MS = 3_600_000;

/**
 * Notices when the system clock is set forward: what cannot be undone, and depends on the age of a date, waits for an hour then. A
 * wrong time that is corrected within the hour removes nothing. Times of the process before the first call are not known.
 */
export class ClockSteps {
  readonly #unix: () => number;
  readonly #steady: () => number;
  #lead: number;
  #restsUntil = Number.NEGATIVE_INFINITY;

  /** `unix` gives Unix milliseconds of the system clock, and `steady` those of a clock that no one sets. */
  constructor(unix: () => number, steady: () => number = () => performance.now()) {
    this.#unix = unix;
    this.#steady = steady;
    this.#lead = unix() - steady();
  }

  /** False if the clock was set forward by a minute or more within the last hour. Call it before each use of old dates. */
  isCalm(): boolean {
    const now = this.#steady();
    const lead = this.#unix() - now;
    if (lead - this.#lead >= STEP_MS) this.#restsUntil = now + REST_MS;
    this.#lead = lead;
    return now >= this.#restsUntil;
  }
}
