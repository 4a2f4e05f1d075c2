import { type CdpConnection, type CdpFields } from "./cdp.ts";

/** Milliseconds without a request after which a page is quiet. */
const QUIET_MS = 500;
/** Requests under way that are known at one time, and frames and workers with a session of their own; more are not waited for. */
const MAX_PENDING = 10_000;
const MAX_SESSIONS = 1_000;
/** What stays open for as long as the page wants. WebSockets are no requests here, and so are not waited for either. */
const ENDLESS = new Set(["EventSource", "Ping"]);

/** Knows whether a tab has requests under way: of its page, and of all frames and workers in it, whatever process they have. */
export class NetworkWatch {
  readonly #cdp: CdpConnection;
  readonly #changed: () => void;
  /** Requests under way. A frame that gets a process of its own tells of the end of a request that its page began. */
  readonly #pending = new Map<string, { readonly session: string; readonly frame: string }>();
  readonly #sessions = new Set<string>();
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #idle = false;

  /** `changed` is called when the tab becomes quiet. */
  constructor(cdp: CdpConnection, changed: () => void) {
    this.#cdp = cdp;
    this.#changed = changed;
  }

  /** Whether nothing was under way for half a second. */
  get idle(): boolean {
    return this.#idle;
  }

  /** Watches a session's requests. */
  async watch(session: string): Promise<void> {
    this.#sessions.add(session);
    await this.#cdp.send("Network.enable", { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }, session);
  }

  /** Has frames and workers that begin in a session attached, each before any script of it runs. */
  async attach(session: string): Promise<void> {
    const settings = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await this.#cdp.send("Target.setAutoAttach", settings, session);
  }

  /** Watches what began and waits, by the event Target.attachedToTarget, and lets it run. */
  onAttached(params: CdpFields): void {
    const session = String(params["sessionId"]);
    // The protocol gives a TargetInfo with this event. A frame's target has the frame's id.
    this.#forget(({ frame }) => frame === (params["targetInfo"] as CdpFields)["targetId"]);
    if (this.#sessions.size < MAX_SESSIONS) {
      this.#cdp.listen(session, (method, more) => {
        if (method === "Target.attachedToTarget") this.onAttached(more);
        else this.onEvent(session, method, more);
      });
      ignoreFailure(Promise.all([this.watch(session), this.attach(session)]));
    }
    ignoreFailure(this.#cdp.send("Runtime.runIfWaitingForDebugger", {}, session));
  }

  onEvent(session: string, method: string, params: CdpFields): void {
    switch (method) {
      case "Network.requestWillBeSent":
        if (!ENDLESS.has(String(params["type"]))) this.#begin(session, params);
        return;
      case "Network.loadingFinished":
      case "Network.loadingFailed":
        this.#pending.delete(String(params["requestId"]));
        return this.#look();
      case "Target.detachedFromTarget":
        return this.#leave(String(params["sessionId"]));
      default:
    }
  }

  /** The page of a session shows another document: nothing is heard of the requests of the one before. */
  onDocument(session: string, loader: string): void {
    for (const [request, { session: teller }] of this.#pending) {
      if (teller === session && request !== loader) this.#pending.delete(request);
    }
    this.#look();
  }

  close(): void {
    clearTimeout(this.#quiet);
    for (const session of this.#sessions) this.#cdp.listen(session, undefined);
    this.#pending.clear();
  }

  #begin(session: string, { requestId, frameId }: CdpFields): void {
    clearTimeout(this.#quiet);
    this.#idle = false;
    if (this.#pending.size < MAX_PENDING) this.#pending.set(String(requestId), { session, frame: String(frameId) });
  }

  #leave(session: string): void {
    this.#cdp.listen(session, undefined);
    this.#sessions.delete(session);
    this.#forget(({ session: teller }) => teller === session);
    this.#look();
  }

  #forget(isGone: (request: { readonly session: string; readonly frame: string }) => boolean): void {
    for (const [id, request] of this.#pending) if (isGone(request)) this.#pending.delete(id);
  }

  #look(): void {
    clearTimeout(this.#quiet);
    if (this.#pending.size > 0) return;
    this.#quiet = setTimeout(() => {
      this.#idle = true;
      this.#changed();
    }, QUIET_MS);
  }
}

/** What is gone has no requests. */
function ignoreFailure(sent: Promise<unknown>): void {
  sent.catch(() => undefined);
}
