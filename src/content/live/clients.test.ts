import { afterAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { heapStats } from "bun:jsc";
import { chromium } from "playwright-core";
import { connect } from "puppeteer-core";
import { patient } from "../../lib/testing/patience.ts";
import { pollUntil } from "../../lib/time/poll-until.ts";
import { type CdpFields } from "../browser/program/cdp.ts";
import { baseUrl, call, outcomeOf } from "../testing/client.ts";
import { hasNamespaces } from "../testing/namespaces.ts";
import { descendantsOf } from "../testing/processes.ts";
import { startSite } from "../testing/site.ts";
import { startLiveService } from "./testing/live-service.ts";
import { RawClient } from "./testing/raw-client.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const test = anyTest.skipIf(!hasNamespaces);
const site = startSite();
const { service, buy, about, close } = await startLiveService();

afterAll(async () => {
  await close();
  await site.close();
});

/** The processes of this test whose command has a text. */
function below(text: string) {
  return descendantsOf(process.pid).filter(({ command }) => command.includes(text));
}

test("Puppeteer controls a browser of its own, and one that connects again finds its pages", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url });
  const page = await browser.newPage();
  await page.goto(`${site.url}/article`);
  expect(await page.title()).toBe("Toll roads - The Daily");
  expect((await page.screenshot()).length).toBeGreaterThan(1_000);
  expect(await (await about(sold)).json()).toMatchObject({ id: sold.id, connected: true });
  await browser.disconnect();
  const again = await connect({ browserWSEndpoint: sold.url });
  expect((await again.pages()).map((one) => one.url())).toContain(`${site.url}/article`);
  await again.disconnect();
  expect((await about(sold, "DELETE")).status).toBe(200);
  expect((await about(sold)).status).toBe(404);
});

test("Playwright controls a browser by its WebSocket and by its HTTP address", async () => {
  const sold = await buy();
  const browser = await chromium.connectOverCDP(sold.url);
  const page = await browser.newPage();
  await page.goto(`${site.url}/cookies`);
  expect(await page.textContent("#cookie")).toBe("none");
  await page.reload();
  expect(await page.textContent("#cookie")).toBe("visitor=1");
  await browser.close();
  const base = `${baseUrl(service)}/browser?token=${sold.token}`;
  const free = async () => !((await (await about(sold)).json()) as { connected: boolean }).connected; // as described
  expect(await pollUntil(free, { everyMs: 20, mostMs: patient(20_000) })).toBe(true);
  const second = await chromium.connectOverCDP(base);
  const other = await second.newContext();
  const fresh = await other.newPage();
  await fresh.goto(`${site.url}/cookies`);
  expect(await fresh.textContent("#cookie")).toBe("none");
  await second.close();
  await about(sold, "DELETE");
});

