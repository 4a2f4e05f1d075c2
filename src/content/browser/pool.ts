import { availableParallelism } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type CdpFields } from "./cdp.ts";
import { type BrowserProgram, type BrowserSource, browserPrograms, noBrowserMessage } from "./find.ts";
import { majorOf, ordinaryUserAgent } from "./identity.ts";
import { launchBrowser, type LaunchOptions, type RunningBrowser } from "./launch.ts";
import { type OpenPage } from "../page/page.ts";
import { Slots } from "../page/slots.ts";
import { type BrowserEngine, type Visit } from "../page/visit.ts";
import { browserStopped, Tab, tabError } from "./tab.ts";

export type Log = (level: "info" | "warn" | "error", message: string, extra?: Record<string, unknown>) => void;

export interface PoolOptions {
  readonly stateDir: string;
  readonly browserPath?: string;
  readonly log: Log;
}

export interface BrowserInfo {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly source: BrowserSource;
  readonly sandboxed: boolean;
}

/** Pages open at one time: a core renders one while another waits on the network. */
const PAGES_PER_CORE = 2;
/** Requests that wait for a free page, and for how long; more are answered 503. */
const MAX_QUEUED = 64;
const QUEUE_TIMEOUT_MS = 30_000;
/** Closing a tab takes milliseconds; a browser that does not manage within this has hung. */
const DISPOSE_TIMEOUT_MS = 3_000;

/** A browser answers this within a millisecond, even under load. */
const PROBE_TIMEOUT_MS = 3_000;

interface Choice {
  readonly program: BrowserProgram;
  readonly launch: LaunchOptions;
}

/** Keeps one browser running and visits pages with it, each in a context of its own. */
export class BrowserPool implements BrowserEngine {
  readonly #options: PoolOptions;
  readonly #folder: string;
  readonly #slots = new Slots(availableParallelism() * PAGES_PER_CORE, MAX_QUEUED, QUEUE_TIMEOUT_MS);
  readonly #tabs = new Map<Tab, RunningBrowser>();
  readonly #choice: Choice;
  #browser: Promise<RunningBrowser> | undefined;
  #closed = false;

  private constructor(options: PoolOptions, folder: string, choice: Choice) {
    this.#options = options;
    this.#folder = folder;
    this.#choice = choice;
  }

  /** Finds a browser that starts. Fails with a one-line message that says what to do. */
  static async start(options: PoolOptions): Promise<{ pool: BrowserPool; browser: BrowserInfo }> {
    const folder = join(options.stateDir, "browser");
    const { browser, choice } = await firstThatStarts(options, folder);
    const pool = new BrowserPool(options, folder, choice);
    pool.#adopt(browser);
    pool.#browser = Promise.resolve(browser);
    const [name = "", version = ""] = browser.product.split("/");
    const { path, source } = choice.program;
    return { pool, browser: { name, version, path, source, sandboxed: choice.launch.sandboxed } };
  }

  /** Asks the browser for a sign of life, and starts one where there is none. Gives why it does not work, if so. */
  async failure(): Promise<string | undefined> {
    try {
      const browser = await this.#running();
      const answered = browser.cdp.send("Browser.getVersion").then(() => true);
      const alive = await Promise.race([answered, Bun.sleep(PROBE_TIMEOUT_MS).then(() => false)]);
      return alive ? undefined : "The browser does not answer";
    } catch {
      return "The browser does not start";
    }
  }

  async visit<T>(visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T> {
    const release = await this.#slots.take(visit.request.signal, visit.deadline);
    try {
      const browser = await this.#running();
      const tab = new Tab(browser, visit);
      this.#tabs.set(tab, browser);
      browser.memory.enter();
      try {
        return await visit.deadline.race(tab.open().then(use));
      } catch (error) {
        throw this.#closed ? stopping() : tabError(error);
      } finally {
        this.#tabs.delete(tab);
        browser.memory.leave();
        await this.#dispose(browser, tab);
      }
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    await this.#browser?.then((browser) => browser.close()).catch(() => undefined);
  }

  #running(): Promise<RunningBrowser> {
    if (this.#closed) {
      return Promise.reject(stopping());
    }
    this.#browser ??= this.#restart();
    return this.#browser;
  }

  async #restart(): Promise<RunningBrowser> {
    try {
      const browser = await launchBrowser(this.#choice.program, this.#folder, this.#choice.launch);
      this.#adopt(browser);
      if (this.#closed) await browser.close();
      return browser;
    } catch (error) {
      this.#browser = undefined;
      this.#options.log("error", `Cannot restart the browser: ${messageOf(error)}`);
      throw new TurnpikeError("browser-unavailable", "Cannot load the page: the browser does not start");
    }
  }

  #adopt(browser: RunningBrowser): void {
    browser.cdp.listen("", (method, params) => this.#onBrowserEvent(browser, method, params));
    browser.cdp
      .send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] })
      .catch(() => undefined);
    void browser.cdp.ended.then(() => this.#onBrowserGone(browser));
  }

  #onBrowserGone(browser: RunningBrowser): void {
    this.#browser = undefined;
    for (const [tab, at] of this.#tabs) if (at === browser) tab.deadline.stop(browserStopped());
    if (!this.#closed) this.#options.log("warn", "The browser stopped; the next request starts another");
  }

  /** Closes tabs that a page opened beside its own. */
  #onBrowserEvent(browser: RunningBrowser, method: string, params: CdpFields): void {
    if (method !== "Target.targetCreated") return;
    // The protocol gives a TargetInfo with this event.
    const info = params["targetInfo"] as CdpFields;
    if (typeof info["openerId"] !== "string") return;
    browser.cdp.send("Target.closeTarget", { targetId: info["targetId"] }).catch(() => undefined);
  }

  async #dispose(browser: RunningBrowser, tab: Tab): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("Cannot close the tab: no answer")), DISPOSE_TIMEOUT_MS);
    try {
      await Promise.race([tab.close(), late]);
    } catch {
      // Gone already, or no longer answering: what is left of it goes with the browser.
      if (!browser.cdp.closed) {
        this.#options.log("warn", "The browser does not close a tab; it is stopped");
        browser.kill();
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function stopping(): TurnpikeError {
  return new TurnpikeError("browser-unavailable", "Cannot load the page: the service is stopping");
}

/** Tries the programs in order, each with its sandbox first where that can work at all. */
async function firstThatStarts(
  options: PoolOptions,
  folder: string,
): Promise<{ browser: RunningBrowser; choice: Choice }> {
  let failure: string | undefined;
  // Chromium refuses to build its sandbox as root.
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
  throw new Error(noBrowserMessage(failure));
}

/** Only a start sets the name that a browser goes by, and only a running one tells its version for sure. */
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
    : ["this system lets no user namespaces be made", "allow them"];
  return `The browser runs without its sandbox, since ${why}; ${advice} where pages are not trusted`;
}
