import { faultOf } from "../../../../lib/caught.ts";
import { ClockSteps } from "../../../../lib/time/clock-steps.ts";
import { type Store } from "../../../../store/store.ts";

/** Milliseconds between two checks for old payments. */
const LOOK_MS = 10 * 60_000;
/** Payments that one step removes, so that no step blocks for long; the next step removes more. @bound */
const STEP_ROWS = 500;
/** Milliseconds between two steps. */
const STEP_MS = 100;

/** The ledger to clean, and the days for which finished payments are kept. */
export interface RetentionOptions {
  readonly store: Pick<Store, "forget">;
  readonly keepDays: () => number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds of a clock that no one sets. */
  readonly steady?: () => number;
  readonly log: (message: string) => void;
}

/** Removes finished payments from the ledger when they are older than `x402.ledger_keep_days`. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #steps: ClockSteps;
  #timer: NodeJS.Timeout | undefined;
  #step: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#steps = new ClockSteps(options.clock, options.steady);
  }

  start(): void {
    this.#next(STEP_MS);
  }

  /** Resolves when the store may be closed. */
  async close(): Promise<void> {
    await this.#step;
    // A step that has ended meanwhile has set it.
    clearTimeout(this.#timer);
  }

  #next(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#step = this.#forget();
    }, ms);
  }

  async #forget(): Promise<void> {
    const { store, keepDays, clock, log } = this.#options;
    let forgotten = 0;
    try {
      if (this.#steps.isCalm()) forgotten = await store.forget(clock() - keepDays() * 86_400_000, STEP_ROWS);
    } catch (error) {
      log(`ledger: old payments could not be removed: ${faultOf(error)}`);
    }
    this.#next(forgotten === STEP_ROWS ? STEP_MS : LOOK_MS);
  }
}
