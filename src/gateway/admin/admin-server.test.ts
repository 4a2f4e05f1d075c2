import { afterEach, beforeEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { once } from "node:events";
import { LOCALHOST, TEST_CA } from "../../../test/support/certificates.ts";
import { messageOf } from "../../lib/caught.ts";
import { patient } from "../../lib/testing/patience.ts";
import { loadValue } from "../config/load.ts";
import { type Config } from "../config/config.ts";
import { AdminServer, type CertificatePair } from "./admin-server.ts";
import { AdminRig, FULL_KEY, READ_ONLY_KEY } from "./testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

/** A configuration with this section `admin`, as if it had been loaded. */
function configOf(admin: object): Config {
  const { config, problems } = loadValue({ admin: { enabled: true, port: 0, api_key: FULL_KEY, ...admin } });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

/** The reason of a rejection; empty if it resolves. */
function refusalOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(() => "", messageOf);
}

let server: AdminServer;
let pair: CertificatePair | Error;
let errors: unknown[];

beforeEach(() => {
  pair = LOCALHOST;
  errors = [];
  server = new AdminServer({
    environment: { OPERATORS: "a-key-from-the-environment" },
    readCertificate: () => {
      if (pair instanceof Error) throw pair;
      return pair;
    },
    onEvent: () => {},
    onError: (error) => void errors.push(error),
  });
});
afterEach(async () => {
  await server.close();
  expect(errors).toEqual([]);
});

async function use(admin: object): Promise<void> {
  const config = configOf(admin);
  await server.prepare(config);
  server.commit(config);
}

const statusOf = async (path = "v1/status", headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(new URL(path, server.url), { headers, tls: { ca: TEST_CA.cert } })).status;

test("a disabled interface listens nowhere, and one that is disabled again closes its port", async () => {
  await use({ enabled: false });
  expect(server.url).toBeUndefined();
  await use({});
  const url = server.url ?? "";
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  // The gateway starts: it has no parts yet.
  expect(await statusOf()).toBe(503);
  await use({ enabled: false });
  expect(server.url).toBeUndefined();
  await server.close();
  expect(await refusalOf(fetch(url))).not.toBe("");
});

test("a change that is rolled back leaves the port, the keys and the certificate as they were", async () => {
  await use({});
  const before = server.url;
  const { port } = new URL(before ?? "");
  await server.prepare(configOf({ port: Number(port), address: "127.0.0.2" }));
  server.rollback();
  server.rollback();
  expect(server.url).toBe(before);
  expect(await statusOf()).toBe(503);
  await server.prepare(configOf({ port: Number(port) }));
  server.rollback();
  expect(await statusOf()).toBe(503);
});

test("a new address has its own listener, and the old one closes", async () => {
  await use({});
  const before = server.url ?? "";
  await use({ address: "127.0.0.2" });
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/$/);
  expect(await statusOf()).toBe(503);
  await server.close();
  expect(await refusalOf(fetch(before))).not.toBe("");
});

test.each([
  ["0.0.0.0", "127.0.0.1"],
  ["127.0.0.2", "127.0.0.2"],
])("at %s the URL names %s", async (address, host) => {
  await use({ address, allow_plaintext: true, tls: address === "0.0.0.0" ? { cert_path: "c", key_path: "k" } : {} });
  expect(new URL(server.url ?? "").hostname).toBe(host);
});

test("a port that is in use is refused, and changes nothing", async () => {
  await use({});
  const before = server.url;
  const other = new AdminServer({
    environment: {},
    readCertificate: () => LOCALHOST,
    onEvent: () => {},
    onError: (error) => void errors.push(error),
  });
  const { port } = new URL(before ?? "");
  expect(await refusalOf(other.prepare(configOf({ port: Number(port) })))).toContain(port);
  expect(other.url).toBeUndefined();
  other.rollback();
  await other.close();
  expect(server.url).toBe(before);
});

