import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { listenOnLoopback } from "../../../lib/testing/listen.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { ATTACK_EGRESS, type AttackSite, attackUrl, startAttackSite } from "../../egress/testing/attack-site.ts";
import { type ContentService, startContentService } from "../../service.ts";
import { UNTRUSTED } from "../../testing/certificate.ts";
import { baseUrl, call, outcomeOf } from "../../testing/client.ts";
import { browsers } from "../../testing/processes.ts";
import { GUIDE_FLAGS, startBrowser, type StartedBrowser } from "../../testing/remote-browser.ts";
import { startSite, type TestSite } from "../../testing/site.ts";
import { createStateFolder } from "../../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../../testing/visit.ts";
import { BrowserPool } from "../pool.ts";
import { connectRemoteBrowser, type RemoteSettings } from "./remote-browser.ts";
import { RemoteOpener } from "./remote-opener.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const GUIDE = new URL("../../../../docs/guides/several-gateways.md", import.meta.url);

const state = createStateFolder();
const logged: string[] = [];
const log = (_level: string, message: string) => void logged.push(message);
let browser: StartedBrowser;
let site: TestSite;
const closing: (() => unknown)[] = [];
/** The failure of a page whose browser stops. It takes seconds, while other tests run. */
let stuck: Promise<unknown>;

beforeAll(async () => {
  site = startSite();
  browser = await startBrowser(state.path);
  stuck = visitStuck();
  stuck.catch(() => undefined);
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  await browser.kill();
  await site.close();
  state.remove();
});

function settingsOf(endpoint: string, more: Partial<RemoteSettings> = {}): RemoteSettings {
  const url = new URL(endpoint);
  return { endpoint: url, maxPages: 4, proxyAddress: "", allowedAddresses: [], ca: undefined, ...more };
}

async function visitStuck(): Promise<unknown> {
  const own = await startBrowser(state.path);
  closing.push(() => own.kill());
  const pool = new BrowserPool(new RemoteOpener(settingsOf(own.webSocketUrl), log), { log });
  closing.push(() => pool.close());
  await openPage(pool, pageRequestOf(`${site.url}/article`), (page) => page.snapshot());
  process.kill(own.pid, "SIGSTOP");
  const request = pageRequestOf(`${site.url}/article`, { timeoutMs: 60_000 });
  return await openPage(pool, request, (page) => page.snapshot()).catch((error: unknown) => error);
}

/** The reason why a browser cannot be used. */
async function refusal(settings: RemoteSettings): Promise<string> {
  const opened = await connectRemoteBrowser(settings).catch((error: unknown) => String(error));
  if (typeof opened === "string") return opened;
  opened.kill();
  return "none";
}

function service(settings: RemoteSettings): Promise<ContentService> {
  const listen = { hostname: "127.0.0.1", port: 0 };
  const started = startContentService({
    listen,
    stateDir: state.path,
    allowPrivate: true,
    remoteBrowser: settings,
    log,
  });
  closing.push(async () => (await started).close());
  return started;
}

/** A relay to the browser that can change what passes. */
async function relay(change: (fromClient: string) => string): Promise<string> {
  const server = Bun.serve<{ upstream: WebSocket; waiting: string[] }>({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, own) {
      const upstream = new WebSocket(browser.webSocketUrl);
      return own.upgrade(request, { data: { upstream, waiting: [] } })
        ? undefined
        : new Response(null, { status: 400 });
    },
    websocket: {
      open(socket) {
        const { upstream, waiting } = socket.data;
        upstream.addEventListener("message", ({ data }) => void socket.send(String(data)));
        upstream.addEventListener("close", () => socket.close());
        upstream.addEventListener("open", () => {
          for (const text of waiting.splice(0)) upstream.send(text);
        });
      },
      message({ data: { upstream, waiting } }, message) {
        const text = change(String(message));
        if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
        else waiting.push(text);
      },
      close: ({ data: { upstream } }) => upstream.close(),
    },
  });
  closing.push(() => server.stop(true));
  return `ws://127.0.0.1:${server.port}/`;
}

