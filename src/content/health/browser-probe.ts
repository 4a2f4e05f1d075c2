import { type FontKind } from "../fonts/font-kinds.ts";

/** How the browser is. */
export interface BrowserHealth {
  /** Why no page can be loaded; undefined while all is well. */
  readonly failure: string | undefined;
  /** The kinds of text that pages have no font for; undefined where the browser could not be asked. */
  readonly missingFonts: readonly FontKind[] | undefined;
}

export interface ProbeDeps {
  readonly failure: () => Promise<string | undefined>;
  readonly missingFonts: () => Promise<readonly FontKind[]>;
  readonly now: () => number;
}

/** What was seen is told for this long: asking is free, and a dead browser is started again by it. In milliseconds. @bound */
const KEEP_MS = 1_000;

/** Drawing a few characters takes a tenth of this; in milliseconds. @bound */
const FONTS_TIMEOUT_MS = 3_000;

/** Looks at the browser for all who ask: one look at a time, and one a second. */
export class BrowserProbe {
  readonly #deps: ProbeDeps;
  #looking: Promise<BrowserHealth> | undefined;
  #seen: { readonly at: number; readonly health: BrowserHealth } | undefined;
  /** Fonts come and go with a start alone. */
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
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, FONTS_TIMEOUT_MS, undefined);
    // A browser that dies over it is the next look's to tell.
    const missing = this.#deps.missingFonts().catch(() => undefined);
    try {
      return await Promise.race([missing, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
