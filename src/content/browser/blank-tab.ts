import { type ForwardProxy, startForwardProxy } from "../egress/forward-proxy.ts";
import { identityOf } from "./identity.ts";
import { type RunningBrowser } from "./launch.ts";

/** An empty tab in a browser context of its own, whose way out leads nowhere until it is bound to a visit. */
export interface BlankTab {
  readonly context: string;
  /** The ids of the target and of its main frame, which are one. */
  readonly target: string;
  readonly session: string;
  readonly proxy: ForwardProxy;
  /** False once its process is gone. */
  alive(): boolean;
}

/** Opens a tab with all that does not depend on the visit it will have. */
export async function openBlankTab(browser: RunningBrowser): Promise<BlankTab> {
  const { cdp } = browser;
  const proxy = await startForwardProxy();
  let context = "";
  try {
    const created = await cdp.send("Target.createBrowserContext", {
      disposeOnDetach: true,
      proxyServer: `http://127.0.0.1:${proxy.port}`,
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
    // Awaited before any navigation: on a fast page its events come before they are asked for.
    await Promise.all([
      cdp.send("Page.enable", {}, session),
      cdp.send("Page.setLifecycleEventsEnabled", { enabled: true }, session),
      cdp.send("Inspector.enable", {}, session),
      cdp.send("Emulation.setUserAgentOverride", identityOf(browser.product, undefined).override, session),
    ]);
    return { context, target, session, proxy, alive: () => alive };
  } catch (error) {
    proxy.close();
    if (context !== "") await disposeContext(browser, context).catch(() => undefined);
    throw error;
  }
}

/** Closes the tab and all it opened. Fails where the browser does not do so. */
export async function closeBlankTab(browser: RunningBrowser, tab: BlankTab): Promise<void> {
  tab.proxy.close();
  browser.cdp.listen(tab.session, undefined);
  await disposeContext(browser, tab.context);
}

async function disposeContext(browser: RunningBrowser, context: string): Promise<void> {
  await browser.cdp.send("Target.disposeBrowserContext", { browserContextId: context });
}
