import { type WaitUntil } from "../page/page.ts";
import { type CdpFields } from "./cdp.ts";

/** A page that refreshes itself to another address within this time is a redirect; in seconds. */
const SOON_SECONDS = 1;

/** The event that is waited for first; a page that is to be quiet must have loaded. */
const LIFECYCLE = { load: "load", domcontentloaded: "DOMContentLoaded", networkidle0: "load" } as const;

/** Follows the documents of a tab's main frame by the browser's events, and knows when the awaited page event came. */
export class DocumentWatch {
  readonly #frame: string;
  readonly #waitUntil: WaitUntil;
  readonly #isQuiet: () => boolean;
  #loader = "";
  #documents = 0;
  /** The document that the awaited page event came from. */
  #ready = "";
  /** The document whose own load event came. */
  #loaded = "";
  #leaving = false;
  #refreshing = false;
  #reached = Promise.withResolvers<void>();
  /** The document that has had no connection for half a second. */
  #idle = "";
  #idling = Promise.withResolvers<void>();

  /** `isQuiet` tells whether the tab has no request under way; call `check` when it becomes true. */
  constructor(frame: string, waitUntil: WaitUntil, isQuiet: () => boolean) {
    this.#frame = frame;
    this.#waitUntil = waitUntil;
    this.#isQuiet = isQuiet;
  }

  /** Documents that the tab has had for this visit. */
  get documents(): number {
    return this.#documents;
  }

  /** Whether the awaited event came from a document that is not on its way to another one. */
  get settled(): boolean {
    if (this.#ready === "" || this.#ready !== this.#loader) return false;
    if (this.#waitUntil === "networkidle0" && !this.#isQuiet()) return false;
    // A page that is on its way to another one (a refresh, a script's redirect) is not the one that was asked for.
    return !this.#leaving && !this.#refreshing;
  }

  /** Resolves when `settled` is true. */
  async settling(): Promise<void> {
    this.#reached = Promise.withResolvers<void>();
    this.check();
    await this.#reached.promise;
  }

  /** Resolves when the present document, or the one that takes its place, has had no connection for half a second. */
  async idling(): Promise<void> {
    this.#idling = Promise.withResolvers<void>();
    if (this.#idle === this.#loader && this.#loader !== "") this.#idling.resolve();
    await this.#idling.promise;
  }

  onEvent(method: string, params: CdpFields): void {
    if (method === "Page.lifecycleEvent") return this.#onLifecycle(params);
    if (params["frameId"] === this.#frame) this.#onOwnEvent(method, params);
  }

  /** The main frame shows a new document. */
  onDocument(loader: string): void {
    this.#leaving = false;
    this.#refreshing = false;
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
        return;
      case "Page.frameClearedScheduledNavigation":
        this.#refreshing = false;
        return this.check();
      case "Page.frameStoppedLoading":
        this.#leaving = false;
        // No page event comes of a document that stopped itself, or whose way to another one led nowhere.
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
    if (name === "networkIdle") {
      this.#idle = this.#loader;
      this.#idling.resolve();
    }
    if (name !== LIFECYCLE[this.#waitUntil]) return;
    this.#ready = this.#loader;
    this.check();
  }

  /** Looks whether it is settled now. */
  check(): void {
    if (this.settled) this.#reached.resolve();
  }
}