describe("a page of a remote browser", () => {
  let pool: BrowserPool;
  let attacks: AttackSite;

  beforeAll(async () => {
    attacks = await startAttackSite();
    pool = new BrowserPool(new RemoteOpener(settingsOf(`http://127.0.0.1:${browser.port}`), log), { log });
    closing.push(
      () => attacks.close(),
      () => pool.close(),
    );
  });

  test("is loaded through the egress proxy, in a window like that of a local browser", async () => {
    const request = pageRequestOf(`${site.url}/article`);
    const { body } = await openPage(pool, request, (page) => page.snapshot());
    expect(body).toContain("Toll roads - The Daily");
    expect(pool.info).toMatchObject({ source: "remote", sandboxed: false, path: `http://127.0.0.1:${browser.port}` });
    expect(browsers()).toEqual([]);
  });

  test.each<[string, (port: number, own: string) => string, string]>([
    ["its address", (port) => `http://127.0.0.1:${port}/`, ""],
    ["a name", (port) => `http://inside.test:${port}/`, ""],
    ["a redirect", (port, own) => `${own}/redirect?to=${encodeURIComponent(`http://localhost:${port}/`)}&way=`, ""],
    ["WebRTC", (port) => `http://127.0.0.1:${port}/`, "&webrtc"],
  ])("reaches nothing of the private network by %s", async (_what, target, more) => {
    const url = attackUrl(attacks, target(attacks.insidePort, attacks.origin), more);
    const request = pageRequestOf(url, { selector: "#done", waitMs: 1000, pictures: true });
    await openPage(pool, request, (page) => page.snapshot(), ATTACK_EGRESS);
    expect(attacks.reached).toEqual([]);
  });

  test("cannot be the private network itself", async () => {
    const request = pageRequestOf(`http://127.0.0.1:${attacks.insidePort}/`);
    const failure: unknown = await openPage(pool, request, (page) => page.snapshot(), ATTACK_EGRESS).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "address-refused" });
    expect(attacks.reached).toEqual([]);
  });

  test("leaves the tabs of other clients of the browser alone", async () => {
    const shared = await startBrowser(
      state.path,
      GUIDE_FLAGS.filter((flag) => flag !== "--block-new-web-contents"),
    );
    const own = new BrowserPool(new RemoteOpener(settingsOf(shared.webSocketUrl), log), { log });
    closing.push(
      () => shared.kill(),
      () => own.close(),
    );
    expect(await own.failure()).toBeUndefined();
    const other = await connectRemoteBrowser(settingsOf(shared.webSocketUrl));
    const { browserContextId } = await other.cdp.send("Target.createBrowserContext", { disposeOnDetach: true });
    const { targetId } = await other.cdp.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await other.cdp.send("Target.attachToTarget", { targetId, flatten: true });
    const expression = "window.open('about:blank') !== null";
    await other.cdp.send("Runtime.evaluate", { expression, userGesture: true }, String(sessionId));
    const tabs = async () => {
      const { targetInfos } = await other.cdp.send("Target.getTargets");
      // Target.getTargets gives a list of TargetInfo.
      return (targetInfos as { browserContextId: string }[]).filter(
        (info) => info.browserContextId === browserContextId,
      );
    };
    await openPage(own, pageRequestOf(`${site.url}/article`), (page) => page.snapshot());
    expect(await tabs()).toHaveLength(2);
    other.kill();
  });
});

