import { NoRoomError } from "./worker-process.ts";

/** Milliseconds: a worker that ends at a younger age counts as ended at once. */
const YOUNG_MS = 1000;
/** Workers in a row that end at once. After that many the server stops, because another start would not help. */
const MAX_EARLY_DEATHS = 3;
const RESTART_MS = 100;
/** Milliseconds until the next attempt, if the system had no room for a process. */
const NO_ROOM_MS = 1000;

interface RestartDeps {
  /** Starts a worker. Rejects if it cannot serve. */
  readonly start: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly isClosing: () => boolean;
  readonly log: (message: string) => void;
}

/** Starts a worker in place of each that ends. Ends this process if that does not help. */
export class Restarts {
  readonly #deps: RestartDeps;
  #earlyDeaths = 0;

  constructor(deps: RestartDeps) {
    this.#deps = deps;
  }

  /** A worker has ended at this age, in milliseconds. */
  died(age: number): void {
    this.#startAnother(age < YOUNG_MS);
  }

  #startAnother(early: boolean): void {
    this.#earlyDeaths = early ? this.#earlyDeaths + 1 : 0;
    if (this.#earlyDeaths >= MAX_EARLY_DEATHS) {
      this.#deps.log(`Cannot continue: ${MAX_EARLY_DEATHS} workers in a row ended right after their start`);
      process.exit(1);
    }
    this.#startIn(RESTART_MS * (this.#earlyDeaths + 1));
  }

  #startIn(ms: number): void {
    const { start, failed, isClosing } = this.#deps;
    setTimeout(() => {
      if (isClosing()) return;
      start().catch((error: unknown) => {
        if (isClosing()) return;
        failed(error);
        if (error instanceof NoRoomError) this.#startIn(NO_ROOM_MS);
        else this.#startAnother(true);
      });
    }, ms);
  }
}
