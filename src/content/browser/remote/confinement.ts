import { randomBytes } from "node:crypto";
import { within } from "../../../lib/time/within.ts";
import { type EgressRules } from "../../egress/forward-proxy.ts";
import { type NetworkAccess } from "../../egress/proxy-access.ts";
import { type BlankTab, closeBlankTab, openBlankTab } from "../program/blank-tab.ts";
import { type CdpFields } from "../program/cdp.ts";
import { type RunningBrowser } from "../program/running-browser.ts";

/** Milliseconds for one call of the check. A browser that cannot connect to the proxy takes longer to notice. @bound */
const CALL_MS = 5_000;

/** Host names that a browser could connect to itself in spite of a proxy, and one that only the proxy can see. */
const BYPASSED: readonly string[] = ["127.0.0.1", "localhost", "169.254.169.254"];

/** Addresses that WebRTC would use without the proxy. Gathering them takes a few milliseconds. */
const WEBRTC = `(async () => {
  if (typeof RTCPeerConnection === "undefined") return "";
  const peer = new RTCPeerConnection();
  const found = [];
  peer.onicecandidate = ({ candidate }) => { if (candidate?.candidate) found.push(candidate.candidate); };
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((done) => {
    peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === "complete") done(); };
    setTimeout(done, ${CALL_MS / 2});
  });
  peer.close();
  return found.join();
})()`;

/**
 * Checks in a tab like those of visits that the browser sends all requests through the tab's egress proxy, and that
 * WebRTC makes no connections beside it. Fails with a one-line reason that says what to do.
 */
export async function assertConfined(browser: RunningBrowser, access: NetworkAccess): Promise<void> {
  const tab = await inTime(openBlankTab(browser));
  const asked = new Set<string>();
  tab.proxy.bind(recording(asked));
  try {
    for (const host of [`${randomBytes(8).toString("hex")}.invalid`, ...BYPASSED]) {
      await inTime(call(browser, tab, "Page.navigate", { url: `http://${host}/` })).catch(() => undefined);
      if (!asked.has(host)) throw new Error(unreached(access, asked.size));
    }
    await inTime(call(browser, tab, "Page.navigate", { url: "about:blank" }));
    const params = { expression: WEBRTC, awaitPromise: true, returnByValue: true };
    const { result } = await inTime(call(browser, tab, "Runtime.evaluate", params));
    // Runtime.evaluate gives a RemoteObject.
    if ((result as CdpFields)["value"] !== "") {
      throw new Error(
        "its pages can connect by WebRTC without the proxy; start it with --webrtc-ip-handling-policy=disable_non_proxied_udp --force-webrtc-ip-handling-policy=disable_non_proxied_udp",
      );
    }
  } finally {
    await inTime(closeBlankTab(browser, tab)).catch(() => browser.kill());
  }
}

/** Rules that note the hosts of all requests and refuse them. */
function recording(asked: Set<string>): EgressRules {
  return {
    addressesOf: async (host) => {
      asked.add(host);
      return "refused";
    },
    fail: () => undefined,
    receive: () => true,
    request: () => true,
  };
}

function unreached({ host, refused }: NetworkAccess, seen: number): string {
  if (refused !== undefined) {
    return `its pages come from ${refused}, which may not use this machine's proxy; add it to content.browser.allowed_addresses`;
  }
  if (seen > 0) return "its pages can connect to loopback addresses without the proxy";
  return `its pages do not reach the proxy of this machine at ${host}; permit connections to it, or set content.browser.proxy_address`;
}

function call(browser: RunningBrowser, tab: BlankTab, method: string, params: CdpFields): Promise<CdpFields> {
  return browser.cdp.send(method, params, tab.session);
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  return within(CALL_MS, promise, () => {
    throw new Error(`it does not respond within ${CALL_MS} ms`);
  });
}
