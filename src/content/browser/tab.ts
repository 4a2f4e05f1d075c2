import { TurnpikeError } from "../../lib/errors.ts";
import { type EgressSession, egressError, portOf } from "../egress/guard.ts";
import { type CdpConnection, CdpClosed, CdpError, type CdpFields } from "./cdp.ts";
import { type Deadline } from "../page/deadline.ts";
import { identityOf } from "./identity.ts";
import { type RunningBrowser } from "./launch.ts";
import { type OpenPage, type PageRequest } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { pageOf, type ScriptedPage } from "./page-scripts.ts";

/** Documents that a visit may go through by script or refresh; what goes on for ever must not. */
const MAX_DOCUMENTS = 20;

/** A page that refreshes itself to another address within this time is a redirect; in seconds. */
const SOON_SECONDS = 1;

const LIFECYCLE = { load: "load", domcontentloaded: "DOMContentLoaded", networkidle0: "networkIdle" } as const;

/** A tab of its own in a browser context of its own: nothing of it is seen by another visit. */
export class Tab {
  readonly #browser: RunningBrowser;
  readonly #cdp: CdpConnection;
  readonly #request: PageRequest;
  readonly #egress: EgressSession;
  readonly deadline: Deadline;
  #creating: Promise<void> | undefined;
  #context = "";
  #target = "";
  #session = "";
  #frame = "";
  #loader = "";
  #documents = 0;
  /** The document that the awaited page event came from. */
  #ready = "";
  /** The document whose own load event came. */
  #loaded = "";
  #leaving = false;
  #refreshing = false;
  #reached = Promise.withResolvers<void>();

  constructor(browser: RunningBrowser, visit: Visit) {
    this.#browser = browser;
    this.#cdp = browser.cdp;
    this.#request = visit.request;
    this.#egress = visit.egress;
    this.deadline = visit.deadline;
  }

