import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { type BrowserInfo, type BrowserOpener, type Log } from "./program/browser-opener.ts";
import { type Figures, type SemaphoreFigures } from "../figures/figures.ts";
import { type FontKind } from "../fonts/font-kinds.ts";
import { missingFonts } from "./missing-fonts.ts";
import { LocalOpener, type LocalOptions } from "./local-opener.ts";
import { type OpenPage } from "../page/page.ts";
import { PageBurnt } from "../page/page-errors.ts";
import { PageExcess } from "../egress/page-excess.ts";
import { Offenders } from "../page/offenders.ts";
import { FairSemaphore } from "../page/fair-semaphore.ts";
import { type BrowserEngine, type Visit } from "../page/visit.ts";
import { tabError } from "./load-error.ts";
import { PooledBrowser } from "./pooled-browser.ts";
import { type RunningBrowser } from "./program/running-browser.ts";
import { Tab } from "./tab.ts";

export interface PoolOptions {
  /** True: failures of pages that used up their visit's time themselves are reported as PageBurnt. */
  readonly chargeTimeouts?: boolean;
  readonly log: Log;
}

/** Requests that wait for a free page, and their queueing time. Further requests get a 503. @operator @bound */
const MAX_QUEUED = 64;
const QUEUE_TIMEOUT_MS = 30_000;
/** Milliseconds after the timeout if the caller accepts a partial page: first to read it, then to process it. @bound */
const READING_GRACE_MS = 500;
const USING_GRACE_MS = 500;

/** Milliseconds. A working browser responds within one millisecond, even under load. */
const PROBE_TIMEOUT_MS = 3_000;

/** Keeps one browser running, and visits each page in its own browser context. */
export class BrowserPool implements BrowserEngine {
  readonly #options: PoolOptions;
  readonly #opener: BrowserOpener;
  readonly #semaphore: FairSemaphore;
  readonly #offenders = new Offenders(() => performance.now());
  #browser: Promise<PooledBrowser> | undefined;
  readonly #browsers = new Set<PooledBrowser>();
  #replacing: Promise<void> | undefined;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  #started = 0;
  /** Browsers that ended by themselves. */
  #lost = 0;
  #closed = false;

  /** Opens no browser before a visit, or `failure`, needs one. */
  constructor(opener: BrowserOpener, options: PoolOptions) {
    this.#opener = opener;
    this.#options = options;
    this.#semaphore = new FairSemaphore(opener.maxPages, MAX_QUEUED, QUEUE_TIMEOUT_MS);
  }

  /**
   * Starts a browser on this machine. Fails with a one-line message that says what to do: NoBrowserError if there is no
   * browser program.
   */
  static async start(options: PoolOptions & LocalOptions): Promise<{ pool: BrowserPool; browser: BrowserInfo }> {
    const opener = await LocalOpener.find(options);
    const pool = new BrowserPool(opener, options);
    await pool.#running();
    return { pool, browser: opener.info };
  }

  /** The program of this machine that it starts; undefined for a remote browser. */
  get program(): BrowserOpener["program"] {
    return this.#opener.program;
  }

  /** The browser that was opened last; undefined before the first. */
  get info(): BrowserInfo | undefined {
    return this.#opener.info;
  }

