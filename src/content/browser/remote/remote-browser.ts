import { messageOf } from "../../../lib/caught.ts";
import { systemTrust } from "../../../lib/net/system-trust.ts";
import { within } from "../../../lib/time/within.ts";
import { NetworkAccess, plainAddress } from "../../egress/proxy-access.ts";
import { CdpConnection, CdpError, type CdpFields } from "../program/cdp.ts";
import { type PageProcesses, type RunningBrowser } from "../program/running-browser.ts";
import { assertConfined } from "./confinement.ts";
import { connectWebSocket } from "./connect-websocket.ts";
import { webSocketUrl } from "./endpoint.ts";

/** A browser that others run, as `content.browser` names it. */
export interface RemoteSettings {
  /** A ws or wss URL, or the http or https URL of a browser's debugging port. */
  readonly endpoint: URL;
  /** Pages that it has open at one time. */
  readonly maxPages: number;
  /** The IP address of this machine at which the browser reaches the egress proxies. Empty: that of the connection. */
  readonly proxyAddress: string;
  /** Addresses and networks of the browsers. Empty: the address of the endpoint. */
  readonly allowedAddresses: readonly string[];
  /** PEM certificates that are trusted in place of the system's. */
  readonly ca: string | undefined;
}

/** Milliseconds for each step of a connection: to open it, and for the first response. @bound */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds between two checks of a connection, and until a check without a response closes it. @bound */
const PING_EVERY_MS = 5_000;
const PING_TIMEOUT_MS = 10_000;

/** The name and the version of a browser, as Browser.getVersion gives them. They are logged. */
const PRODUCT = /^[!-.0-~]{1,100}\/[!-~]{1,100}$/;

/** Its processes belong to the operator of the browser, who limits them. */
const PROCESSES_OF_OTHERS: PageProcesses = {
  killed: 0,
  claimExcess: () => false,
  enter: () => undefined,
  leave: () => undefined,
  browserBytes: () => 0,
  relieve: () => undefined,
};

/** Settings that a local browser gets by its flags (browser/launch.ts). */
const TAB_CALLS: readonly (readonly [string, CdpFields])[] = [
  ["Emulation.setDeviceMetricsOverride", { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false }],
  ["Emulation.setScrollbarsHidden", { hidden: true }],
  ["Emulation.setFocusEmulationEnabled", { enabled: true }],
  ["Emulation.setLocaleOverride", { locale: "en-US" }],
];

/**
 * Connects to a remote browser, and checks that its pages reach nothing beside the egress proxy. Fails with a one-line
 * reason that does not contain the endpoint's URL.
 */
export async function connectRemoteBrowser(settings: RemoteSettings): Promise<RunningBrowser> {
  const { endpoint } = settings;
  const isTls = endpoint.protocol === "wss:" || endpoint.protocol === "https:";
  const ca = settings.ca ?? (isTls ? systemTrust().join("\n") : undefined);
  const url = await webSocketUrl(endpoint, CONNECT_TIMEOUT_MS, ca);
  const connection = await connectWebSocket(url, { timeoutMs: CONNECT_TIMEOUT_MS, ca });
  const cdp = new CdpConnection(connection.wire);
  try {
    const product = await productOf(cdp);
    const allowed =
      settings.allowedAddresses.length > 0 ? settings.allowedAddresses : [plainAddress(connection.remoteAddress)];
    const access = new NetworkAccess(settings.proxyAddress || plainAddress(connection.localAddress), allowed);
    const browser: RunningBrowser = {
      cdp,
      processes: PROCESSES_OF_OTHERS,
      proxyAccess: access,
      tabCalls: TAB_CALLS,
      pausesWorkers: false,
      product,
      exited: cdp.ended,
      kill: () => cdp.close(),
      // Browser contexts end with the connection that made them.
      close: async () => cdp.close(),
    };
    await assertConfined(browser, access);
    watch(cdp);
    return browser;
  } catch (error) {
    cdp.close();
    throw new Error(reasonOf(error, settings), { cause: error });
  }
}

async function productOf(cdp: CdpConnection): Promise<string> {
  const version = await within(CONNECT_TIMEOUT_MS, cdp.send("Browser.getVersion"));
  const product = version?.["product"];
  if (typeof product === "string" && PRODUCT.test(product)) return product;
  throw new Error("it does not speak the DevTools protocol");
}

function reasonOf(error: unknown, { proxyAddress }: RemoteSettings): string {
  // The text of a pool may repeat the token of the endpoint's URL.
  if (error instanceof CdpError) return `it refuses ${error.method}`;
  const message = messageOf(error);
  if (!/EADDRNOTAVAIL|EADDRINUSE/.test(message)) return message;
  return `this machine has no address ${proxyAddress}, which content.browser.proxy_address names`;
}

/** Closes the connection when the browser no longer responds, also between visits. */
function watch(cdp: CdpConnection, clock: () => number = () => performance.now()): void {
  let askedAt: number | undefined;
  const timer = setInterval(() => {
    if (askedAt !== undefined) {
      if (clock() - askedAt > PING_TIMEOUT_MS) cdp.close();
      return;
    }
    askedAt = clock();
    const responded = () => {
      askedAt = undefined;
    };
    cdp.send("Browser.getVersion").then(responded, responded);
  }, PING_EVERY_MS);
  timer.unref();
  void cdp.ended.then(() => clearInterval(timer));
}
