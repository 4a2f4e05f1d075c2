import { availableParallelism } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/within.ts";
import { type Figures, type SemaphoreFigures } from "../figures/figures.ts";
import { type FontKind } from "../fonts/font-kinds.ts";
import { missingFonts } from "./missing-fonts.ts";
import {
  type BrowserProgram,
  type BrowserSource,
  brokenBrowserMessage,
  browserPrograms,
  NoBrowserError,
} from "./find.ts";
import { majorOf, ordinaryUserAgent } from "./identity.ts";
import { launchBrowser, type LaunchOptions, type RunningBrowser } from "./launch.ts";
import { type OpenPage } from "../page/page.ts";
import { PageBurnt } from "../page/burnt.ts";
import { PageExcess } from "../egress/page-excess.ts";
import { Offenders } from "../page/offenders.ts";
import { FairSemaphore } from "../page/fair-semaphore.ts";
import { type BrowserEngine, type Visit } from "../page/visit.ts";
import { tabError } from "./load-error.ts";
import { MAX_VISITS, PooledBrowser } from "./pooled-browser.ts";
import { Tab } from "./tab.ts";

export type Log = (level: "info" | "warn" | "error", message: string, extra?: Record<string, unknown>) => void;

export interface PoolOptions {
  readonly stateDir: string;
  readonly browserPath?: string;
  /** Visits after which a new browser replaces one. Default: MAX_VISITS. */
  readonly visitsPerBrowser?: number;
  /** True: failures of pages that used up their visit's time themselves are reported as PageBurnt. */
  readonly chargeTimeouts?: boolean;
  readonly log: Log;
}

export interface BrowserInfo {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly source: BrowserSource;
  readonly sandboxed: boolean;
}

/** Open pages for each processor core: a core renders one page while another waits for the network. @bound */
const PAGES_PER_CORE = 2;
/** Requests that wait for a free page, and their queueing time. Further requests get a 503. @bound */
const MAX_QUEUED = 64;
const QUEUE_TIMEOUT_MS = 30_000;
/** Milliseconds after the timeout if the caller accepts a partial page: first to read it, then to process it. @bound */
const READING_GRACE_MS = 500;
const USING_GRACE_MS = 500;

/** Milliseconds. A working browser responds within one millisecond, even under load. */
const PROBE_TIMEOUT_MS = 3_000;

interface Choice {
  readonly program: BrowserProgram;
  readonly launch: LaunchOptions;
}

/** Keeps one browser running, and visits each page in its own browser context. */
export class BrowserPool implements BrowserEngine {
  readonly #options: PoolOptions;
  readonly #folder: string;
  readonly #semaphore = new FairSemaphore(availableParallelism() * PAGES_PER_CORE, MAX_QUEUED, QUEUE_TIMEOUT_MS);
  readonly #offenders = new Offenders(() => performance.now());
  readonly #choice: Choice;
  #browser: Promise<PooledBrowser> | undefined;
  readonly #browsers = new Set<PooledBrowser>();
  #replacing: Promise<void> | undefined;
  #started = 0;
  /** Browsers that ended by themselves. */
  #lost = 0;
  #closed = false;

  private constructor(options: PoolOptions, folder: string, choice: Choice) {
    this.#options = options;
    this.#folder = folder;
    this.#choice = choice;
  }

