import { type CdpConnection, type CdpFields } from "../program/cdp.ts";
import { type Identity } from "../program/identity.ts";
import { type NetworkWatch } from "../program/network-watch.ts";
import { disguiseScript } from "./disguise.ts";
import { drawProfile } from "./profile.ts";

/** Maximum number of frames and workers of one visit that are disguised. Further ones run undisguised. */
const MAX_SCOPES = 1_000;

/** Shows an ordinary computer to the pages of one visit, in every frame and worker. */
export class Stealth {
  readonly #cdp: CdpConnection;
  readonly #identity: Identity;
  readonly #script: string;
  readonly #timeZone: string;
  readonly #sessions = new Set<string>();
  readonly #network: NetworkWatch | undefined;

  /** `random` returns numbers from 0 up to, but not including, 1. `network` watches the disguised targets as well. `timeZone` is the caller's. */
  constructor(
    cdp: CdpConnection,
    identity: Identity,
    random: () => number,
    { network, timeZone }: { readonly network?: NetworkWatch | undefined; readonly timeZone?: string | undefined } = {},
  ) {
    this.#cdp = cdp;
    this.#network = network;
    this.#identity = identity;
    const profile = drawProfile(identity.system ?? "linux", random);
    this.#script = disguiseScript(profile, identity);
    this.#timeZone = timeZone ?? profile.timeZone;
  }

  /** Disguises a page, or a frame in a process of its own, before its scripts run. */
  async disguisePage(session: string): Promise<void> {
    await Promise.all([
      this.#cdp.send("Page.addScriptToEvaluateOnNewDocument", { source: this.#script }, session),
      this.#disguise(session),
    ]);
  }

  /** Disguises a new, paused target from the event Target.attachedToTarget, and lets it run. */
  onAttached(params: CdpFields): void {
    const session = String(params["sessionId"]);
    // The protocol gives a TargetInfo with this event.
    const isFrame = (params["targetInfo"] as CdpFields)["type"] === "iframe";
    if (this.#sessions.size < MAX_SCOPES) {
      this.#sessions.add(session);
      this.#cdp.listen(session, (method, more) => {
        if (method === "Target.attachedToTarget") this.onAttached(more);
        else this.#network?.onEvent(session, method, more);
      });
      if (this.#network !== undefined) this.#ask(this.#network.watch(session));
      if (isFrame) this.#ask(this.disguisePage(session));
      else {
        this.#ask(this.#disguise(session));
        this.#ask(this.#cdp.send("Runtime.evaluate", { expression: this.#script }, session));
      }
    }
    this.#ask(this.#cdp.send("Runtime.runIfWaitingForDebugger", {}, session));
  }

  close(): void {
    for (const session of this.#sessions) this.#cdp.listen(session, undefined);
  }

  async #disguise(session: string): Promise<void> {
    await Promise.all([
      this.#cdp.send("Emulation.setUserAgentOverride", this.#identity.override, session),
      this.#cdp.send("Emulation.setTimezoneOverride", { timezoneId: this.#timeZone }, session),
      this.#cdp.send(
        "Target.setAutoAttach",
        { autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
        session,
      ),
    ]);
  }

  /** A target that has ended, or has no such setting, is left unchanged. */
  #ask(sent: Promise<unknown>): void {
    sent.catch(() => undefined);
  }
}
