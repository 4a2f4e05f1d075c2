import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { TurnpikeError } from "../../lib/errors.ts";
import { canMakeNetwork, runInOwnNetwork } from "../../lib/testing/own-network.ts";
import { BrowserPool } from "../browser/pool.ts";
import { type PageSource } from "../page/page.ts";
import { type ContentService, startContentService } from "../service.ts";
import { call } from "../testing/client.ts";
import { type TestSite, startSite } from "../testing/site.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { proxyPortOf } from "../testing/proxy-of.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { ANYWHERE, type EgressOptions, EgressSession } from "./guard.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

/** An address that represents the public Internet; the rest of loopback represents the private network behind it. */
const PUBLIC = "127.0.0.2";

const state = createStateFolder();
const log = () => undefined;
let service: ContentService;
let pool: BrowserPool;
let outside: TestSite;
let inside: TestSite;
let rebound = 0;

const NAMES: Readonly<Record<string, () => readonly string[]>> = {
  "page.test": () => [PUBLIC],
  "inside.test": () => ["127.0.0.1"],
  "mixed.test": () => [PUBLIC, "127.0.0.1"],
  "rebind.test": () => (rebound++ === 0 ? [PUBLIC] : ["127.0.0.1"]),
};

beforeAll(async () => {
  outside = startSite(PUBLIC);
  inside = startSite();
  service = await startContentService({
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir: state.path,
    allowPrivate: false,
    log,
  });
  ({ pool } = await BrowserPool.start({
    stateDir: state.path,
    log,
  }));
});

afterAll(async () => {
  await service.close();
  await pool.close();
  await outside.close();
  await inside.close();
  state.remove();
});

const EGRESS: EgressOptions = {
  policy: { allowsAddress: (address) => address === PUBLIC, allowsPort: () => true },
  resolve: async (host) => NAMES[host]?.() ?? [],
};

function visit(url: string, selector?: string): Promise<PageSource> {
  return openPage(pool, pageRequestOf(url, { selector, pictures: true }), (page) => page.snapshot(), EGRESS);
}

function failureOf(url: string): Promise<unknown> {
  return visit(url).catch((error: unknown) => error);
}

describe("by default", () => {
  test.each([
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1/",
    "http://localhost/",
    "http://localhost.:80/",
    "http://app.localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0/",
    "http://10.0.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://192.168.1.1/",
    "https://172.16.0.1/",
    "http://１２７.0.0.1/",
    "http://8.8.8.8:22/",
    "file:///etc/hostname",
    "data:text/html,hello",
    "chrome://version/",
    "about:blank",
    "view-source:http://127.0.0.1/",
    "javascript:1",
    "ftp://127.0.0.1/",
  ])("%s is refused", async (url) => {
    const { status, json } = await call(service, "/scrape", { url: url.replace("PORT", String(inside.port)) });
    expect([status, json["type"]]).toEqual([400, "urn:turnpike:error:address-refused"]);
    expect(String(json["detail"])).not.toContain("127.");
    expect(inside.hits).toEqual([]);
  });
});

test.skipIf(!canMakeNetwork)(
  "pages at public addresses of this machine are refused as well, as soon as the addresses are its own",
  () => {
    expect(runInOwnNetwork(new URL("testing/own-page-program.ts", import.meta.url))).toEqual({
      before: ["9.9.9.77"],
      during: "refused",
      types: ["urn:turnpike:error:address-refused"],
      hits: 0,
    });
  },
);

