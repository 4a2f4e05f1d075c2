import { TurnpikeError } from "../../lib/errors.ts";
import { type EgressSession } from "../egress/guard.ts";
import { type Deadline } from "../page/deadline.ts";
import { DownloadError } from "../page/download.ts";
import { PageExcess } from "../egress/page-excess.ts";
import { type OpenPage, type PageRequest } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { type BlankTab, closeBlankTab } from "./blank-tab.ts";
import { hasBurnt } from "./burning.ts";
import { type CdpConnection, type CdpFields } from "./cdp.ts";
import { DocumentWatch } from "./document-watch.ts";
import { type Identity, identityOf } from "./identity.ts";
import { Interception } from "./interception.ts";
import { type RunningBrowser } from "./launch.ts";
import { loadError } from "./load-error.ts";
import { NetworkWatch } from "./network-watch.ts";
import { pageOf, type ScriptedPage } from "./page-scripts.ts";
import { Stealth } from "./stealth/stealth.ts";

/** Documents that a visit may go through by script or refresh; what goes on for ever must not. */
const MAX_DOCUMENTS = 20;

/** Frames that a visit may make, those counted that are gone; and frames with a process of their own, which other sites have. */
const MAX_FRAMES = 1_000;
const MAX_FRAMES_OF_OTHER_SITES = 64;

/** What pages fetch after they have loaded is waited for so long, and no longer than half of the time that is left. */
const MAX_SETTLING_MS = 3_000;

/** A page that is not busy answers within this time. */
const BUSY_MS = 250;

/** Blank tabs tried for one visit, where those that waited had crashed. */
const MAX_BLANK_TABS = 3;

/** The tab of one visit, in a browser context of its own: nothing of it is seen by another visit. */
export class Tab {
  readonly deadline: Deadline;
  readonly #browser: RunningBrowser;
  readonly #cdp: CdpConnection;
  readonly #take: () => Promise<BlankTab>;
  readonly #visit: Visit;
  readonly #request: PageRequest;
  readonly #egress: EgressSession;
  #taking: Promise<BlankTab> | undefined;
  #blank: BlankTab | undefined;
  #watch: DocumentWatch | undefined;
  #network: NetworkWatch | undefined;
  #interception: Interception | undefined;
  #page: ScriptedPage | undefined;
  #identity: Identity | undefined;
  #stealth: Stealth | undefined;
  readonly #killedBefore: number;
  readonly #measures: boolean;
  /** The process of its page was killed for what it took by itself. */
  #tookTooMuch = false;
  #frames = 0;
  #framesOfOtherSites = 0;

  /** `take` gives a blank tab of the browser. `measures`: the page's processor time is counted, for `hasBurnt`. */
  constructor(browser: RunningBrowser, take: () => Promise<BlankTab>, visit: Visit, measures: boolean) {
    this.#browser = browser;
    this.#cdp = browser.cdp;
    this.#take = take;
    this.#visit = visit;
    this.#request = visit.request;
    this.#egress = visit.egress;
    this.deadline = visit.deadline;
    this.#measures = measures;
    this.#killedBefore = browser.processes.killed;
  }

