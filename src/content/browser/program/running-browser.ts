import { type ProxyAccess } from "../../egress/proxy-access.ts";
import { type CdpConnection, type CdpFields } from "./cdp.ts";
import { type ProcessWatch } from "./process-watch.ts";

/** Limits the resources of the pages' processes. */
export type PageProcesses = Pick<
  ProcessWatch,
  "killed" | "claimExcess" | "enter" | "leave" | "browserBytes" | "relieve"
>;

/** A browser that has responded to its first call. */
export interface RunningBrowser {
  readonly cdp: CdpConnection;
  readonly processes: PageProcesses;
  /** The egress proxies of its tabs. */
  readonly proxyAccess: ProxyAccess;
  /** Calls for each new tab, for settings that the browser was not started with. */
  readonly tabCalls: readonly (readonly [method: string, params: CdpFields])[];
  /**
   * True: new shared and service workers wait until their settings are made. False for a browser with other clients:
   * their pages could not open windows, because Chromium 153 then stops every new window.
   */
  readonly pausesWorkers: boolean;
  /** Its name and version, for example "HeadlessChrome/153.0.8010.0". */
  readonly product: string;
  /** Settles when the browser has ended, and its folder is removed. */
  readonly exited: Promise<void>;
  /** Ends it at once, for a browser that no longer responds. A remote browser is disconnected, and drops our pages. */
  kill(): void;
  /** Asks the browser to end, and waits until it has ended. A remote browser is disconnected. */
  close(): Promise<void>;
}
