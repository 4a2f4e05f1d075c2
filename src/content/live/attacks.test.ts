/** Clients and pages that try to leave their browser. */
import { afterAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { connect as dial } from "node:net";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { type CdpFields } from "../browser/program/cdp.ts";
import { hasNamespaces } from "../testing/namespaces.ts";
import { type Sold, startLiveService } from "./testing/live-service.ts";
import { RawClient } from "./testing/raw-client.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const test = anyTest.skipIf(!hasNamespaces);
const { buy, about, close } = await startLiveService({ max: 3 });

/** Addresses of the machine and of the browser. */
const FORBIDDEN = [
  "file:///",
  "file:///proc/version",
  "chrome://version/",
  "chrome-untrusted://print/",
  "view-source:file:///proc/version",
  "devtools://devtools/bundled/inspector.html",
];
/** Milliseconds after which a call of a page that was left is given up. */
const LEFT_MS = 2_000;
const UPGRADE = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};
/** The schemes of the documents that a browser may show. */
const SHOWN = /^(?:https?:|data:|about:|chrome-error:|blob:http:|$)/;

const WORKER = `
  const tried = async (url) => { try { return (await (await fetch(url)).text()).slice(0, 100); } catch { return "refused"; } };
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    const url = new URL(event.request.url);
    const to = url.searchParams.get("to");
    if (url.pathname === "/worker-redirect") event.respondWith(Response.redirect(to));
    if (url.pathname === "/worker-fetch") event.respondWith(tried(to).then((text) => new Response(text)));
    if (url.pathname === "/worker-open")
      event.respondWith(clients.openWindow(to).then(() => new Response("opened"), () => new Response("refused")));
  });`;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const to = searchParams.get("to") ?? "";
    if (pathname === "/redirect") return new Response("", { status: 302, headers: { location: to } });
    if (pathname === "/refresh")
      return new Response("<p>wait</p>", { headers: { "content-type": "text/html", refresh: `0; url=${to}` } });
    if (pathname === "/file")
      return new Response("saved", { headers: { "content-disposition": "attachment; filename=x.txt" } });
    if (pathname === "/worker.js") return new Response(WORKER, { headers: { "content-type": "text/javascript" } });
    return new Response("<title>site</title><p>hello</p>", { headers: { "content-type": "text/html" } });
  },
});
const site = `http://127.0.0.1:${server.port}`;

afterAll(async () => {
  await close();
  await server.stop(true);
});

/** A client with a page of the site. */
class Attacker {
  readonly client: RawClient;
  readonly #session: string;
  readonly #target: string;
  #id = 0;

  private constructor(client: RawClient, session: string, target: string) {
    this.client = client;
    this.#session = session;
    this.#target = target;
  }

  static async open(sold: Sold): Promise<Attacker> {
    const client = await RawClient.open(sold.url);
    const root = new Attacker(client, "", "");
    const { targetId } = await root.root("Target.createTarget", { url: `${site}/` });
    const { sessionId } = await root.root("Target.attachToTarget", { targetId, flatten: true });
    const attacker = new Attacker(client, String(sessionId), String(targetId));
    attacker.#id = 1_000;
    await attacker.page("Page.enable");
    await attacker.home();
    return attacker;
  }

  get target(): string {
    return this.#target;
  }

  get session(): string {
    return this.#session;
  }

