import { type CdpConnection, type CdpFields } from "./cdp.ts";

/** Milliseconds without a request after which a page is quiet. */
const QUIET_MS = 500;
/**
 * Limits of the known requests in progress, and of frames and workers with their own session. The watch does not wait
 * for more.
 */
const MAX_PENDING = 10_000;
const MAX_SESSIONS = 1_000;
/**
 * Requests that stay open as long as the page wants. WebSockets are not requests here, so the watch does not wait for
 * them either.
 */
const ENDLESS = new Set(["EventSource", "Ping"]);

/** Parameters of Network.enable: the browser sends events and stores no bodies. */
export const UNBUFFERED = { maxTotalBufferSize: 1, maxResourceBufferSize: 1 };

/** Knows whether a tab has requests in progress: of its page, and of all its frames and workers, in any process. */
export class NetworkWatch {
  readonly #cdp: CdpConnection;
  readonly #changed: () => void;
  /**
   * Requests in progress, with the session that began them. A frame that moves to its own process reports the end of a
   * request that the page's session began.
   */
  readonly #pending = new Map<string, { readonly session: string; readonly frame: string }>();
  readonly #sessions = new Set<string>();
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #idle = false;

  /** Calls `changed` when the tab becomes quiet. */
  constructor(cdp: CdpConnection, changed: () => void) {
    this.#cdp = cdp;
    this.#changed = changed;
  }

  /** True if no request was in progress for half a second. */
  get idle(): boolean {
    return this.#idle;
  }

  async watch(session: string): Promise<void> {
    this.#sessions.add(session);
    await this.#cdp.send("Network.enable", UNBUFFERED, session);
  }

  /** Attaches to frames and workers that begin in a session, each before its scripts run. */
  async attach(session: string): Promise<void> {
    const settings = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await this.#cdp.send("Target.setAutoAttach", settings, session);
  }

  /** Watches a new, paused target from the event Target.attachedToTarget, and lets it run. */
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

  /** A session's page shows another document. No events come for the requests of the previous one. */
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

/** A target that has ended has no requests, so a failed call to it needs no handling. */
function ignoreFailure(sent: Promise<unknown>): void {
  sent.catch(() => undefined);
}
