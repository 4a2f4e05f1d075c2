import { LastingError } from "../../lib/errors.ts";
import { type Figures, type SemaphoreFigures } from "../figures/figures.ts";
import { type FontKind } from "../fonts/font-kinds.ts";
import { type BrowserEngine } from "../page/visit.ts";

const NO_SEMAPHORE: SemaphoreFigures = { places: 0, under_way: 0, waiting: 0 };

/**
 * The browser engine of a machine without a browser program. Pages that need a browser fail with `browser-unavailable`,
 * and a retry does not help.
 */
export class AbsentBrowser implements BrowserEngine {
  readonly figures: { readonly pages: SemaphoreFigures; readonly browsers: Figures["browsers"] } = {
    pages: NO_SEMAPHORE,
    browsers: { running: 0, started: 0, lost: 0 },
  };

  readonly info = undefined;
  readonly program = undefined;

  visit(): Promise<never> {
    return Promise.reject(
      new LastingError(
        "browser-unavailable",
        "Cannot load the page: it needs a browser, and this service has no browser",
      ),
    );
  }

  /** Pages that need no browser are served, so the service works. */
  async failure(): Promise<undefined> {}

  async missingFonts(): Promise<readonly FontKind[]> {
    return [];
  }

  async close(): Promise<void> {}
}
