import { type WaitUntil } from "../page/page.ts";
import { type CdpFields } from "./program/cdp.ts";

/** Seconds. A page that refreshes itself to another address within this time is a redirect. */
const SOON_SECONDS = 1;

/** The page event to wait for first. For `networkidle0` the page must have loaded. */
const LIFECYCLE = { load: "load", domcontentloaded: "DOMContentLoaded", networkidle0: "load" } as const;

/** Follows the documents of a tab's main frame by the browser's events, and detects the awaited page event. */
export class DocumentWatch {
  readonly #frame: string;
  readonly #waitUntil: WaitUntil;
  readonly #isQuiet: () => boolean;
  #loader = "";
  #documents = 0;
  /** The document that sent the awaited page event. */
  #ready = "";
  /** The document that sent a load event. */
  #loaded = "";
  #leaving = false;
  #refreshing = false;
  #refreshMs = Infinity;
  #reached = Promise.withResolvers<void>();

  /** `isQuiet` returns true if the tab has no request in progress. The caller calls `check` when that becomes true. */
  constructor(frame: string, waitUntil: WaitUntil, isQuiet: () => boolean) {
    this.#frame = frame;
    this.#waitUntil = waitUntil;
    this.#isQuiet = isQuiet;
  }

  /** Documents that the tab has shown for this visit. */
  get documents(): number {
    return this.#documents;
  }

  /** True if the awaited event came from a document that does not navigate to another one. */
  get settled(): boolean {
    if (this.#ready === "" || this.#ready !== this.#loader) return false;
    if (this.#waitUntil === "networkidle0" && !this.#isQuiet()) return false;
    // A page that navigates to another one (by a refresh or a script) is not the requested page.
    return !this.#leaving && !this.#refreshing;
  }

  /** The announced milliseconds until the document refreshes itself. Infinity if it does not. */
  get refreshMs(): number {
    return this.#refreshMs;
  }

  /** Resolves when `settled` is true. */
  async settling(): Promise<void> {
    this.#reached = Promise.withResolvers<void>();
    this.check();
    await this.#reached.promise;
  }

  onEvent(method: string, params: CdpFields): void {
    if (method === "Page.lifecycleEvent") return this.#onLifecycle(params);
    if (params["frameId"] === this.#frame) this.#onOwnEvent(method, params);
  }

  /** The main frame shows a new document. */
  onDocument(loader: string): void {
    this.#leaving = false;
    this.#refreshing = false;
    this.#refreshMs = Infinity;
    this.#documents += 1;
    this.#loader = loader;
  }

  #onOwnEvent(method: string, params: CdpFields): void {
    switch (method) {
      case "Page.frameRequestedNavigation":
        if (params["disposition"] === "currentTab") this.#leaving = true;
        return;
      case "Page.frameScheduledNavigation":
        this.#refreshing = Number(params["delay"]) <= SOON_SECONDS;
        this.#refreshMs = Number(params["delay"]) * 1_000;
        return;
      case "Page.frameClearedScheduledNavigation":
        this.#refreshing = false;
        this.#refreshMs = Infinity;
        return this.check();
      case "Page.frameStoppedLoading":
        this.#leaving = false;
        // A document that stopped itself, or whose navigation failed, sends no page event.
        if (this.#loaded !== this.#loader) this.#ready = this.#loader;
        return this.check();
      default:
    }
  }

  #onLifecycle(params: CdpFields): void {
    const { name, frameId } = params;
    if (frameId !== this.#frame) return;
    if (params["loaderId"] !== this.#loader || this.#loader === "") return;
    if (name === "load") this.#loaded = this.#loader;
    if (name !== LIFECYCLE[this.#waitUntil]) return;
    this.#ready = this.#loader;
    this.check();
  }

  check(): void {
    if (this.settled) this.#reached.resolve();
  }
}
