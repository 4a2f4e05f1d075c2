import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createStateFolder } from "../../testing/state-folder.ts";
import { openBlankTab } from "./blank-tab.ts";
import { CdpClosed } from "./cdp.ts";
import { browserPrograms } from "./find.ts";
import { launchBrowser } from "../launch.ts";
import { type RunningBrowser } from "./running-browser.ts";
import { patient } from "../../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
afterAll(() => state.remove());

async function launch(): Promise<RunningBrowser> {
  for await (const program of browserPrograms(undefined, state.path)) {
    return await launchBrowser(program, state.path, { sandboxed: false });
  }
  throw new Error("Cannot test: there is no browser");
}

test.each([
  "Target.createBrowserContext",
  "Browser.setDownloadBehavior",
  "Target.createTarget",
  "Target.attachToTarget",
  "Page.enable",
  "Emulation.setUserAgentOverride",
])("a browser that dies at %s fails the tab that is being opened, and nothing else", async (last) => {
  const browser = await launch();
  const { cdp } = browser;
  const send = cdp.send.bind(cdp);
  cdp.send = (method, params, sessionId) => {
    const response = send(method, params, sessionId);
    if (method === last) browser.kill();
    return response;
  };
  // An unhandled failure would end the process, and this test with it.
  expect(await openBlankTab(browser).catch((error: unknown) => error)).toBeInstanceOf(CdpClosed);
  await browser.exited;
});
