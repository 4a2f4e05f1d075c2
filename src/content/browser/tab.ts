import { RedirectError, DownloadError } from "../page/page-errors.ts";
import { KEEP_SHOWN } from "./capture/keep-shown.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { type EgressSession } from "../egress/guard.ts";
import { type Deadline } from "../page/deadline.ts";
import { PageExcess } from "../egress/page-excess.ts";
import { type PictureRequest } from "../page/capture.ts";
import { type ActionResult, type OpenPage, type PageRequest } from "../page/page.ts";
import { runActions, stepFailure, type StepUnderWay } from "./actions/run-actions.ts";
import { NoticeList } from "./actions/notice-list.ts";
import { type Visit } from "../page/visit.ts";
import { type BlankTab, closeBlankTab } from "./program/blank-tab.ts";
import { hasBurnt } from "./burning.ts";
import { type CdpConnection, type CdpFields } from "./program/cdp.ts";
import { DocumentWatch } from "./document-watch.ts";
import { type Identity, identityOf } from "./program/identity.ts";
import { contextCalls, ownCalls, screenCalls } from "./own-settings.ts";
import { languagesOf } from "../page/own-request.ts";
import { Interception } from "./interception.ts";
import { type RunningBrowser } from "./program/running-browser.ts";
import { loadError } from "./load-error.ts";
import { NetworkWatch, UNBUFFERED } from "./program/network-watch.ts";
import { pageOf, type ScriptedPage } from "./page-scripts.ts";
import { PageWaits } from "./page-waits.ts";
import { PendingRequests } from "./pending-requests.ts";
import { collectState, restoreState } from "./session-state.ts";
import { Stealth } from "./stealth/stealth.ts";

/** Maximum number of documents that a visit may go through by scripts or refreshes, so that endless navigation ends. */
const MAX_DOCUMENTS = 20;

/**
 * Limits of the frames that a visit may create, including removed ones, and of frames with their own process, which
 * belong to other sites.
 */
const MAX_FRAMES = 1_000;
const MAX_FRAMES_OF_OTHER_SITES = 64;

/** Milliseconds. A page that is not busy responds within this time. */
const BUSY_MS = 250;

/** Milliseconds in which a page of a session leaves its cookies and storage to it. @bound */
const COLLECT_MS = 20_000;

/** Blank tabs that are tried for one visit if warm tabs have crashed. */
const MAX_BLANK_TABS = 3;

interface Prepared {
  readonly watch: DocumentWatch;
  readonly page: ScriptedPage;
  readonly waits: PageWaits;
}