describe("a browser is not used", () => {
  test("if its pages can connect by WebRTC without the proxy", async () => {
    const open = await startBrowser(
      state.path,
      GUIDE_FLAGS.filter((flag) => !flag.includes("webrtc")),
    );
    closing.push(() => open.kill());
    expect(await refusal(settingsOf(open.webSocketUrl))).toContain("its pages can connect by WebRTC");
    expect(await refusal(settingsOf(`http://127.0.0.1:${open.port}`))).toContain("--webrtc-ip-handling-policy");
  });

  test("if it sends pages past the proxy, or to loopback addresses itself", async () => {
    const direct = await relay((text) => text.replace(/"proxyServer":"[^"]*",/, ""));
    expect(await refusal(settingsOf(direct))).toContain(
      "its pages do not reach the proxy of this machine at 127.0.0.1",
    );
    const bypass = await relay((text) => text.replace(/,"proxyBypassList":"[^"]*"/, ""));
    expect(await refusal(settingsOf(bypass))).toContain("can connect to loopback addresses without the proxy");
  });

  test("if its pages come from an address that is not allowed", async () => {
    const settings = settingsOf(browser.webSocketUrl, { allowedAddresses: ["10.0.0.0/8", "::1"] });
    expect(await refusal(settings)).toContain(
      "its pages come from 127.0.0.1, which may not use this machine's proxy; add it to content.browser.allowed_addresses",
    );
  });

  test("if the address of the proxies is not one of this machine", async () => {
    const settings = settingsOf(browser.webSocketUrl, { proxyAddress: "203.0.113.7" });
    expect(await refusal(settings)).toContain("this machine has no address 203.0.113.7");
  });

  test("if its certificate has another name, and no reason contains the URL", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: UNTRUSTED, fetch: () => new Response("no") });
    closing.push(() => server.stop(true));
    const names = ["wss://127.0.0.1", "wss://localhost", "https://127.0.0.1", "ws://127.0.0.1", "http://127.0.0.1"];
    for (const name of names) {
      const reason = await refusal(
        settingsOf(`${name.replace("//", "//hunter2:hunter2@")}:${server.port}/hunter2?t=hunter2`),
      );
      expect([name, reason]).toEqual([name, expect.not.stringContaining("hunter2")]);
      expect(reason).not.toBe("none");
    }
    const trusting = settingsOf(`wss://127.0.0.1:${server.port}/`, { ca: UNTRUSTED.cert });
    expect(await refusal(trusting)).toMatch(/to the WebSocket handshake|IP|altname/i);
  });

  test("if the authorities that the system trusts did not sign its certificate", async () => {
    // The certificate has no name that fits, so a trusted one is refused for its name.
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: UNTRUSTED, fetch: () => new Response("no") });
    closing.push(() => server.stop(true));
    const folder = join(state.path, "authorities");
    mkdirSync(folder);
    writeFileSync(join(folder, "one.pem"), UNTRUSTED.cert);
    const program = `
      const { connectRemoteBrowser } = await import(${JSON.stringify(import.meta.resolve("./remote-browser.ts"))});
      for (const scheme of ["wss", "https"]) {
        const endpoint = new URL(scheme + "://127.0.0.1:${server.port}/");
        const settings = { endpoint, maxPages: 1, proxyAddress: "", allowedAddresses: [], ca: undefined };
        await connectRemoteBrowser(settings).catch((error) => console.log(error.message));
      }`;
    const reasons = async (env: Readonly<Record<string, string>>): Promise<string[]> => {
      const child = Bun.spawn([process.execPath, "-e", program], {
        env: { ...process.env, ...env },
        stderr: "inherit",
      });
      return (await child.stdout.text()).trimEnd().split("\n");
    };
    for (const reason of await reasons({})) expect(reason).toMatch(/self[- ]signed/i);
    const named = await reasons({ SSL_CERT_DIR: folder });
    expect(named).toHaveLength(2);
    for (const reason of named) expect(reason).not.toMatch(/self[- ]signed/i);
  });

  test.each([
    ["responds with an error", "HTTP/1.1 401 Unauthorized\r\n\r\n", "it responds to the WebSocket handshake with 401"],
    ["accepts another key", "HTTP/1.1 101 S\r\nSec-WebSocket-Accept: x\r\n\r\n", "handshake is not valid"],
    ["is not a web server", "220 mail.example\r\n\r\n", "its response is not HTTP"],
    ["closes", "", "the connection was closed"],
  ])("if its endpoint %s", async (_what, response, reason) => {
    const server = createServer((socket: Socket) =>
      socket.on("error", () => undefined).once("data", () => socket.end(response)),
    );
    closing.push(() => server.close());
    const port = await listenOnLoopback(server);
    expect(await refusal(settingsOf(`ws://user:hunter2@127.0.0.1:${port}/hunter2`))).toContain(reason);
  });
});

test("a service starts without its remote browser, and uses it when it is there", async () => {
  const first = await startBrowser(state.path);
  const { port } = first;
  await first.kill();
  const own = await service(settingsOf(`http://127.0.0.1:${port}/?token=hunter2`));
  const scrape = () => call(own, "/scrape", { url: `${site.url}/article`, engine: "browser" });
  const status = async (path: string) => (await fetch(`${baseUrl(own)}${path}`)).status;
  expect(outcomeOf(await scrape())).toBe("503 browser-unavailable");
  expect(outcomeOf(await call(own, "/scrape", { url: `${site.url}/article`, engine: "static" }))).toBe("200");
  expect([await status("/ready"), await status("/health")]).toEqual([200, 503]);
  expect(own.browser).toBeUndefined();

  const second = await startBrowser(state.path, GUIDE_FLAGS, port);
  closing.push(() => second.kill());
  await until(async () => (await scrape()).status === 200, patient(30_000), "the remote browser is used");
  await until(async () => (await status("/health")) === 200, patient(30_000), "the service is healthy");

  const pending = call(own, "/scrape", { url: `${site.url}/never?remote`, engine: "browser", timeout: 60 });
  await site.hit("/never?remote");
  await second.kill();
  expect(outcomeOf(await pending)).toBe("503 browser-unavailable");
  const third = await startBrowser(state.path, GUIDE_FLAGS, port);
  closing.push(() => third.kill());
  await until(async () => (await scrape()).status === 200, patient(30_000), "the next browser is used");
  const health = (await (await fetch(`${baseUrl(own)}/health`)).json()) as { browser: unknown };
  expect(health.browser).toMatchObject({ sandboxed: false });
  expect(logged.join("\n")).not.toContain("hunter2");
  expect(logged.filter((line) => line.startsWith("Cannot use the remote browser")).length).toBeLessThan(6);
});

test("a browser that no longer responds is given up, and its pages end", async () => {
  expect(await stuck).toMatchObject({ code: "browser-unavailable" });
});

test("the guide names the flags of the tested browser", async () => {
  const text = await Bun.file(GUIDE).text();
  expect(GUIDE_FLAGS.filter((flag) => !text.includes(flag))).toEqual([]);
});
