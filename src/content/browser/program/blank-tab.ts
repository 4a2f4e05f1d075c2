import { type ForwardProxy, startForwardProxy } from "../../egress/forward-proxy.ts";
import { proxyUrl } from "../../egress/proxy-access.ts";
import { identityOf } from "./identity.ts";
import { type RunningBrowser } from "./running-browser.ts";

/** An empty tab in its own browser context. Until it is bound to a visit, its egress proxy refuses all connections. */
export interface BlankTab {
  readonly context: string;
  /** The id of the target, which is also the id of its main frame. */
  readonly target: string;
  readonly session: string;
  readonly proxy: ForwardProxy;
  /** False after its process has ended. */
  alive(): boolean;
}

/** Opens a tab with all settings that do not depend on the visit. */
export async function openBlankTab(browser: RunningBrowser): Promise<BlankTab> {
  const { cdp } = browser;
  const proxy = await startForwardProxy(browser.proxyAccess);
  let context = "";
  try {
    const created = await cdp.send("Target.createBrowserContext", {
      disposeOnDetach: true,
      proxyServer: proxyUrl(browser.proxyAccess, proxy.port),
      proxyBypassList: "<-loopback>",
    });
    context = String(created["browserContextId"]);
    const [opened] = await Promise.all([
      cdp.send("Target.createTarget", { url: "about:blank", browserContextId: context }),
      cdp.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: context }),
    ]);
    const target = String(opened["targetId"]);
    const attached = await cdp.send("Target.attachToTarget", { targetId: target, flatten: true });
    const session = String(attached["sessionId"]);
    let alive = true;
    cdp.listen(session, (method) => {
      if (method === "Inspector.targetCrashed" || method === "Inspector.detached") alive = false;
    });
    // Awaited before any navigation: a fast page could otherwise send its events before they are enabled.
    await Promise.all([
      cdp.send("Page.enable", {}, session),
      cdp.send("Page.setLifecycleEventsEnabled", { enabled: true }, session),
      cdp.send("Inspector.enable", {}, session),
      cdp.send("Emulation.setUserAgentOverride", identityOf(browser.product, undefined).override, session),
      ...browser.tabCalls.map(([method, params]) => cdp.send(method, params, session)),
    ]);
    return { context, target, session, proxy, alive: () => alive };
  } catch (error) {
    proxy.close();
    if (context !== "") await disposeContext(browser, context).catch(() => undefined);
    throw error;
  }
}

/** Closes the tab and all targets that it opened. Fails if the browser does not close them. */
export async function closeBlankTab(browser: RunningBrowser, tab: BlankTab): Promise<void> {
  tab.proxy.close();
  browser.cdp.listen(tab.session, undefined);
  await disposeContext(browser, tab.context);
}

async function disposeContext(browser: RunningBrowser, context: string): Promise<void> {
  await browser.cdp.send("Target.disposeBrowserContext", { browserContextId: context });
}