/** The tab of one visit, in its own browser context, so that no other visit can see its data. */
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
  readonly #requests = new PendingRequests();
  readonly #killedBefore: number;
  readonly #measures: boolean;
  /** The process of its page was killed because it exceeded a limit by itself. */
  #tookTooMuch = false;
  /** Documents before the last step of the caller. */
  #documentsBefore = 0;
  #step: StepUnderWay | undefined;
  #acted: readonly ActionResult[] = [];
  readonly #notices = new NoticeList();
  #waits: PageWaits | undefined;
  /** Origins of the documents that the tab has shown. The session has its cookies once the first one is shown. */
  readonly #origins = new Set<string>();
  #hasLeft = false;
  #frames = 0;
  #framesOfOtherSites = 0;

  /** `take` returns a blank tab of the browser. `measures`: the page's processor time is measured for `hasBurnt`. */
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

  /** The page as far as it has loaded; undefined until it has a document. */
  get unfinished(): OpenPage | undefined {
    const page = this.#page;
    if (page === undefined || this.#watch === undefined || this.#watch.documents === 0) return undefined;
    return {
      ...page,
      acted: this.#acted,
      snapshot: async (options) => ({ ...(await page.snapshot(options)), complete: false }),
      // An unfinished page is examined as a whole.
      glimpse: () => Promise.resolve(undefined),
    };
  }

  /** Loads the page and waits as the request asks. */
  async open(): Promise<OpenPage> {
    const { url, waitMs, selector } = this.#request;
    await this.deadline.race(this.#egress.assertReachable(url));
    const { watch, page, waits } = await this.#prepare(MAX_BLANK_TABS);
    if (selector !== undefined) await page.assertSelector(selector);
    await this.#navigate();
    await waits.settle();
    if (!this.#visit.scripted && selector === undefined) await waits.awaitContent();
    if (this.#visit.settles) await waits.runTimers();
    await this.#act({ watch, page, waits });
    this.deadline.extend(waitMs);
    this.deadline.doing(selector === undefined ? "reading" : "waiting for the selector on");
    await Promise.all([this.deadline.sleep(waitMs), selector === undefined ? undefined : page.waitFor(selector)]);
    this.deadline.doing("reading");
    return { ...page, acted: this.#acted };
  }

  async #act({ watch, page, waits }: Prepared): Promise<void> {
    const { steps } = this.#request;
    if (steps === undefined) return;
    // A wait of the caller is not counted in the time of the page.
    for (const action of steps.actions) if ("ms" in action) this.deadline.extend(action.ms);
    const host = {
      call: (method: string, params: CdpFields) => this.#call(method, params),
      run: (expression: string) => page.run(expression),
      received: (ms: number) => this.deadline.race(this.#requests.received(ms)),
      deadline: this.deadline,
      settled: async () => {
        this.#documentsBefore = watch.documents;
        if (!watch.settled) await waits.settle();
      },
      requests: () => this.#requests.begun,
      picture: (request: PictureRequest) => page.picture(request),
      snapshot: () => page.snapshot({ withFrames: true }),
      takeNotices: () => this.#notices.take(),
    };
    const { actions, pictureOfFailure } = steps;
    this.#acted = await runActions(host, actions, (index, type) => {
      this.#step = { index, type, pictureOfFailure, ask: (method, params) => this.#send(method, params) };
    });
    this.#step = undefined;
  }

  /** The error of a visit: that of the step of its request, if it ended during one. */
  async failureOf(error: unknown): Promise<unknown> {
    return this.#step === undefined ? error : await stepFailure(error, this.#step);
  }

  /** True if the tab is in this browser context. */
  isIn(context: unknown): boolean {
    return context === this.#blank?.context;
  }

  /** Handles a new, paused shared or service worker of the tab, from the event Target.attachedToTarget. */
  onWorker(params: CdpFields): void {
    if (this.#stealth !== undefined) return this.#stealth.onAttached(params);
    this.#network?.onAttached(params);
    const session = String(params["sessionId"]);
    const override = this.#identity?.override ?? {};
    this.#cdp.send("Emulation.setUserAgentOverride", override, session).catch(() => undefined);
    this.#cdp.send("Runtime.runIfWaitingForDebugger", {}, session).catch(() => undefined);
  }

  /** Called when a frame of another site begins in the tab. */
  onOtherSite(): void {
    this.#framesOfOtherSites += 1;
    if (this.#framesOfOtherSites > MAX_FRAMES_OF_OTHER_SITES) this.deadline.stop(framesError());
  }

  /** True if the visit timed out because the page's script leaves no time for anything else. */
  async isBusy(end: unknown): Promise<boolean> {
    if (!isTimeout(end) || this.#page === undefined) return false;
    // Before the first document the browser withholds calls to the page, and no script of it has run.
    if (this.#watch?.documents === 0) return false;
    const responded = this.#send("Runtime.evaluate", { expression: "0" }).then(
      () => false,
      () => false,
    );
    return await within(BUSY_MS, responded, () => true);
  }

  /**
   * True if the visit ended because its page used up the time, or was stopped because it exceeded a limit by itself.
   */
  async hasBurnt(end: unknown, isBusy: boolean): Promise<boolean> {
    if (!this.#measures) return false;
    if (end instanceof PageExcess) return this.#tookTooMuch;
    if (!isTimeout(end) || this.#page === undefined) return false;
    return await hasBurnt((method) => this.#send(method), { elapsedMs: this.deadline.elapsedMs, isBusy });
  }

  /**
   * Gives the session of the visit what the page has left behind, at its first call. Fails if the browser does not respond:
   * the session stays as it is then.
   */
  async leaveState(): Promise<void> {
    const { session } = this.#request;
    const { context } = this.#blank ?? {};
    if (session === undefined || context === undefined || this.#origins.size === 0 || this.#hasLeft) return;
    this.#hasLeft = true;
    const collected = collectState(this.#browser, context, session, this.#origins).then(
      () => true,
      () => false,
    );
    if ((await within(COLLECT_MS, collected)) === true) return;
    throw new TurnpikeError("browser-unavailable", "Cannot keep what the page changed: the browser does not respond");
  }

  /** Closes the tab and all targets that it opened. Fails if the browser does not close them. */
  async close(): Promise<void> {
    this.#stealth?.close();
    this.#network?.close();
    // A tab that was still being opened at the deadline is closed as well.
    const blank = await this.#taking?.catch(() => undefined);
    if (blank !== undefined) await closeBlankTab(this.#browser, blank);
  }

  /** Takes a blank tab and binds it to the visit. */
  async #prepare(tries: number): Promise<Prepared> {
    this.#taking = this.#take();
    const blank = await this.deadline.race(this.#taking);
    this.#egress.adopt(blank.proxy);
    this.#blank = blank;
    const { session } = this.#request;
    if (session !== undefined) await this.deadline.race(restoreState(this.#browser, blank.context, session));
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
      received: (ms) => this.deadline.race(this.#requests.received(ms)),
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
    const waits = new PageWaits(watch, page, this.#visit, (method, params) => this.#call(method, params));
    this.#waits = waits;
    this.#cdp.listen(blank.session, (method, params) => this.#onEvent(method, params));
    return { watch, page, waits };
  }

  #networkOf(): NetworkWatch {
    return new NetworkWatch(this.#cdp, () => this.#watch?.check());
  }

  /**
   * Applies the visit's settings. The page's process responds to the last of them, which shows whether a warm tab has
   * crashed.
   */
  async #furnish(interception: Interception): Promise<"ready"> {
    const { userAgent, stealth, window, own, url, steps } = this.#request;
    const languages = own?.language === undefined ? undefined : languagesOf(own.language);
    const identity = identityOf(this.#browser.product, userAgent, { stealth, languages });
    this.#identity = identity;
    const session = this.#blank?.session ?? "";
    if (stealth) {
      this.#stealth = new Stealth(this.#cdp, identity, Math.random, {
        network: this.#network,
        timeZone: own?.timeZone,
      });
    }
    await Promise.all([
      this.#network?.watch(session),
      this.#network?.attach(session),
      // Only for a picture of the window: it costs 6 % of the CPU time of a PDF (npm run bench -- content --only pdf-eager).
      (window ?? steps) !== undefined && this.#network === undefined && this.#send("Network.enable", UNBUFFERED),
      (userAgent ?? languages) !== undefined && this.#send("Emulation.setUserAgentOverride", identity.override),
      this.#stealth?.disguisePage(session),
      interception.start(),
      this.#measures && this.#send("Performance.enable"),
      ...screenCalls(window, own?.viewport).map(([method, params]) => this.#send(method, params)),
      ...(own === undefined ? [] : ownCalls(own)).map(([method, params]) => this.#send(method, params)),
      ...(own === undefined ? [] : contextCalls(own, url, this.#blank?.context ?? "")).map(([method, params]) =>
        this.#cdp.send(method, params),
      ),
      window?.fullPage === true && this.#send("Page.addScriptToEvaluateOnNewDocument", { source: KEEP_SHOWN }),
      this.#send("Runtime.evaluate", { expression: "0" }),
    ]);
    return "ready";
  }

  async #navigate(): Promise<void> {
    const response = await this.#call("Page.navigate", { url: this.#request.url.href });
    const failure = response["errorText"];
    if (response["isDownload"] === true) throw new DownloadError("Cannot load the page: it is a download");
    // A tab that crashes before its page has loaded aborts the load as well, and its crash event comes just after.
    if (failure === "net::ERR_ABORTED") await this.#call("Target.getTargetInfo");
    if (typeof failure === "string" && failure !== "") throw loadError(this.#egress, failure, undefined);
  }

  #send(method: string, params: CdpFields = {}): Promise<CdpFields> {
    return this.#cdp.send(method, params, this.#blank?.session ?? "");
  }

  /** Calls a method on the tab. Fails with the deadline if no response comes before it. */
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
        this.#notices.dialog(params);
        // The dialog blocks the page until it is closed. The response of the browser does not matter. A page may be left.
        this.#send("Page.handleJavaScriptDialog", { accept: params["type"] === "beforeunload" }).catch(() => undefined);
        return;
      case "Page.windowOpen":
        return this.#notices.window(params);
      case "Page.frameAttached":
        this.#frames += 1;
        if (this.#frames > MAX_FRAMES) this.deadline.stop(framesError());
        return;
      case "Inspector.targetCrashed":
        this.#tookTooMuch = this.#browser.processes.claimExcess();
        return this.deadline.stop(crashError(this.#browser.processes.killed > this.#killedBefore));
      case "Emulation.virtualTimeBudgetExpired":
        return this.#waits?.clockStopped();
      case "Inspector.detached":
        return this.deadline.stop(new TurnpikeError("page-failed", "Cannot load the page: its tab was closed"));
      default:
        this.#requests.onEvent(method, params);
        this.#network?.onEvent(this.#blank?.session ?? "", method, params);
        this.#watch?.onEvent(method, params);
    }
  }

  #onNavigated(frame: CdpFields): void {
    if (frame["id"] !== this.#blank?.target || this.#watch === undefined) return;
    this.#watch.onDocument(String(frame["loaderId"]));
    const origin = String(frame["securityOrigin"]);
    if (/^https?:/.test(origin)) {
      this.#origins.delete(origin);
      this.#origins.add(origin);
    }
    this.#requests.onDocument();
    this.#waits?.clockStopped();
    this.#network?.onDocument(this.#blank?.session ?? "", String(frame["loaderId"]));
    const unreachable = frame["unreachableUrl"];
    if (typeof unreachable === "string") {
      // The reason of the first document's failure is in the response to Page.navigate, which may come after this event.
      if (this.#watch.documents > 1) this.deadline.stop(loadError(this.#egress, "", unreachable));
    } else if (this.#watch.documents - this.#documentsBefore > MAX_DOCUMENTS) {
      this.deadline.stop(new RedirectError(`redirects more than ${MAX_DOCUMENTS} times`));
    }
  }
}

function isTimeout(end: unknown): boolean {
  return end instanceof TurnpikeError && end.code === "page-timeout";
}

function crashError(killed: boolean): TurnpikeError {
  if (killed) return new PageExcess("Cannot load the page: it took too much memory, processor time or threads");
  return new TurnpikeError("page-failed", "Cannot load the page: it crashed its tab");
}

function framesError(): PageExcess {
  const detail = `Cannot load the page: it makes more than ${MAX_FRAMES} frames, or ${MAX_FRAMES_OF_OTHER_SITES} of other sites`;
  return new PageExcess(detail);
}