  /**
   * Checks that the browser responds, and starts one if no browser runs. Returns the reason why it does not work, or
   * undefined.
   */
  async failure(): Promise<string | undefined> {
    try {
      const browser = await this.#running();
      const responded = browser.running.cdp.send("Browser.getVersion").then(() => true);
      const alive = await within(PROBE_TIMEOUT_MS, responded, () => false);
      return alive ? undefined : "The browser does not respond";
    } catch {
      return sentence(this.#opener.failure);
    }
  }

  /** The kinds of text that the browser has no font for. Fails if no browser runs. */
  async missingFonts(): Promise<readonly FontKind[]> {
    const browser = await this.#running();
    return await missingFonts(browser.running.cdp);
  }

  get figures(): { readonly pages: SemaphoreFigures; readonly browsers: Figures["browsers"] } {
    const browsers = { running: this.#browsers.size, started: this.#started, lost: this.#lost };
    return { pages: this.#semaphore.figures, browsers };
  }

  async visit<T>(visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T> {
    const { hostname: host } = visit.request.url;
    await this.#offenders.turn(host, visit.deadline);
    const release = await this.#semaphore.take(visit.request.signal, visit.deadline);
    try {
      // A browser can take longer to start than the visit's time.
      const browser = await visit.deadline.race(this.#running());
      const measures = this.#options.chargeTimeouts === true;
      const tab = new Tab(browser.running, () => browser.warm.take(), visit, measures);
      browser.enter(tab);
      try {
        const result = await useOf(tab, visit, use);
        await tab.leaveState();
        this.#offenders.forgive(host);
        return result;
      } catch (error) {
        const isBusy = await tab.isBusy(error);
        // Resources that a caller's script uses are not the page's fault.
        const isScripted = visit.scripted || visit.request.steps !== undefined;
        if (!isScripted && (error instanceof PageExcess || isBusy)) this.#offenders.note(host);
        if (this.#closed) throw stopping();
        const isBurnt = error instanceof TurnpikeError && (await tab.hasBurnt(error, isBusy));
        throw isBurnt ? new PageBurnt(error) : tabError(await tab.failureOf(error));
      } finally {
        // A page that failed leaves its cookies, too.
        await tab.leaveState().catch(() => undefined);
        await browser.leave(tab);
        if (browser.worn) this.#replace(browser);
        else browser.warm.fill();
      }
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reopening);
    this.#semaphore.close();
    await this.#browser?.catch(() => undefined);
    // A replacement browser that is still starting ends as soon as it runs.
    await Promise.all([this.#replacing, ...[...this.#browsers].map((browser) => browser.close())]);
  }

  #running(): Promise<PooledBrowser> {
    if (this.#closed) {
      return Promise.reject(stopping());
    }
    this.#browser ??= this.#reopen();
    return this.#browser;
  }

  async #reopen(): Promise<PooledBrowser> {
    try {
      return await this.#open();
    } catch {
      this.#browser = undefined;
      this.#reopenLater();
      throw new TurnpikeError("browser-unavailable", `Cannot load the page: ${this.#opener.failure}`);
    }
  }

  /** Opens a lost browser again without a visit, if the opener wants that. */
  #reopenLater(): void {
    const { reopenMs } = this.#opener;
    if (reopenMs === undefined || this.#closed || this.#reopening !== undefined) return;
    this.#reopening = setTimeout(() => {
      this.#reopening = undefined;
      if (!this.#closed) this.#running().catch(() => undefined);
    }, reopenMs);
    this.#reopening.unref();
  }

  async #open(): Promise<PooledBrowser> {
    const browser = this.#adopt(await this.#opener.open());
    if (this.#closed) await browser.close();
    else browser.warm.fill();
    return browser;
  }

  /** Starts a new browser for later visits. The worn browser ends with its last visit. */
  #replace(worn: PooledBrowser): void {
    if (this.#closed || this.#replacing !== undefined || !this.#browsers.has(worn) || worn.retired) return;
    this.#replacing = this.#replaceBy(this.#open(), worn)
      // The failure was logged. The worn browser continues, and the end of its next visit tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#replacing = undefined;
      });
  }

  async #replaceBy(launched: Promise<PooledBrowser>, worn: PooledBrowser): Promise<void> {
    const fresh = await launched;
    // If the worn browser ended in the meantime, another one may have been started already.
    if (this.#browsers.has(worn)) this.#browser = Promise.resolve(fresh);
    else await fresh.close();
    await worn.retire();
  }

  #adopt(browser: RunningBrowser): PooledBrowser {
    const pooled = new PooledBrowser(browser, this.#opener.maxVisits, (reason) => this.#options.log("warn", reason));
    this.#browsers.add(pooled);
    this.#started += 1;
    void browser.cdp.ended.then(() => this.#onBrowserGone(pooled));
    return pooled;
  }

  #onBrowserGone(pooled: PooledBrowser): void {
    this.#browsers.delete(pooled);
    if (pooled.retired) return;
    if (!this.#closed) this.#lost += 1;
    this.#browser = undefined;
    if (this.#closed) return;
    this.#options.log("warn", this.#opener.lost);
    this.#reopenLater();
  }
}

/**
 * Opens the page and uses it. After the timeout, if the caller accepts a partial page, it uses the part that has
 * loaded.
 */
async function useOf<T>(tab: Tab, visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T> {
  const { deadline, request } = visit;
  let used = false;
  try {
    const opened = tab.open().then((page) => {
      used = true;
      return use(page);
    });
    return await deadline.race(opened);
  } catch (error) {
    const page = tab.unfinished;
    if (used || !request.partial || page === undefined || !deadline.grace(READING_GRACE_MS)) throw error;
    const result = await deadline.race(use(page));
    deadline.extend(USING_GRACE_MS);
    return result;
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function stopping(): TurnpikeError {
  return new TurnpikeError("browser-unavailable", "Cannot load the page: the service is stopping");
}
