import { within } from "../../lib/time/within.ts";
import { type CdpFields } from "./program/cdp.ts";
import { type RunningBrowser } from "./program/running-browser.ts";
import { browserStopped } from "./load-error.ts";
import { type Tab } from "./tab.ts";
import { WarmTabs } from "./warm-tabs.ts";

/** A new browser replaces one after this many visits, or when its main process uses this much memory. @bound */
export const MAX_VISITS = 500;
const WORN_BYTES = 512 * 1024 * 1024;

/**
 * Milliseconds between two checks of a browser with visits. A browser responds within milliseconds, even under load.
 */
const ASK_EVERY_MS = 200;
/** Milliseconds. A browser that takes longer to respond may be flooded with calls by a page. @bound */
const SLOW_MS = 150;
const HUNG_MS = 6_000;

/** Milliseconds. Closing a tab takes a few; a browser that takes longer than this has hung. @bound */
const DISPOSE_TIMEOUT_MS = 3_000;

/** Workers that do not belong to one tab. */
const WORKERS = [{ type: "shared_worker" }, { type: "service_worker" }];

/** A browser with the tabs of its visits and the warm tabs for later visits. */
export class PooledBrowser {
  readonly running: RunningBrowser;
  readonly warm: WarmTabs;
  readonly #tabs = new Set<Tab>();
  readonly #hung: (reason: string) => void;
  readonly #maxVisits: number;
  readonly #clock: () => number;
  #visits = 0;
  #retired = false;
  #asking: ReturnType<typeof setInterval> | undefined;
  #asked = 0;

  /** Calls `hung` with the reason when it had to kill the browser. `clock` returns monotonic milliseconds. */
  constructor(
    running: RunningBrowser,
    maxVisits: number,
    hung: (reason: string) => void,
    clock: () => number = () => performance.now(),
  ) {
    this.running = running;
    this.#maxVisits = maxVisits;
    this.warm = new WarmTabs(running);
    this.#hung = hung;
    this.#clock = clock;
    running.cdp.listen("", (method, params) => this.#onEvent(method, params));
    const { pausesWorkers } = running;
    const discovered = [{ type: "page" }, { type: "iframe" }, ...(pausesWorkers ? [] : WORKERS)];
    running.cdp.send("Target.setDiscoverTargets", { discover: true, filter: discovered }).catch(() => undefined);
    if (pausesWorkers) {
      const workers = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: WORKERS };
      running.cdp.send("Target.setAutoAttach", workers).catch(() => undefined);
    }
    void running.cdp.ended.then(() => this.#onGone());
  }

  /** True if a new browser should replace it. */
  get worn(): boolean {
    return this.#visits >= this.#maxVisits || this.running.processes.browserBytes() > WORN_BYTES;
  }

  /** True if it ends with its last visit. */
  get retired(): boolean {
    return this.#retired;
  }

  enter(tab: Tab): void {
    this.#tabs.add(tab);
    this.#visits += 1;
    this.running.processes.enter();
    this.#asking ??= setInterval(() => this.#ask(), ASK_EVERY_MS);
  }

  /** Closes the tab of a visit that ended, and kills the browser if it does not close the tab. */
  async leave(tab: Tab): Promise<void> {
    this.running.processes.leave();
    await this.#dispose(tab);
    this.#tabs.delete(tab);
    if (this.#tabs.size > 0) return;
    clearInterval(this.#asking);
    this.#asking = undefined;
    if (this.#retired) await this.running.close();
  }

  /** Lets it end with its last visit. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.warm.close();
    if (this.#tabs.size === 0) await this.running.close();
  }

  /** Ends it and all its visits now. */
  async close(): Promise<void> {
    this.warm.close();
    await this.running.close();
  }

  #onGone(): void {
    clearInterval(this.#asking);
    this.warm.close();
    for (const tab of this.#tabs) tab.deadline.stop(browserStopped());
  }

  #ask(): void {
    const now = this.#clock();
    if (this.#asked > 0) {
      if (now - this.#asked > HUNG_MS) this.#kill("The browser does not respond; it is stopped");
      else if (now - this.#asked > SLOW_MS) this.running.processes.relieve();
      return;
    }
    this.#asked = now;
    const responded = () => {
      if (this.#clock() - now > SLOW_MS) this.running.processes.relieve();
      this.#asked = 0;
    };
    this.running.cdp.send("Browser.getVersion").then(responded, responded);
  }

  #onEvent(method: string, params: CdpFields): void {
    // The protocol gives a TargetInfo with both events.
    const info = params["targetInfo"] as CdpFields;
    if (method === "Target.attachedToTarget") return this.#onWorker(info, params);
    if (method !== "Target.targetCreated") return;
    if (info["type"] === "iframe") return this.#owner(info)?.onOtherSite();
    if (WORKERS.some(({ type }) => type === info["type"])) return void this.#attach(info);
    // Closes other tabs that a page opened. A remote browser also has pages of others.
    if (typeof info["openerId"] !== "string" || this.#owner(info) === undefined) return;
    this.running.cdp.send("Target.closeTarget", { targetId: info["targetId"] }).catch(() => undefined);
  }

  /**
   * Workers that several pages can share belong only to their browser context. Each is paused until it is allowed to
   * run.
   */
  #onWorker(info: CdpFields, params: CdpFields): void {
    const owner = this.#owner(info);
    if (owner !== undefined) return owner.onWorker(params);
    const session = String(params["sessionId"]);
    this.running.cdp.send("Runtime.runIfWaitingForDebugger", {}, session).catch(() => undefined);
  }

  /** Attaches to a worker of a remote browser, where other clients have workers too. */
  async #attach(targetInfo: CdpFields): Promise<void> {
    const owner = this.#owner(targetInfo);
    if (owner === undefined) return;
    const params = { targetId: targetInfo["targetId"], flatten: true };
    // A worker that has ended in the meantime needs no settings.
    const attached = await this.running.cdp.send("Target.attachToTarget", params).catch(() => undefined);
    if (attached !== undefined) owner.onWorker({ ...attached, targetInfo });
  }

  #owner(info: CdpFields): Tab | undefined {
    return [...this.#tabs].find((tab) => tab.isIn(info["browserContextId"]));
  }

  async #dispose(tab: Tab): Promise<void> {
    try {
      await within(DISPOSE_TIMEOUT_MS, tab.close(), () => {
        throw new Error("Cannot close the tab: no response");
      });
    } catch {
      // The tab is gone already, or the browser no longer responds and ends with all its tabs.
      this.#kill("The browser does not close a tab; it is stopped");
    }
  }

  #kill(reason: string): void {
    if (this.running.cdp.closed) return;
    this.#hung(reason);
    this.running.kill();
  }
}
