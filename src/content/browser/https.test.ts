import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { ANYWHERE, EgressSession } from "../egress/guard.ts";
import { UNTRUSTED } from "../testing/certificate.ts";
import { proxyPortOf } from "../testing/proxy-of.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { type BrowserProgram, browserPrograms } from "./program/find.ts";
import { launchBrowser } from "./launch.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();

afterAll(() => state.remove());

const TEXT_WHEN_LOADED = `new Promise((loaded) => {
  if (document.readyState === "complete") loaded();
  else addEventListener("load", loaded);
}).then(() => document.body.textContent)`;

function page(): Response {
  return new Response("<p>secret", { headers: { "content-type": "text/html" } });
}

async function bestProgram(): Promise<BrowserProgram> {
  for await (const program of browserPrograms(undefined, state.path)) return program;
  throw new Error("Cannot test the browser: this machine has no browser");
}

test("an HTTPS page loads with only the libraries of the npm package", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: UNTRUSTED, fetch: page });
  const browser = await launchBrowser(await bestProgram(), state.path, { sandboxed: false });
  const egress = new EgressSession({ policy: ANYWHERE });
  const { cdp } = browser;
  const { browserContextId } = await cdp.send("Target.createBrowserContext", {
    proxyServer: `http://127.0.0.1:${await proxyPortOf(egress)}`,
    proxyBypassList: "<-loopback>",
  });
  const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank", browserContextId });
  const attached = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached["sessionId"]);
  await cdp.send("Security.setIgnoreCertificateErrors", { ignore: true }, session);
  const loaded = await cdp.send("Page.navigate", { url: server.url.href }, session);
  expect(loaded["errorText"]).toBeUndefined();
  const read = await cdp.send("Runtime.evaluate", { expression: TEXT_WHEN_LOADED, awaitPromise: true }, session);
  expect(read["result"]).toMatchObject({ value: "secret" });
  egress.close();
  await browser.close();
  await server.stop(true);
});