  /** The result of a call, or its error. */
  async root(method: string, params: object = {}, session?: string): Promise<CdpFields> {
    const { result, error } = await this.client.call(++this.#id, method, params, session);
    return (result ?? error) as CdpFields; // an object, by the protocol
  }

  /** The same in the page. Nothing if there is no response: the page was left meanwhile. */
  async page(method: string, params: object = {}): Promise<CdpFields> {
    return await Promise.race([
      this.root(method, params, this.#session),
      Bun.sleep(LEFT_MS).then((): CdpFields => ({})),
    ]);
  }

  /** The value of an expression in the page. */
  async run(expression: string, contextId?: unknown): Promise<string> {
    const context = contextId === undefined ? {} : { contextId };
    const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true, ...context };
    const { result } = await this.page("Runtime.evaluate", params);
    return String((result as CdpFields | undefined)?.["value"]);
  }

  /** A world of the page whose scripts may reach other origins. */
  async universalWorld(): Promise<unknown> {
    const world = { frameId: this.#target, grantUniveralAccess: true };
    return (await this.page("Page.createIsolatedWorld", world))["executionContextId"];
  }

  async home(): Promise<void> {
    await this.page("Page.navigate", { url: `${site}/` });
    while ((await this.run("document.readyState + document.title")) !== "completesite");
  }

  async closeOthers(): Promise<void> {
    const { targetInfos } = await this.root("Target.getTargets");
    for (const { targetId, type } of targetInfos as readonly { targetId: string; type: string }[])
      if (type === "page" && targetId !== this.#target) await this.root("Target.closeTarget", { targetId });
  }

  /** The addresses of all documents. */
  async shown(): Promise<readonly string[]> {
    const { targetInfos } = await this.root("Target.getTargets");
    const { frameTree } = await this.page("Page.getFrameTree");
    const urls = (targetInfos as readonly { type: string; url: string }[])
      .filter(({ type }) => type !== "browser")
      .map(({ url }) => url);
    return [...urls, ...framesOf((frameTree ?? { frame: { url: "" } }) as Tree)];
  }
}

interface Tree {
  readonly frame: { readonly url: string };
  readonly childFrames?: readonly Tree[];
}

function framesOf({ frame, childFrames = [] }: Tree): readonly string[] {
  return [frame.url, ...childFrames.flatMap(framesOf)];
}

/** Texts of pages of the machine and of the browser. */
const SECRET = /Linux version|Index of|Headless/;

/** Ways of a page to an address, each with a promise of a text. */
const WAYS: readonly ((url: string) => string)[] = [
  (url) => `fetch(${url}).then((response) => response.text()).catch(String)`,
  (url) => `new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = frame.onerror = resolve;
    setTimeout(resolve, 200);
    frame.src = ${url};
    document.body.append(frame);
  }).then(() => frames[0].document.body.innerText).catch(String)`,
  (url) => `(async (opened) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return opened.document.body.innerText;
  })(open(${url})).catch(String)`,
  (url) => `(async (link) => {
    link.href = ${url};
    link.target = "_blank";
    document.body.append(link);
    link.click();
  })(document.createElement("a"))`,
  (url) => `(async (form) => {
    form.action = ${url};
    form.target = "_blank";
    document.body.append(form);
    form.submit();
  })(document.createElement("form"))`,
];

test("no page gets to an address of the machine or of the browser: by navigation, redirect, refresh, link, form, frame, window, script or service worker", async () => {
  const sold = await buy();
  const attacker = await Attacker.open(sold);
  await until(async () => {
    await attacker.home();
    const registered = `navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)`;
    return (await attacker.run(`${registered}.then(() => navigator.serviceWorker.controller !== null)`)) === "true";
  });
  const [texts, urls] = [new Set<string>(), new Set<string>()];
  for (const url of FORBIDDEN) {
    const to = encodeURIComponent(url);
    const relayed = ["redirect", "refresh", "worker-redirect"].map((path) => `${site}/${path}?to=${to}`);
    for (const text of [url, ...relayed]) {
      const ways = WAYS.map((way) => way(JSON.stringify(text)));
      texts.add(await attacker.run(`Promise.all([${ways.join(", ")}])`, await attacker.universalWorld()));
      for (const shown of await attacker.shown()) urls.add(shown);
      await attacker.run(`setTimeout(() => { location.href = ${JSON.stringify(text)} }); "leaves"`);
      await attacker.page("Page.navigate", { url: text });
      texts.add(await attacker.run("document.body?.innerText"));
      for (const shown of await attacker.shown()) urls.add(shown);
      await attacker.closeOthers();
      await attacker.home();
    }
    for (const path of ["worker-fetch", "worker-open"]) {
      // A worker starts slowly on a busy machine.
      await until(async () => {
        const text = await attacker.run(`fetch("/${path}?to=${to}").then((response) => response.text(), String)`);
        texts.add(text);
        return text !== "undefined";
      });
    }
  }
  expect([...texts].filter((text) => SECRET.test(text))).toEqual([]);
  expect([...urls].filter((shown) => !SHOWN.test(shown))).toEqual([]);
  // The attacks had an effect.
  expect([texts.has("hello"), urls.has("chrome-error://chromewebdata/"), texts.has("refused")]).toEqual([
    true,
    true,
    true,
  ]);
  attacker.client.close();
  await about(sold, "DELETE");
});

/** Calls that leave the pages of the browser. */
const CALLS: readonly (readonly [method: string, params: object])[] = [
  ["Page.navigate", { url: "file:///" }],
  ["Page.navigate", { url: "\u0001file:///" }],
  ["Page.navigate", { url: ["file:///"] }],
  ["Page.navigate", { url: "javascript:1" }],
  ["Page.navigate\0", { url: "file:///" }],
  ["Page.navigate ", { url: "file:///" }],
  ["page.navigate", { url: "file:///" }],
  ["Fetch.continueRequest", { requestId: "x", url: "file:///" }],
  ["Network.loadNetworkResource", { url: "file:///", options: { disableCache: true, includeCredentials: true } }],
  ["Network.continueInterceptedRequest", { interceptionId: "x", url: "chrome://version" }],
  ["Target.openDevTools", { targetId: "x" }],
  ["Target.setRemoteLocations", { locations: [{ host: "127.0.0.1", port: 1 }] }],
  ["Target.exposeDevToolsProtocol", { targetId: "x", bindingName: "cdp" }],
  ["Target.sendMessageToTarget", { message: '{"id":1,"method":"Browser.close"}' }],
  ["Target.getTargetInfo", { targetId: "x" }],
  ["Browser.crash", {}],
  ["Browser.executeBrowserCommand", { commandId: "openTabSearch" }],
  ["Browser.getBrowserCommandLine", {}],
  ["Browser.addPrivacySandboxEnrollmentOverride", { url: "http://a.test" }],
  ["Extensions.loadUnpacked", { path: "/" }],
  ["FileSystem.getDirectory", { bucketFileSystemLocator: { storageKey: "file:///", pathComponents: [] } }],
  ["IO.read", { handle: "/proc/version" }],
  ["IO.read", { handle: "1" }],
  ["Memory.simulatePressureNotification", { level: "critical" }],
  ["PWA.install", { manifestId: "x" }],
  ["Storage.overrideQuotaForOrigin", { origin: site, quotaSize: 1e12 }],
  ["SystemInfo.getProcessInfo", {}],
  ["Tethering.bind", { port: 3128 }],
  ["Tracing.start", {}],
];

test("calls that leave the pages are refused, in the browser's session, in a second one and in a page's", async () => {
  const sold = await buy();
  const attacker = await Attacker.open(sold);
  const { sessionId } = await attacker.root("Target.attachToBrowserTarget");
  for (const session of [undefined, String(sessionId), attacker.session])
    for (const [method, params] of CALLS)
      expect([method, (await attacker.root(method, params, session))["message"]]).toEqual([method, expect.any(String)]);
  await attacker.root("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/home", eventsEnabled: true });
  await attacker.run(`location.href = "/file"; "none"`);
  const ended = await attacker.client.next(
    ({ method, params }) => method === "Browser.downloadProgress" && (params as CdpFields)["state"] !== "inProgress",
  ); // as above
  expect(ended["params"]).toMatchObject({ state: "canceled" });
  attacker.client.close();
  await about(sold, "DELETE");
});

test("a client reaches no session, page or stream of another client, nor of the one before it", async () => {
  const [own, other] = [await buy(), await buy()];
  const [attacker, victim] = [await Attacker.open(own), await Attacker.open(other)];
  const { stream } = await victim.page("Page.printToPDF", { transferMode: "ReturnAsStream" });
  const contexts = await victim.root("Target.getBrowserContexts");
  const stolen = [
    await attacker.root("Runtime.evaluate", { expression: "1" }, victim.session),
    await attacker.root("Target.attachToTarget", { targetId: victim.target, flatten: true }),
    await attacker.root("Target.getTargetInfo", { targetId: victim.target }),
    await attacker.root("Target.closeTarget", { targetId: victim.target }),
    await attacker.root("Target.activateTarget", { targetId: victim.target }),
    await attacker.root("Target.detachFromTarget", { sessionId: victim.session }),
    await attacker.root("Target.createTarget", {
      url: "about:blank",
      browserContextId: contexts["browserContextIds"]?.[0 as never] ?? "x",
    }),
    await attacker.root("IO.read", { handle: stream }),
  ];
  for (const { message } of stolen) expect(message).toBeString();
  const { targetInfos } = await attacker.root("Target.getTargets");
  expect(JSON.stringify(targetInfos)).not.toContain(victim.target);
  expect(await victim.run("document.title")).toBe("site");
  attacker.client.close();
  await attacker.client.closed;
  await until(async () => !((await (await about(own)).json()) as { connected: boolean }).connected); // as described
  const next = await Attacker.open(own);
  expect((await next.root("Runtime.evaluate", { expression: "1" }, attacker.session))["message"]).toBe(
    "Session with given id not found.",
  );
  victim.client.close();
  next.client.close();
  await about(own, "DELETE");
  await about(other, "DELETE");
});

test("no other text than the token of a browser opens it", async () => {
  const [own, other] = [await buy(), await buy()];
  const base = own.url.replace("ws", "http").split("?")[0] ?? "";
  const status = async (query: string) => (await fetch(`${base}?${query}`, { headers: UPGRADE })).status;
  const changed = own.token.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  const texts = [
    "",
    own.id,
    own.viewToken,
    changed,
    own.token.slice(0, -1),
    `${own.token}A`,
    own.token.toUpperCase(),
    "A".repeat(10_000),
  ];
  expect(await Promise.all(texts.map((text) => status(`token=${text}`)))).toEqual(texts.map(() => 404));
  expect([
    await status(`token=x&token=${own.token}`),
    await status(`token[]=${own.token}`),
    await status(`Token=${own.token}`),
  ]).toEqual([404, 404, 404]);
  const statuses = [own.token, changed, other.viewToken, other.id, ""].map(
    async (token) => (await about({ id: other.id, token }, "DELETE")).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404, 404]);
  expect((await about(other)).status).toBe(200);
  await about(own, "DELETE");
  await about(other, "DELETE");
});

test("a message in pieces without end is bounded, and another client does not notice", async () => {
  const [own, other] = [await buy(), await buy()];
  const victim = await Attacker.open(other);
  expect(await endless(own.url)).toBe("closed");
  expect(await victim.run("document.title")).toBe("site");
  victim.client.close();
  await about(own, "DELETE");
  await about(other, "DELETE");
});

/** A piece of a message, of 64 KiB with a mask of zeros. */
function piece(opcode: number): Uint8Array {
  return Buffer.concat([Buffer.from([opcode, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), Buffer.alloc(65_536, "x")]);
}

/** Sends a message in pieces without end, until the service closes the connection. */
async function endless(url: string): Promise<string> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = dial(Number(port), hostname);
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve("closed")));
  socket.on("error", () => undefined);
  const fields = Object.entries(UPGRADE)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n${fields}\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.write(piece(1));
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece(0)));
  };
  socket.on("drain", more);
  more();
  return await closed;
}
