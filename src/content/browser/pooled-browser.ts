import { type CdpFields } from "./cdp.ts";
import { type RunningBrowser } from "./launch.ts";
import { browserStopped } from "./load-error.ts";
import { type Tab } from "./tab.ts";
import { WarmTabs } from "./warm-tabs.ts";

/** A new browser replaces one after this many visits, or when its main process uses this much memory. @bound */
export const MAX_VISITS = 500;
const WORN_BYTES = 512 * 1024 * 1024;

/** A browser answers within milliseconds, even under load; one that visits wait for is asked this often. */
const ASK_EVERY_MS = 200;
/** One that takes longer may be flooded by a page. @bound */
const SLOW_MS = 150;
const HUNG_MS = 6_000;

/** Closing a tab takes milliseconds; a browser that does not manage within this has hung. @bound */
const DISPOSE_TIMEOUT_MS = 3_000;

/** Workers that do not belong to one tab. */
const WORKERS = [{ type: "shared_worker" }, { type: "service_worker" }];

/** A browser with the tabs of its visits and those kept warm for the next. */
export class PooledBrowser {
  readonly running: RunningBrowser;
  readonly warm: WarmTabs;
  readonly #tabs = new Set<Tab>();
  readonly #hung: (reason: string) => void;
  readonly #maxVisits: number;
  #visits = 0;
  #retired = false;
  #asking: ReturnType<typeof setInterval> | undefined;
  #asked = 0;

  /** `hung` is told why, where the browser had to be killed. */
  constructor(running: RunningBrowser, maxVisits: number, hung: (reason: string) => void) {
    this.running = running;
    this.#maxVisits = maxVisits;
    this.warm = new WarmTabs(running);
    this.#hung = hung;
    running.cdp.listen("", (method, params) => this.#onEvent(method, params));
    running.cdp
      .send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }, { type: "iframe" }] })
      .catch(() => undefined);
    const workers = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: WORKERS };
    running.cdp.send("Target.setAutoAttach", workers).catch(() => undefined);
    void running.cdp.ended.then(() => this.#onGone());
  }

  /** Whether it has served its time. */
  get worn(): boolean {
    return this.#visits >= this.#maxVisits || this.running.processes.browserBytes() > WORN_BYTES;
  }

  /** Whether it ends with its last visit. */
  get retired(): boolean {
    return this.#retired;
  }

  enter(tab: Tab): void {
    this.#tabs.add(tab);
    this.#visits += 1;
    this.running.processes.enter();
    this.#asking ??= setInterval(() => this.#ask(), ASK_EVERY_MS);
  }

  /** Closes the tab of a visit that ended, whatever that takes. */
  async leave(tab: Tab): Promise<void> {
    this.running.processes.leave();
    await this.#dispose(tab);
    this.#tabs.delete(tab);
    if (this.#tabs.size > 0) return;
    clearInterval(this.#asking);
    this.#asking = undefined;
    if (this.#retired) await this.running.close();
  }

  /** Has it end when its last visit did. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.warm.close();
    if (this.#tabs.size === 0) await this.running.close();
  }

  /** Ends it now, and every visit it has. */
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
    const now = performance.now();
    if (this.#asked > 0) {
      if (now - this.#asked > HUNG_MS) this.#kill("The browser does not respond; it is stopped");
      else if (now - this.#asked > SLOW_MS) this.running.processes.relieve();
      return;
    }
    this.#asked = now;
    const responded = () => {
      if (performance.now() - now > SLOW_MS) this.running.processes.relieve();
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
    // Tabs that a page opened beside its own are closed.
    if (typeof info["openerId"] !== "string") return;
    this.running.cdp.send("Target.closeTarget", { targetId: info["targetId"] }).catch(() => undefined);
  }

  /** Workers that more than one page may use are nobody's but their context's; each waits until it is let run. */
  #onWorker(info: CdpFields, params: CdpFields): void {
    const owner = this.#owner(info);
    if (owner !== undefined) return owner.onWorker(params);
    const session = String(params["sessionId"]);
    this.running.cdp.send("Runtime.runIfWaitingForDebugger", {}, session).catch(() => undefined);
  }

  #owner(info: CdpFields): Tab | undefined {
    return [...this.#tabs].find((tab) => tab.isIn(info["browserContextId"]));
  }

  async #dispose(tab: Tab): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("Cannot close the tab: no response")), DISPOSE_TIMEOUT_MS);
    try {
      await Promise.race([tab.close(), late]);
    } catch {
      // Gone already, or no longer answering: what is left of it goes with the browser.
      this.#kill("The browser does not close a tab; it is stopped");
    } finally {
      clearTimeout(timer);
    }
  }

  #kill(reason: string): void {
    if (this.running.cdp.closed) return;
    this.#hung(reason);
    this.running.kill();
  }
}
