import { within } from "../../lib/time/within.ts";
import { type FontKind } from "../fonts/font-kinds.ts";

export interface BrowserHealth {
  /** The reason why no page can be loaded; undefined if the browser works. */
  readonly failure: string | undefined;
  /** The kinds of text that pages have no font for; undefined if the browser could not be asked. */
  readonly missingFonts: readonly FontKind[] | undefined;
}

/** The checks of the browser: `failure` is the reason why it does not work. `now` returns milliseconds. */
export interface ProbeDeps {
  readonly failure: () => Promise<string | undefined>;
  readonly missingFonts: () => Promise<readonly FontKind[]>;
  readonly now: () => number;
}

/** Milliseconds that a result is reused: requests for it are free, and each check restarts a dead browser. @bound */
const KEEP_MS = 1_000;

/** Milliseconds. Drawing a few characters takes a tenth of this. @bound */
const FONTS_TIMEOUT_MS = 3_000;

/** Checks the browser for all callers: one check at a time, and one a second. */
export class BrowserProbe {
  readonly #deps: ProbeDeps;
  #looking: Promise<BrowserHealth> | undefined;
  #seen: { readonly at: number; readonly health: BrowserHealth } | undefined;
  /** The fonts change only at a start of the service. */
  #missingFonts: readonly FontKind[] | undefined;

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  async look(): Promise<BrowserHealth> {
    if (this.#seen !== undefined && this.#deps.now() - this.#seen.at < KEEP_MS) return this.#seen.health;
    this.#looking ??= this.#lookAfresh().finally(() => {
      this.#looking = undefined;
    });
    return await this.#looking;
  }

  async #lookAfresh(): Promise<BrowserHealth> {
    const failure = await this.#deps.failure();
    if (failure === undefined) this.#missingFonts ??= await this.#lookAtFonts();
    const health = { failure, missingFonts: this.#missingFonts };
    this.#seen = { at: this.#deps.now(), health };
    return health;
  }

  async #lookAtFonts(): Promise<readonly FontKind[] | undefined> {
    // If the browser ends during this check, the next check reports it.
    const missing = this.#deps.missingFonts().catch(() => undefined);
    return await within(FONTS_TIMEOUT_MS, missing);
  }
}