describe("a page of the public Internet", () => {
  test("is loaded by its name", async () => {
    expect((await visit(`http://page.test:${outside.port}/article`)).body).toContain("Toll roads - The Daily");
  });

  test.each([
    ["a private address", () => `http://127.0.0.1:${inside.port}/secret`],
    ["a name with a private address", () => `http://inside.test:${inside.port}/secret`],
    ["localhost", () => `http://localhost:${inside.port}/secret`],
    ["an encrypted private address", () => `https://127.0.0.1:${inside.port}/secret`],
  ])("may not redirect to %s", async (_what, target) => {
    const url = `http://page.test:${outside.port}/redirect?to=${encodeURIComponent(target())}`;
    expect(await failureOf(url)).toMatchObject({ code: "address-refused" });
    expect(inside.hits).toEqual([]);
  });

  test("may not redirect to a file", async () => {
    const failure = await failureOf(
      `http://page.test:${outside.port}/redirect?to=${encodeURIComponent("file:///etc/hostname")}`,
    );
    expect(failure).toBeInstanceOf(TurnpikeError);
    expect(failure).toMatchObject({ code: "page-failed" });
  });

  test.each(["127.0.0.1", "inside.test", "localhost"])("reaches nothing on %s by any means", async (host) => {
    const to = encodeURIComponent(`http://${host}:${inside.port}/`);
    const page = await visit(`http://page.test:${outside.port}/probe?to=${to}`, "#done");
    expect(page.body).toContain('<p id="done">blocked blocked blocked blocked blocked</p>');
    expect(inside.hits).toEqual([]);
  });

  test("reaches its own server by the same means", async () => {
    const to = encodeURIComponent(`http://page.test:${outside.port}/`);
    const page = await visit(`http://page.test:${outside.port}/probe?to=${to}`, "#done");
    expect(page.body).toContain('<p id="done">reached ');
    expect(outside.hits).toEqual(expect.arrayContaining(["/fetch", "/worker", "/beacon", "/frame", "/socket"]));
  });

  test("is refused if one of its name's addresses is private", async () => {
    expect(await failureOf(`http://mixed.test:${outside.port}/`)).toMatchObject({ code: "address-refused" });
  });

  test("keeps the addresses that its name had at first", async () => {
    const to = encodeURIComponent(`http://rebind.test:${outside.port}/`);
    const page = await visit(`http://rebind.test:${outside.port}/probe?to=${to}`, "#done");
    expect(page.body).toContain('<p id="done">reached ');
    expect(rebound).toBe(1);
  });

  test("has a different error from a name without an address", async () => {
    expect(await failureOf("http://nowhere.test/")).toMatchObject({
      code: "page-failed",
      message: "Cannot load the page: its host name has no address",
    });
  });
});

/** Sends bytes to the proxy of a session, and returns all bytes that come before it closes the connection. */
async function ask(session: EgressSession, text: string): Promise<string> {
  const port = await proxyPortOf(session);
  const { promise, resolve } = Promise.withResolvers<string>();
  let response = "";
  const socket = connect({ host: "127.0.0.1", port }, () => socket.write(text));
  socket.on("data", (chunk) => {
    response += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(response));
  return await promise;
}

describe("the forward proxy", () => {
  test("relays one request and closes, whatever the server says", async () => {
    const session = new EgressSession({ policy: ANYWHERE });
    const response = await ask(
      session,
      `GET ${inside.url}/x?a=b%20c HTTP/1.1\r\nHost: h\r\nProxy-Connection: keep-alive\r\n\r\n`,
    );
    expect(response).toStartWith("HTTP/1.1 200 OK\r\n");
    expect(response).toContain("\r\nConnection: close\r\n");
    expect(inside.hits.at(-1)).toBe("/x?a=b%20c");
    session.close();
  });

  test.each([
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT x HTTP/1.1\r\n\r\n",
    "CONNECT a:0 HTTP/1.1\r\n\r\n",
    "nonsense\r\n\r\n",
  ])("closes without a response on %j", async (text) => {
    const session = new EgressSession({ policy: ANYWHERE });
    expect(await ask(session, text)).toBe("");
    session.close();
  });

  test("opens tunnels only to permitted addresses", async () => {
    const session = new EgressSession({ policy: { allowsAddress: () => false, allowsPort: () => true } });
    expect(await ask(session, `CONNECT 127.0.0.1:${inside.port} HTTP/1.1\r\n\r\n`)).toBe("");
    expect(session.failureOf("127.0.0.1", inside.port)).toBe("refused");
    session.close();
  });

  test("ends with its visit", async () => {
    const session = new EgressSession({ policy: ANYWHERE });
    session.close();
    expect(await ask(session, `GET ${inside.url}/late HTTP/1.1\r\n\r\n`)).toBe("");
    expect(inside.hits).not.toContain("/late");
  });
});

const blocks = (host: string) => host === "inside.test";

describe("hosts that the visit does not need", () => {
  test("are refused to the page, and the rest of it loads", async () => {
    const to = encodeURIComponent(`http://inside.test:${inside.port}/`);
    const request = pageRequestOf(`http://page.test:${outside.port}/probe?to=${to}`, {
      selector: "#done",
      pictures: true,
    });
    const policy = { allowsAddress: () => true, allowsPort: () => true };
    const before = inside.hits.length;
    const page = await openPage(pool, request, (open) => open.snapshot(), { ...EGRESS, policy, blocks });
    expect(page.body).toContain('<p id="done">blocked blocked blocked blocked blocked</p>');
    expect(inside.hits.length).toBe(before);
  });

  test("are named as the reason if they are the page", async () => {
    const session = new EgressSession({ ...EGRESS, blocks });
    expect(await session.addressesOf("inside.test", 80)).toBe("blocked");
    session.close();
  });
});
