import { type BlankTab, closeBlankTab, openBlankTab } from "./program/blank-tab.ts";
import { type RunningBrowser } from "./program/running-browser.ts";

/** Blank tabs that are kept ready. The first saves a visit 18 ms of 47; a third one saves nothing. */
const MAX_WARM = 2;
/**
 * Milliseconds after which an unused tab is closed. If visits are rare, memory matters more than the time to open a
 * tab.
 */
const MAX_IDLE_MS = 120_000;

/** Keeps blank tabs of a browser ready for later visits. */
export class WarmTabs {
  readonly #browser: RunningBrowser;
  readonly #ready: BlankTab[] = [];
  #opening = 0;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(browser: RunningBrowser) {
    this.#browser = browser;
  }

  /** Returns a blank tab, from the warm ones or newly opened. The caller closes it. */
  async take(): Promise<BlankTab> {
    for (let tab = this.#ready.shift(); tab !== undefined; tab = this.#ready.shift()) {
      if (tab.alive()) return tab;
      this.#drop(tab);
    }
    return await openBlankTab(this.#browser);
  }

  /** Opens the missing tabs. Called when a visit ends, so that the work delays no visit. */
  fill(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#empty(), MAX_IDLE_MS);
    this.#timer.unref();
    while (this.#ready.length + this.#opening < MAX_WARM) {
      this.#opening += 1;
      openBlankTab(this.#browser)
        .then((tab) => (this.#closed ? this.#drop(tab) : void this.#ready.push(tab)))
        // A visit that finds no warm tab opens one itself, and fails with the reason.
        .catch(() => undefined)
        .finally(() => {
          this.#opening -= 1;
        });
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#empty();
  }

  #empty(): void {
    for (const tab of this.#ready.splice(0)) this.#drop(tab);
  }

  #drop(tab: BlankTab): void {
    closeBlankTab(this.#browser, tab).catch(() => undefined);
  }
}