  /** Loads the page and waits for all that the request asks to wait for. */
  async open(): Promise<OpenPage> {
    const { url, waitMs, selector } = this.#request;
    await this.deadline.race(this.#egress.assertReachable(url));
    this.#creating = this.#createTab();
    await this.deadline.race(this.#creating);
    const page = pageOf({
      call: (method, params) => this.call(method, params),
      frame: () => this.#frame,
      deadline: this.deadline,
    });
    if (selector !== undefined) await page.assertSelector(selector);
    await this.#navigate();
    await this.#settle(page);
    this.deadline.extend(waitMs);
    this.deadline.doing(selector === undefined ? "reading" : "waiting for the selector on");
    await Promise.all([this.deadline.sleep(waitMs), selector === undefined ? undefined : page.waitFor(selector)]);
    this.deadline.doing("reading");
    return page;
  }

  /** Calls a method on the tab; fails with the deadline where no answer comes before it. */
  call(method: string, params: CdpFields = {}): Promise<CdpFields> {
    return this.deadline.race(this.#cdp.send(method, params, this.#session));
  }

  /** Closes the tab and all it opened. Fails where the browser does not do so. */
  async close(): Promise<void> {
    // A tab that was still being made when the deadline came is closed as well.
    await this.#creating?.catch(() => undefined);
    this.#cdp.listen(this.#session, undefined);
    if (this.#context !== "") {
      await this.#cdp.send("Target.disposeBrowserContext", { browserContextId: this.#context });
    }
  }

  async #createTab(): Promise<void> {
    const cdp = this.#cdp;
    const context = await cdp.send("Target.createBrowserContext", {
      disposeOnDetach: true,
      proxyServer: await this.#egress.proxyServer(),
      proxyBypassList: "<-loopback>",
    });
    this.#context = String(context["browserContextId"]);
    const downloads = cdp.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: this.#context });
    const target = await cdp.send("Target.createTarget", { url: "about:blank", browserContextId: this.#context });
    this.#target = String(target["targetId"]);
    // A page's target and its main frame have one id.
    this.#frame = this.#target;
    const attached = await cdp.send("Target.attachToTarget", { targetId: this.#target, flatten: true });
    this.#session = String(attached["sessionId"]);
    cdp.listen(this.#session, (method, params) => this.#onEvent(method, params));
    const { userAgent, stealth } = this.#request;
    // Awaited before the navigation: on a fast page its events come before they are asked for.
    await Promise.all([
      downloads,
      this.call("Page.enable"),
      this.call("Page.setLifecycleEventsEnabled", { enabled: true }),
      this.call("Inspector.enable"),
      this.call("Emulation.setUserAgentOverride", identityOf(this.#browser.product, userAgent, stealth)),
    ]);
    // Of the page that was asked for, not of the empty one that a tab begins with.
    this.#documents = 0;
    this.#loader = "";
    this.#ready = "";
  }

  /** Waits for the page event of a document that is not on its way to another one. */
  async #settle(page: ScriptedPage): Promise<void> {
    let partial: boolean;
    do {
      this.#reached = Promise.withResolvers<void>();
      this.#check();
      await this.deadline.race(this.#reached.promise);
      // A refresh is announced after the page event; once the document answered, its announcement is here.
      partial = await page.isPartial();
    } while (this.#leaving || this.#refreshing || this.#ready !== this.#loader);
    if (partial) {
      throw new TurnpikeError("page-failed", "Cannot load the page: its server broke off in the middle of it");
    }
  }

  async #navigate(): Promise<void> {
    const answer = await this.call("Page.navigate", { url: this.#request.url.href });
    const failure = answer["errorText"];
    if (answer["isDownload"] === true) throw new TurnpikeError("page-failed", "Cannot load the page: it is a download");
    // A tab that crashes before its page is in place aborts the load as well, and its crash is announced just after.
    if (failure === "net::ERR_ABORTED") await this.call("Target.getTargetInfo");
    if (typeof failure === "string" && failure !== "") throw this.#loadError(failure, undefined);
  }

  #onEvent(method: string, params: CdpFields): void {
    switch (method) {
      case "Page.lifecycleEvent":
        return this.#onLifecycle(params);
      case "Page.frameNavigated":
        // The protocol gives a frame object with this event.
        return this.#onNavigated(params["frame"] as CdpFields);
      case "Page.frameRequestedNavigation":
        if (params["frameId"] === this.#frame && params["disposition"] === "currentTab") this.#leaving = true;
        return;
      case "Page.frameScheduledNavigation":
        if (params["frameId"] === this.#frame) this.#refreshing = Number(params["delay"]) <= SOON_SECONDS;
        return;
      case "Page.frameClearedScheduledNavigation":
        if (params["frameId"] !== this.#frame) return;
        this.#refreshing = false;
        return this.#check();
      case "Page.frameStoppedLoading":
        if (params["frameId"] !== this.#frame) return;
        this.#leaving = false;
        // No page event comes of a document that stopped itself, or whose way to another one led nowhere.
        if (this.#loaded !== this.#loader) this.#ready = this.#loader;
        return this.#check();
      case "Page.javascriptDialogOpening":
        // The page stands still until the dialog is answered; the answer to the answer matters to nobody.
        this.#cdp.send("Page.handleJavaScriptDialog", { accept: false }, this.#session).catch(() => undefined);
        return;
      case "Inspector.targetCrashed":
        return this.deadline.stop(
          new TurnpikeError("page-failed", "Cannot load the page: it crashed its tab, or took too much memory"),
        );
      case "Inspector.detached":
        return this.deadline.stop(new TurnpikeError("page-failed", "Cannot load the page: its tab was closed"));
      default:
    }
  }

  #onNavigated(frame: CdpFields): void {
    if (frame["id"] !== this.#frame) return;
    this.#leaving = false;
    this.#refreshing = false;
    this.#documents += 1;
    this.#loader = String(frame["loaderId"]);
    const unreachable = frame["unreachableUrl"];
    if (typeof unreachable === "string") this.deadline.stop(this.#loadError("", unreachable));
    else if (this.#documents > MAX_DOCUMENTS) {
      const detail = `Cannot load the page: it redirects more than ${MAX_DOCUMENTS} times`;
      this.deadline.stop(new TurnpikeError("page-failed", detail));
    }
  }

  #onLifecycle(params: CdpFields): void {
    if (params["frameId"] !== this.#frame || params["loaderId"] !== this.#loader || this.#loader === "") return;
    if (params["name"] === "load") this.#loaded = this.#loader;
    if (params["name"] !== LIFECYCLE[this.#request.waitUntil]) return;
    this.#ready = this.#loader;
    this.#check();
  }

  #check(): void {
    if (this.#ready === "" || this.#ready !== this.#loader) return;
    // A page that is on its way to another one (a refresh, a script's redirect) is not the one that was asked for.
    if (!this.#leaving && !this.#refreshing) this.#reached.resolve();
  }

  /** What a failed document load is to the caller; the egress guard knows more about it than the browser does. */
  #loadError(errorText: string, unreachable: string | undefined): TurnpikeError {
    const url = unreachable !== undefined && URL.canParse(unreachable) ? new URL(unreachable) : undefined;
    const failure = url === undefined ? this.#egress.lastFailure : this.#egress.failureOf(url.hostname, portOf(url));
    if (failure !== undefined) return egressError(failure);
    if (errorText === "net::ERR_TOO_MANY_REDIRECTS") {
      return new TurnpikeError("page-failed", "Cannot load the page: it redirects without end");
    }
    if (errorText === "net::ERR_ABORTED") {
      return new TurnpikeError("page-failed", "Cannot load the page: it is a download, or has no content");
    }
    return new TurnpikeError("page-failed", `Cannot load the page: ${explain(errorText)}`);
  }
}

/** The browser's error names are public and stable ("net::ERR_CERT_DATE_INVALID"); callers can look them up. */
function explain(errorText: string): string {
  const name = /^net::(ERR_[A-Z0-9_]+)$/.exec(errorText)?.[1];
  if (name === "ERR_EMPTY_RESPONSE") return "its server closed the connection without an answer";
  if (name?.startsWith("ERR_CERT_") === true) return `its certificate is not valid (${name})`;
  return name === undefined ? "the browser gave up on it" : `the browser says ${name}`;
}

/** Turns the protocol's own failures into ones for the caller; others pass as they are. */
export function tabError(error: unknown): unknown {
  if (error instanceof CdpClosed) return browserStopped();
  if (error instanceof CdpError) return new TurnpikeError("page-failed", `Cannot read the page: ${error.message}`);
  return error;
}

export function browserStopped(): TurnpikeError {
  return new TurnpikeError("browser-unavailable", "Cannot load the page: the browser stopped; try again");
}