  /**
   * Finds a browser that starts. Fails with a one-line message that says what to do: NoBrowserError if there is no
   * browser program.
   */
  static async start(options: PoolOptions): Promise<{ pool: BrowserPool; browser: BrowserInfo }> {
    const folder = join(options.stateDir, "browser");
    const { browser, choice } = await firstThatStarts(options, folder);
    const pool = new BrowserPool(options, folder, choice);
    const pooled = pool.#adopt(browser);
    pool.#browser = Promise.resolve(pooled);
    pooled.warm.fill();
    const [name = "", version = ""] = browser.product.split("/");
    const { path, source } = choice.program;
    return { pool, browser: { name, version, path, source, sandboxed: choice.launch.sandboxed } };
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
      return "The browser does not start";
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
        this.#offenders.forgive(host);
        return result;
      } catch (error) {
        const isBusy = await tab.isBusy(error);
        // Resources that a caller's script uses are not the page's fault.
        if (!visit.scripted && (error instanceof PageExcess || isBusy)) this.#offenders.note(host);
        if (this.#closed) throw stopping();
        const isBurnt = error instanceof TurnpikeError && (await tab.hasBurnt(error, isBusy));
        throw isBurnt ? new PageBurnt(error) : tabError(error);
      } finally {
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
    this.#semaphore.close();
    await this.#browser?.catch(() => undefined);
    // A replacement browser that is still starting ends as soon as it runs.
    await Promise.all([this.#replacing, ...[...this.#browsers].map((browser) => browser.close())]);
  }

  #running(): Promise<PooledBrowser> {
    if (this.#closed) {
      return Promise.reject(stopping());
    }
    this.#browser ??= this.#restart();
    return this.#browser;
  }

  async #restart(): Promise<PooledBrowser> {
    try {
      return await this.#launch();
    } catch {
      this.#browser = undefined;
      throw new TurnpikeError("browser-unavailable", "Cannot load the page: the browser does not start");
    }
  }

  async #launch(): Promise<PooledBrowser> {
    try {
      const browser = this.#adopt(await launchBrowser(this.#choice.program, this.#folder, this.#choice.launch));
      if (this.#closed) await browser.close();
      else browser.warm.fill();
      return browser;
    } catch (error) {
      this.#options.log("error", `Cannot restart the browser: ${messageOf(error)}`);
      throw error;
    }
  }

  /** Starts a new browser for later visits. The worn browser ends with its last visit. */
  #replace(worn: PooledBrowser): void {
    if (this.#closed || this.#replacing !== undefined || !this.#browsers.has(worn) || worn.retired) return;
    this.#replacing = this.#replaceBy(this.#launch(), worn)
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
    const pooled = new PooledBrowser(browser, this.#options.visitsPerBrowser ?? MAX_VISITS, (reason) =>
      this.#options.log("warn", reason),
    );
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
    if (!this.#closed) this.#options.log("warn", "The browser stopped; the next request starts another");
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

function stopping(): TurnpikeError {
  return new TurnpikeError("browser-unavailable", "Cannot load the page: the service is stopping");
}

/** Tries the programs in order, each with its sandbox first if the sandbox can work. */
async function firstThatStarts(
  options: PoolOptions,
  folder: string,
): Promise<{ browser: RunningBrowser; choice: Choice }> {
  let failure: string | undefined;
  // Chromium refuses to use its sandbox as root.
  const modes = process.geteuid?.() === 0 ? [false] : [true, false];
  for await (const program of browserPrograms(options.browserPath, folder)) {
    for (const sandboxed of modes) {
      try {
        const { browser, launch } = await launchNamed(program, folder, sandboxed);
        if (!sandboxed) options.log("warn", sandboxWarning(modes.length === 1));
        return { browser, choice: { program, launch } };
      } catch (error) {
        failure = messageOf(error);
      }
    }
  }
  throw failure === undefined ? new NoBrowserError() : new Error(brokenBrowserMessage(failure));
}

/**
 * Starts a browser with a matching user agent. The user agent can only be set at the start, and only a running browser
 * reports its exact version.
 */
async function launchNamed(
  program: BrowserProgram,
  folder: string,
  sandboxed: boolean,
): Promise<{ browser: RunningBrowser; launch: LaunchOptions }> {
  const guess =
    program.major === undefined ? { sandboxed } : { sandboxed, userAgent: ordinaryUserAgent(program.major) };
  const first = await launchBrowser(program, folder, guess);
  const major = majorOf(first.product);
  if (major === program.major) return { browser: first, launch: guess };
  const launch = { sandboxed, userAgent: ordinaryUserAgent(major) };
  const [browser] = await Promise.all([launchBrowser(program, folder, launch), first.close()]);
  return { browser, launch };
}

function sandboxWarning(root: boolean): string {
  const [why, advice] = root
    ? ["it runs as root", "run Turnpike as an ordinary user"]
    : ["this system does not allow user namespaces", "allow them"];
  return `The browser runs without its sandbox, since ${why}; ${advice} if pages are not trusted`;
}