test("a client gets no files, no proxy, no other targets and no addresses of the machine", async () => {
  const sold = await buy();
  const client = await RawClient.open(sold.url);
  let id = 0;
  const refusal = async (method: string, params: object = {}) => {
    id += 1;
    const { error } = await client.call(id, method, params);
    return (error as { message: string } | undefined)?.message ?? "none";
  };
  expect([
    await refusal("Target.createTarget", { url: "file:///etc/passwd" }),
    await refusal("Target.createTarget", { url: " chrome://version" }),
    await refusal("Target.createTarget", { url: "view-source:http://a.test" }),
    await refusal("Target.createBrowserContext", { proxyServer: "http://127.0.0.1:1" }),
    await refusal("Target.exposeDevToolsProtocol", { targetId: "x" }),
    await refusal("Target.attachToTarget", { targetId: "x" }),
    await refusal("Target.attachToTarget", { targetId: "x", autoAttach: false }),
    await refusal("Target.sendMessageToTarget", { message: "{}" }),
    await refusal("Network.loadNetworkResource", { url: "http://127.0.0.1/", options: {} }),
    await refusal("DOM.setFileInputFiles", { files: ["/etc/passwd"] }),
    await refusal("Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: ["/etc/passwd"] } }),
    await refusal("Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: "/etc/passwd" } }),
    await refusal("SystemInfo.getInfo"),
    await refusal("Tethering.bind", { port: 9000 }),
    await refusal("Browser.getBrowserCommandLine"),
  ]).toEqual([
    "Target.createTarget takes only addresses of http, https and data, and about:blank",
    "Target.createTarget takes only addresses of http, https and data, and about:blank",
    "Target.createTarget takes only addresses of http, https and data, and about:blank",
    "Target.createBrowserContext takes no proxyServer",
    "Target.exposeDevToolsProtocol is not allowed",
    "Target.attachToTarget needs flatten",
    "Target.attachToTarget needs flatten",
    "Target.sendMessageToTarget is not allowed",
    "Network.loadNetworkResource is not allowed",
    "DOM.setFileInputFiles is not allowed",
    "Input.dispatchDragEvent takes no files",
    "Input.dispatchDragEvent takes no files",
    "SystemInfo.getInfo is not allowed",
    "Tethering.bind is not allowed",
    "Browser.getBrowserCommandLine is not allowed",
  ]);
  expect((await client.call(100, "Browser.getVersion"))["result"]).toMatchObject({ protocolVersion: "1.3" });
  client.close();
  await about(sold, "DELETE");
});

test("a message that is not a call, of another session, or one of too many gets an error, and the next call works", async () => {
  const sold = await buy();
  const client = await RawClient.open(sold.url);
  const errorOf = async (message: string | Uint8Array<ArrayBuffer> | object) => {
    client.send(message);
    const { error } = await client.next(({ error: one }) => one !== undefined);
    return (error as { message: string }).message; // an error of the protocol
  };
  expect([
    await errorOf("{"),
    await errorOf("[".repeat(1_000_000)),
    await errorOf("1"),
    await errorOf(new Uint8Array([1, 2])),
    await errorOf({ id: "1", method: "Browser.getVersion" }),
    await errorOf({ id: 1, method: 5 }),
    await errorOf({ id: 1, method: "Browser.getVersion", params: [] }),
    await errorOf({ id: 1, method: "Browser.getVersion", sessionId: "ABCDEF" }),
  ]).toEqual([
    "The message is not JSON",
    "The message is not JSON",
    "The message is not an object",
    "Messages are texts",
    "The id is not an integer",
    "The method is not a name",
    "The params are not an object",
    "Session with given id not found.",
  ]);
  // Two calls with one id both get their result.
  client.send({ id: 7, method: "Browser.getVersion" });
  client.send({ id: 7, method: "Target.getBrowserContexts" });
  const results = [await client.next(({ id }) => id === 7), await client.next(({ id }) => id === 7)];
  expect(results.map(({ result }) => Object.keys(result as object).length > 0)).toEqual([true, true]);
  for (let n = 0; n < 5_000; n += 1) client.send({ id: 1_000 + n, method: "Target.getTargets" });
  expect((await client.call(9_000, "Browser.getVersion"))["result"] ?? "busy").not.toBe("gone");
  await client.next(({ id }) => id === 5_999);
  expect((await client.call(9_001, "Browser.getVersion"))["result"]).toMatchObject({ protocolVersion: "1.3" });
  client.close();
  await about(sold, "DELETE");
});

test("a client that sends before its session has begun is disconnected above a limit of bytes", async () => {
  const sold = await buy();
  const main = below("user-data-dir=/home/profile").filter(({ command }) => !command.includes("--type="));
  for (const { pid } of main) process.kill(pid, "SIGSTOP");
  const client = await RawClient.open(sold.url);
  const long = "x".repeat(3 * 1024 * 1024);
  for (let n = 0; n < 3; n += 1) client.send(long);
  expect(await client.closed).toBe(1008);
  await about(sold, "DELETE");
});

/** Bytes of the texts and buffers of this process that are in use. */
function held(): number {
  Bun.gc(true);
  return heapStats().extraMemorySize;
}

test("the parameters of calls without a response are not kept after their client has gone", async () => {
  const sold = await buy();
  const expression = `new Promise(() => {}) /*${"x".repeat(7_000_000)}*/`;
  const before = held();
  for (let n = 0; n < 2; n += 1) {
    const client = await RawClient.open(sold.url);
    const { targetId } = (await client.call(1, "Target.createTarget", { url: "about:blank" }))["result"] as CdpFields;
    const attached = await client.call(2, "Target.attachToTarget", { targetId, flatten: true });
    const session = String((attached["result"] as CdpFields)["sessionId"]);
    for (const id of [3, 4, 5]) {
      client.send({ id, method: "Runtime.evaluate", params: { expression, awaitPromise: true }, sessionId: session });
    }
    await client.call(6, "Runtime.evaluate", { expression: "1" }, session);
    client.close();
    const free = async () => !((await (await about(sold)).json()) as { connected: boolean }).connected; // as described
    expect(await pollUntil(free, { everyMs: 20, mostMs: patient(20_000) })).toBe(true);
  }
  expect(held() - before).toBeLessThan(20_000_000);
  await about(sold, "DELETE");
});

test("one client at a time controls a browser, no token opens another one, and more than the limit are refused", async () => {
  const [first, second] = await Promise.all([buy(), buy()]);
  expect(outcomeOf(await call(service, "/browsers", { minutes: 1 }))).toBe("503 overloaded");
  const client = await RawClient.open(first.url);
  await client.call(1, "Browser.getVersion");
  const upgrade = {
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  expect((await fetch(first.url.replace("ws", "http"), { headers: upgrade })).status).toBe(409);
  expect((await fetch(`${baseUrl(service)}/browser?token=x`, { headers: upgrade })).status).toBe(404);
  expect((await about({ ...first, token: second.token })).status).toBe(404);
  const further = { minutes: 15, browser: first.id, token: first.token };
  const payment = { "turnpike-payer": "0xpayer", "turnpike-payment-id": "0xnonce" };
  const longer = await call(service, "/browsers", further, payment);
  expect([longer.status, longer.json["id"]]).toEqual([201, first.id]);
  // A client whose response was lost sends its request and its payment again.
  expect((await call(service, "/browsers", further, payment)).json).toEqual(longer.json);
  const tooLong = await call(service, "/browsers", { ...further, minutes: 16 }, payment);
  expect(outcomeOf(tooLong)).toBe("400 invalid-parameters");
  await client.call(2, "Browser.close");
  expect(await client.closed).toBe(1000);
  await about(second, "DELETE");
});

test("a request for a browser that is sent again with its payment gets no second browser, and no further time", async () => {
  const payment = { "turnpike-payer": "0xpayer", "turnpike-payment-id": "0xonce" };
  const ask = (more = {}) => call(service, "/browsers", { minutes: 2 }, { ...payment, ...more });
  // The first payment was perhaps returned, until one is made.
  const [first, returned, again] = [await ask(), await ask(), await ask({ "turnpike-transaction": "0xabc" })];
  expect([first.status, returned.status, again.status]).toEqual([201, 201, 201]);
  const soldBy = ({ json }: typeof first) => ({ id: String(json["id"]), token: String(json["token"]) });
  for (const lost of [first, returned]) expect((await about(soldBy(lost))).status).toBe(404);
  expect((await about(soldBy(again))).status).toBe(200);
  const time = ({ json }: typeof first): number =>
    Date.parse(String(json["expires_at"])) - Date.parse(String(json["created_at"]));
  expect([time(first), time(returned), time(again) < 120_000]).toEqual([120_000, 120_000, true]);
  await about(soldBy(again), "DELETE");
});

test("a page of a browser reaches nothing but the proxy, and a browser that is killed leaves no process", async () => {
  const sold = await buy();
  const browser = await connect({ browserWSEndpoint: sold.url });
  const page = await browser.newPage();
  await page.goto(`${site.url}/probe?to=${encodeURIComponent("http://127.0.0.1:3128/")}`);
  await page.waitForSelector("#done");
  expect(below("browser-cell").length).toBeGreaterThan(0);
  for (const { pid } of below("browser-cell")) process.kill(pid, "SIGKILL");
  expect(
    await pollUntil(async () => (await about(sold)).status === 404, { everyMs: 50, mostMs: patient(20_000) }),
  ).toBe(true);
  expect(
    await pollUntil(() => below("user-data-dir=/home/profile").length === 0, { everyMs: 50, mostMs: patient(20_000) }),
  ).toBe(true);
});
