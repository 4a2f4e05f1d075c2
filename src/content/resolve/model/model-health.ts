import { ModelError } from "./model-error.ts";

/** Milliseconds before a model that failed its check is checked again. The time doubles up to the maximum. @bound */
const PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;

export interface ModelHealthDeps {
  /** Sends a short request of the service's own. Rejects with a ModelError if the model gives no response. */
  readonly check: () => Promise<void>;
  /** Called when a check has ended. Never throws. */
  readonly onChecked: () => void;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/**
 * Knows whether the model works. A question without a response leads to a check, and only a failed check stops further
 * questions: the response to a question depends on its client and its pages, who could otherwise stop the model for all.
 *
 *   works --no response--> check --fails--> stopped --pause, next question--> check --responds--> works
 */
export class ModelHealth {
  readonly #deps: ModelHealthDeps;
  #failure: string | undefined;
  #checking: Promise<void> | undefined;
  #pauseMs = PAUSE_MS;
  #pausedUntil = 0;
  #responses = 0;

  constructor(deps: ModelHealthDeps) {
    this.#deps = deps;
  }

  /** Why the model is not asked now. Undefined if it works. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Waits for a check that is due or under way. Throws a ModelError if the model must not be asked. */
  async admit(): Promise<void> {
    const isDue = this.#failure !== undefined && this.#deps.clock() >= this.#pausedUntil;
    if (isDue) this.#check();
    await this.#checking;
    if (this.#failure === undefined) return;
    throw new ModelError("unavailable", `it is not asked until it works again: ${this.#failure}`);
  }

  /** Records a response to a question, whatever it says. */
  responded(): void {
    this.#responses += 1;
    this.#failure = undefined;
    this.#pauseMs = PAUSE_MS;
  }

  /** Records a question without a response. */
  failed(): void {
    if (this.#failure === undefined) this.#check();
  }

  #check(): void {
    this.#checking ??= this.#checked().finally(() => {
      this.#checking = undefined;
      this.#deps.onChecked();
    });
  }

  async #checked(): Promise<void> {
    const before = this.#responses;
    try {
      await this.#deps.check();
      this.responded();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // Without tokens nothing is known, and a response to a question proves more than a late check.
      if (error.kind === "budget" || this.#responses > before) return;
      this.#failure = error.message;
      this.#pausedUntil = this.#deps.clock() + this.#pauseMs;
      this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    }
  }
}
