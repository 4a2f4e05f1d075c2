import { type CdpFields } from "../browser/program/cdp.ts";
import { browserPrograms } from "../browser/program/find.ts";
import { launchBrowser } from "../browser/launch.ts";
import { createStateFolder } from "./state-folder.ts";

/** A tab of a browser of its own, driven by protocol calls. */
export interface RawTab {
  call(method: string, params: CdpFields): Promise<CdpFields>;
  readonly frameId: string;
  /** Shows a document of this HTML, whose scripts run. */
  show(html: string): Promise<void>;
  /** Runs a script of the page's own. */
  run(expression: string): Promise<unknown>;
  /** Makes a script context that the page cannot see, and gives its id. */
  world(): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts a browser with one empty tab. */
export async function openRawTab(): Promise<RawTab> {
  const state = createStateFolder();
  const { value: program } = await browserPrograms(undefined, state.path).next();
  if (program === undefined) throw new Error("Cannot open a tab: there is no browser");
  const browser = await launchBrowser(program, state.path, { sandboxed: false });
  const { targetId } = await browser.cdp.send("Target.createTarget", { url: "about:blank" });
  const session = String((await browser.cdp.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
  const call = (method: string, params: CdpFields) => browser.cdp.send(method, params, session);
  const frameId = String(targetId);
  return {
    call,
    frameId,
    async show(html) {
      await call("Page.navigate", { url: `data:text/html,${encodeURIComponent(html)}` });
      await call("Runtime.evaluate", { expression: LOADED, awaitPromise: true });
    },
    async run(expression) {
      const response = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      // The protocol gives a RemoteObject as `result`.
      return (response["result"] as CdpFields)["value"];
    },
    async world() {
      return (await call("Page.createIsolatedWorld", { frameId }))["executionContextId"];
    },
    async close() {
      await browser.close();
      state.remove();
    },
  };
}

const LOADED = `new Promise((resolve) => {
  if (document.readyState === "complete") resolve();
  else addEventListener("load", resolve);
})`;