  /** The page as far as it has come, once it has a document. */
  get unfinished(): OpenPage | undefined {
    const page = this.#page;
    if (page === undefined || this.#watch === undefined || this.#watch.documents === 0) return undefined;
    return {
      ...page,
      snapshot: async (mark, withFrames) => ({ ...(await page.snapshot(mark, withFrames)), complete: false }),
    };
  }

  /** Loads the page and waits for all that the request asks to wait for. */
  async open(): Promise<OpenPage> {
    const { url, waitMs, selector } = this.#request;
    await this.deadline.race(this.#egress.assertReachable(url));
    const { watch, page } = await this.#prepare(MAX_BLANK_TABS);
    if (selector !== undefined) await page.assertSelector(selector);
    await this.#navigate();
    await this.#settle(watch, page);
    if (this.#visit.settles) await this.#idle(watch, page);
    if (!this.#visit.scripted && selector === undefined) await this.#awaitContent(page);
    this.deadline.extend(waitMs);
    this.deadline.doing(selector === undefined ? "reading" : "waiting for the selector on");
    await Promise.all([this.deadline.sleep(waitMs), selector === undefined ? undefined : page.waitFor(selector)]);
    this.deadline.doing("reading");
    return page;
  }

  /** Waits until the page has nothing more to fetch; one that goes to another page meanwhile is followed. */
  async #idle(watch: DocumentWatch, page: ScriptedPage): Promise<void> {
    const longest = Math.min(MAX_SETTLING_MS, this.deadline.leftMs / 2);
    await this.deadline.race(Promise.race([watch.idling(), Bun.sleep(longest)]));
    if (!watch.settled) await this.#settle(watch, page);
  }

  /** Waits while there is nothing to show: data may come a second or two after the page event. */
  async #awaitContent(page: ScriptedPage): Promise<void> {
    const { settles, awaits = [] } = this.#visit;
    await page.waitForContent({ names: awaits, parts: settles, mostMs: Math.floor(this.deadline.leftMs / 2) });
  }

  /** Whether the tab is in this browser context. */
  isIn(context: unknown): boolean {
    return context === this.#blank?.context;
  }

  /** A shared or service worker of the tab's began and waits, by the event Target.attachedToTarget. */
  onWorker(params: CdpFields): void {
    if (this.#stealth !== undefined) return this.#stealth.onAttached(params);
    this.#network?.onAttached(params);
    const session = String(params["sessionId"]);
    const override = this.#identity?.override ?? {};
    this.#cdp.send("Emulation.setUserAgentOverride", override, session).catch(() => undefined);
    this.#cdp.send("Runtime.runIfWaitingForDebugger", {}, session).catch(() => undefined);
  }

  /** A frame of another site began in the tab. */
  onOtherSite(): void {
    this.#framesOfOtherSites += 1;
    if (this.#framesOfOtherSites > MAX_FRAMES_OF_OTHER_SITES) this.deadline.stop(framesError());
  }

  /** Whether the visit ended in a time-out because the page's script leaves no time for anything else. */
  async isBusy(end: unknown): Promise<boolean> {
    if (!isTimeout(end) || this.#page === undefined) return false;
    const responded = this.#send("Runtime.evaluate", { expression: "0" }).then(
      () => false,
      () => false,
    );
    return await Promise.race([responded, Bun.sleep(BUSY_MS).then(() => true)]);
  }

  /** Whether the visit ended because its page used the time up, or was stopped for what it took by itself. */
  async hasBurnt(end: unknown, isBusy: boolean): Promise<boolean> {
    if (!this.#measures) return false;
    if (end instanceof PageExcess) return this.#tookTooMuch;
    if (!isTimeout(end) || this.#page === undefined) return false;
    return await hasBurnt((method) => this.#send(method), { elapsedMs: this.deadline.elapsedMs, isBusy });
  }

  /** Closes the tab and all it opened. Fails where the browser does not do so. */
  async close(): Promise<void> {
    this.#stealth?.close();
    this.#network?.close();
    // A tab that was still being made when the deadline came is closed as well.
    const blank = await this.#taking?.catch(() => undefined);
    if (blank !== undefined) await closeBlankTab(this.#browser, blank);
  }

  /** Takes a blank tab and makes it the visit's own. */
  async #prepare(tries: number): Promise<{ watch: DocumentWatch; page: ScriptedPage }> {
    this.#taking = this.#take();
    const blank = await this.deadline.race(this.#taking);
    this.#egress.adopt(blank.proxy);
    this.#blank = blank;
    this.#network?.close();
    const network = this.#request.waitUntil === "networkidle0" ? this.#networkOf() : undefined;
    this.#network = network;
    const watch = new DocumentWatch(blank.target, this.#request.waitUntil, () => network?.idle ?? true);
    const interception = new Interception((method, params) => this.#send(method, params), blank.target, this.#visit);
    const page = pageOf({
      call: (method, params) => this.#call(method, params),
      frame: () => blank.target,
      deadline: this.deadline,
      shown: (url) => interception.shown(url, watch.documents),
    });
    const crashed = Promise.withResolvers<"crashed">();
    this.#cdp.listen(blank.session, (method) => {
      if (method === "Inspector.targetCrashed") crashed.resolve("crashed");
    });
    const ready = await this.deadline.race(Promise.race([crashed.promise, this.#furnish(interception)]));
    if (ready === "crashed" || !blank.alive()) {
      if (tries <= 1) throw crashError(false);
      await this.deadline.race(closeBlankTab(this.#browser, blank));
      return await this.#prepare(tries - 1);
    }
    this.#watch = watch;
    this.#interception = interception;
    this.#page = page;
    this.#cdp.listen(blank.session, (method, params) => this.#onEvent(method, params));
    return { watch, page };
  }

  #networkOf(): NetworkWatch {
    return new NetworkWatch(this.#cdp, () => this.#watch?.check());
  }

  /** Sets what depends on the visit. The page's process answers the last of it: one that waited may have crashed. */
  async #furnish(interception: Interception): Promise<"ready"> {
    const { userAgent, stealth, window } = this.#request;
    const identity = identityOf(this.#browser.product, userAgent, stealth);
    this.#identity = identity;
    const session = this.#blank?.session ?? "";
    if (stealth) this.#stealth = new Stealth(this.#cdp, identity, Math.random, this.#network);
    await Promise.all([
      this.#network?.watch(session),
      this.#network?.attach(session),
      userAgent !== undefined && this.#send("Emulation.setUserAgentOverride", identity.override),
      this.#stealth?.disguisePage(session),
      interception.start(),
      this.#measures && this.#send("Performance.enable"),
      window !== undefined && this.#send("Emulation.setDeviceMetricsOverride", windowOf(window)),
      this.#send("Runtime.evaluate", { expression: "0" }),
    ]);
    return "ready";
  }

  /** Waits for the page event of a document that is not on its way to another one. */
  async #settle(watch: DocumentWatch, page: ScriptedPage): Promise<void> {
    let partial: boolean;
    do {
      await this.deadline.race(watch.settling());
      // A refresh is announced after the page event; once the document answered, its announcement is here.
      partial = await page.isPartial();
    } while (!watch.settled);
    if (partial) {
      throw new TurnpikeError("page-failed", "Cannot load the page: its server broke off in the middle of it");
    }
  }

  async #navigate(): Promise<void> {
    const response = await this.#call("Page.navigate", { url: this.#request.url.href });
    const failure = response["errorText"];
    if (response["isDownload"] === true) throw new DownloadError("Cannot load the page: it is a download");
    // A tab that crashes before its page is in place aborts the load as well, and its crash is announced just after.
    if (failure === "net::ERR_ABORTED") await this.#call("Target.getTargetInfo");
    if (typeof failure === "string" && failure !== "") throw loadError(this.#egress, failure, undefined);
  }

  #send(method: string, params: CdpFields = {}): Promise<CdpFields> {
    return this.#cdp.send(method, params, this.#blank?.session ?? "");
  }

  /** Calls a method on the tab; fails with the deadline where no response comes before it. */
  #call(method: string, params: CdpFields = {}): Promise<CdpFields> {
    return this.deadline.race(this.#send(method, params));
  }

  #onEvent(method: string, params: CdpFields): void {
    switch (method) {
      case "Fetch.requestPaused":
        return this.#interception?.onPaused(params);
      case "Target.attachedToTarget":
        return (this.#stealth ?? this.#network)?.onAttached(params);
      case "Page.frameNavigated":
        // The protocol gives a frame object with this event.
        return this.#onNavigated(params["frame"] as CdpFields);
      case "Page.javascriptDialogOpening":
        // The page stands still until the dialog is answered; the response to the response matters to nobody.
        this.#send("Page.handleJavaScriptDialog", { accept: false }).catch(() => undefined);
        return;
      case "Page.frameAttached":
        this.#frames += 1;
        if (this.#frames > MAX_FRAMES) this.deadline.stop(framesError());
        return;
      case "Inspector.targetCrashed":
        this.#tookTooMuch = this.#browser.processes.claimExcess();
        return this.deadline.stop(crashError(this.#browser.processes.killed > this.#killedBefore));
      case "Inspector.detached":
        return this.deadline.stop(new TurnpikeError("page-failed", "Cannot load the page: its tab was closed"));
      default:
        this.#network?.onEvent(this.#blank?.session ?? "", method, params);
        this.#watch?.onEvent(method, params);
    }
  }

  #onNavigated(frame: CdpFields): void {
    if (frame["id"] !== this.#blank?.target || this.#watch === undefined) return;
    this.#watch.onDocument(String(frame["loaderId"]));
    this.#network?.onDocument(this.#blank?.session ?? "", String(frame["loaderId"]));
    const unreachable = frame["unreachableUrl"];
    if (typeof unreachable === "string") this.deadline.stop(loadError(this.#egress, "", unreachable));
    else if (this.#watch.documents > MAX_DOCUMENTS) {
      const detail = `Cannot load the page: it redirects more than ${MAX_DOCUMENTS} times`;
      this.deadline.stop(new TurnpikeError("page-failed", detail));
    }
  }
}

function isTimeout(end: unknown): boolean {
  return end instanceof TurnpikeError && end.code === "page-timeout";
}

function windowOf({ width, height }: NonNullable<PageRequest["window"]>): CdpFields {
  return { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 1, mobile: false };
}

function crashError(killed: boolean): TurnpikeError {
  if (killed) return new PageExcess("Cannot load the page: it took too much memory, processor time or threads");
  return new TurnpikeError("page-failed", "Cannot load the page: it crashed its tab");
}

function framesError(): PageExcess {
  const detail = `Cannot load the page: it makes more than ${MAX_FRAMES} frames, or ${MAX_FRAMES_OF_OTHER_SITES} of other sites`;
  return new PageExcess(detail);
}