test("keys are those of the newest configuration", async () => {
  await use({});
  const { port } = new URL(server.url ?? "");
  expect(
    await refusalOf(server.prepare(configOf({ port: Number(port), api_key: "", api_key_env: "NOWHERE" }))),
  ).toContain("the environment variable NOWHERE is not set");
  server.rollback();
  expect(new URL(server.url ?? "").port).toBe(port);
});

test("TLS begins with the certificate, is renewed with it, and an unusable one is refused with the reason", async () => {
  await use({ tls: { cert_path: "c", key_path: "k" } });
  expect(server.url).toMatch(/^https:/);
  expect(await statusOf()).toBe(503);
  pair = new Error("c: no such file");
  const { port } = new URL(server.url ?? "");
  const same = configOf({ port: Number(port), tls: { cert_path: "c", key_path: "k" } });
  expect(await refusalOf(server.prepare(same))).toContain("Cannot serve the admin interface by TLS: c: no such file");
  pair = { cert: "no PEM", key: "no PEM" };
  expect(await refusalOf(server.prepare(same))).toContain("Cannot serve the admin interface by TLS: ");
  server.rollback();
  expect(await statusOf()).toBe(503);
  pair = LOCALHOST;
  await server.prepare(same);
  server.commit(same);
  expect(await statusOf()).toBe(503);
});

test("the keys of a reload count at once, end all sessions, and leave the port", async () => {
  await using rig = await AdminRig.start();
  const before = rig.server.url;
  const { headers } = await rig.call("POST", "/v1/session", { key: "", body: { key: READ_ONLY_KEY } });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await rig.call("GET", "/v1/session", { key: "", headers: { cookie } })).status).toBe(200);
  const { body: document } = await rig.call("GET", "/v1/config");
  const port = Number(new URL(before ?? "").port);
  // Port 0 would be another one.
  const own = { ...document, admin: { ...document.admin, port } };
  expect((await rig.call("PUT", "/v1/config", { body: own })).status).toBe(200);
  const url = rig.server.url;
  expect((await rig.call("GET", "/v1/session", { key: "", headers: { cookie } })).status).toBe(200);
  const next = { ...own, admin: { ...own.admin, api_key: "another-key-of-operators" } };
  expect((await rig.call("PUT", "/v1/config", { body: next })).status).toBe(200);
  expect(rig.server.url).toBe(url);
  expect((await rig.call("GET", "/v1/status")).status).toBe(401);
  expect((await rig.call("GET", "/v1/session", { key: "", headers: { cookie } })).status).toBe(401);
  expect((await rig.call("GET", "/v1/status", { key: "another-key-of-operators" })).status).toBe(200);
});

test("closing lets a response that is under way end", async () => {
  await using rig = await AdminRig.start();
  const stream = await rig.fetch("GET", "/v1/events?since=0");
  const reader = stream.body?.getReader();
  await reader?.read();
  const closed = rig.server.close();
  expect(rig.server.url).toBeUndefined();
  rig.events.close();
  for (;;) if ((await reader?.read())?.done !== false) break;
  await closed;
});

test("a response that fails after its head is reported, its connection ends, and the next request is served", async () => {
  await using rig = await AdminRig.start();
  const broken = new Error("the events are broken");
  const reading = spyOn(rig.events, "read").mockImplementation(() => {
    throw broken;
  });
  const response = await rig.fetch("GET", "/v1/events?since=0").then((whole) => whole.text(), messageOf);
  expect(response).not.toContain("retry:");
  expect(rig.errors).toEqual([broken]);
  reading.mockRestore();
  expect((await rig.call("GET", "/v1/status")).status).toBe(200);
});

test("a client whose request cannot be read is refused, and its connection ends", async () => {
  await use({});
  const { port } = new URL(server.url ?? "");
  const socket = connect(Number(port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write("no HTTP\r\n\r\n");
  await once(socket, "close");
  expect(Buffer.concat(chunks).toString()).toStartWith("HTTP/1.1 400 ");
});
