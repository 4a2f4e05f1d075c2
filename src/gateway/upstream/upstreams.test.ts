import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { LOCALHOST, makeCertificate, TEST_CA } from "../../../test/support/certificates.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { until } from "../../lib/testing/until.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type UpstreamConfig } from "../config/config.ts";
import { loadValue } from "../config/load.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type Member } from "./member.ts";
import { reasonNumber } from "./probe-reason.ts";
import { ServerStates } from "./outlier-detection.ts";
import { Waiter } from "./server-pool.ts";
import { credentialOf, dialSettingsOf, provideUpstreams, type Upstreams } from "./upstreams.ts";

let clock: FakeClock;
let wheel: TimerWheel;

beforeEach(() => {
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
});

afterEach(() => wheel.close());

function provide(servers: Readonly<Record<string, number>>, previous?: Upstreams): Upstreams {
  const upstreams = Object.entries(servers).map(([name, port]) => ({
    name,
    servers: [{ address: "127.0.0.1", port }],
  }));
  return provideAll(upstreams, previous);
}

const statesOf = (slot = onlySlot()): ServerStates => new ServerStates(slot.zone, slot.row);

function provideAll(upstreams: readonly object[], previous?: Upstreams, states = statesOf()): Upstreams {
  const { config } = loadValue({ upstreams });
  if (config === undefined) throw new Error("Cannot provide upstreams: the configuration is refused");
  const telemetry = new Telemetry(onlySlot());
  const parts = { config, wheel, buffers: plentyOfBuffers(), telemetry, states, members: {} };
  return provideUpstreams({ ...parts, onError() {}, log() {} }, previous);
}

test("the next upstreams keep those that have not changed, and only the others are closed", () => {
  const before = provide({ same: 1, changed: 2, gone: 3 });
  const closed: string[] = [];
  for (const name of ["same", "changed", "gone"]) {
    const upstream = before.get(name);
    const close = upstream.close.bind(upstream);
    upstream.close = () => {
      closed.push(name);
      close();
    };
  }
  const after = provide({ same: 1, changed: 4 }, before);
  expect([after.get("same") === before.get("same"), after.get("changed") === before.get("changed")]).toEqual([
    true,
    false,
  ]);
  before.close(after);
  expect(closed).toEqual(["changed", "gone"]);
  after.close(undefined);
  expect(closed).toEqual(["changed", "gone", "same"]);
});

test("an upstream is empty if it names neither servers nor a discovery, and a route without an upstream has no servers", () => {
  const upstreams = provideAll([
    { name: "deleted", servers: [], deleted: true },
    { name: "servers", servers: [{ address: "127.0.0.1", port: 1 }] },
    { name: "dns", servers: [], dns_discovery: { hostname: "a.test", port: 1 } },
    { name: "catalog", servers: [], catalog_discovery: { service: "a", port: 1 } },
  ]);
  const isEmpty = (name: string): boolean => upstreams.get(name).isEmpty;
  expect(["deleted", "servers", "dns", "catalog"].filter(isEmpty)).toEqual(["deleted"]);
  const none = upstreams.of({});
  expect([none.isEmpty, none.servers, none.pick("192.0.2.1", undefined)]).toEqual([false, [], undefined]);
  expect(upstreams.of({ upstream: "dns" })).toBe(upstreams.get("dns"));
  expect(upstreams.find("gone")).toBeUndefined();
  expect(() => upstreams.get("gone")).toThrow('there is no upstream "gone"');
});

test("the servers of all upstreams are listed with their state, and the reason of a failed probe", () => {
  const states = statesOf();
  const upstreams = provideAll(
    ["u", "v"].map((name) => ({ name, servers: [{ address: "127.0.0.1", port: 1 }] })),
    undefined,
    states,
  );
  upstreams.setMembers({ u: [member(1), member(2)], v: [member(3)], gone: [member(4)] });
  states.setActive(2, false, reasonNumber("status"));
  states.setActive(3, true);
  expect(upstreams.servers).toEqual([
    { upstream: "u", key: "127.0.0.1:1", slot: 1, inRotation: true, healthy: undefined, probeFailure: "" },
    { upstream: "u", key: "127.0.0.1:2", slot: 2, inRotation: false, healthy: false, probeFailure: "status" },
    { upstream: "v", key: "127.0.0.1:3", slot: 3, inRotation: true, healthy: true, probeFailure: "" },
  ]);
});

/** The settings of an upstream over TLS with these keys. */
function tlsOf(keys: object) {
  const { config } = loadValue({ upstreams: [{ name: "u", tls: true, servers: [], deleted: true, ...keys }] });
  const [upstream] = config?.upstreams ?? [];
  if (upstream === undefined) throw new Error("Cannot read the upstream: the configuration is refused");
  return dialSettingsOf(upstream);
}

test("the settings of connections over TLS come from the upstream, with the protocols that ALPN offers", () => {
  const offered = ["http1", "h2", "auto"].map((protocol) => tlsOf({ protocol }).tls?.protocols);
  expect(offered).toEqual([[], ["h2"], ["h2", "http/1.1"]]);
  const { allowPrivate, tls } = tlsOf({ allow_private: false, tls_verify: false, tls_sni: "a.test" });
  expect([allowPrivate, tls?.verify, tls?.serverName]).toEqual([false, false, "a.test"]);
  expect([tlsOf({}).allowPrivate, tlsOf({}).tls?.verify]).toEqual([true, true]);
});

test("a server of an upstream is trusted by the upstream's authorities, and sees the upstream's certificate", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-upstreams-"));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const shown = makeCertificate({ subject: [["CN", "the gateway"]], issuer: TEST_CA });
  const seen: unknown[] = [];
  const { cert, key } = LOCALHOST;
  const server = createTlsServer({ cert, key, ca: TEST_CA.cert, requestCert: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    seen.push(socket.getPeerCertificate().subject?.CN);
  });
  server.on("tlsClientError", () => {});
  const port = await listenOnLoopback(server);
  const files = {
    tls_ca_path: write("ca.pem", TEST_CA.cert),
    tls_cert_path: write("cert.pem", shown.cert),
    tls_key_path: write("key.pem", shown.key),
  };
  const reached = async (keys: object): Promise<string> => {
    const outcome = Promise.withResolvers<string>();
    const upstreams = provideAll([
      { name: "u", tls: true, tls_sni: "localhost", ...keys, servers: [{ address: "127.0.0.1", port }] },
    ]);
    upstreams.setMembers({ u: [member(port)] });
    const waiter = new Waiter({ send: () => outcome.resolve("reached"), refused: outcome.resolve });
    upstreams.get("u").servers[0]?.pool.wait(waiter, 10_000);
    const told = await outcome.promise;
    upstreams.close(undefined);
    return told;
  };
  try {
    expect(await reached(files)).toBe("reached");
    await until(() => seen.length === 1);
    expect(seen).toEqual(["the gateway"]);
    expect(await reached({})).toBe("refused");
    expect(() => tlsOf({ tls_ca_path: join(folder, "missing.pem") })).toThrow("missing.pem");
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

function member(port: number): Member {
  const endpoint = { address: "127.0.0.1", port };
  return { endpoint, weight: 10, maxFails: 1, failTimeoutMs: 1000, backup: false, slot: port };
}

test.each([
  [0, 1],
  [1000, 0.05],
])("with a slow start of %i ms, a server that is added has at first its weight times %d", (slow_start_ms, part) => {
  const upstreams = provideAll([{ name: "u", slow_start_ms, servers: [{ address: "127.0.0.1", port: 1 }] }]);
  upstreams.setMembers({ u: [member(1)] });
  upstreams.setMembers({ u: [member(1), member(2)] });
  clock.advance(1);
  expect(upstreams.get("u").servers.map(({ weight }) => weight)).toEqual([10, 10 * part]);
});

function line(token_env: string, token?: string): string {
  return credentialOf({ token_env } as UpstreamConfig, token === undefined ? {} : { TOKEN: token });
}

test("a token for the servers comes from its variable, and an error does not show it", () => {
  expect([line(""), line("TOKEN", "abc-._~+/==")]).toEqual(["", "Authorization: Bearer abc-._~+/==\r\n"]);
  expect(() => line("TOKEN")).toThrow("TOKEN");
  expect(() => line("TOKEN", "two words")).toThrow("the value of TOKEN has characters that a token cannot have");
});

test.each([
  ["http1", "http1"],
  ["h2c", "PRI * HTTP/2.0"],
])("the servers of an upstream with the protocol %s get %s", async (protocol, expected) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (data) => resolve(data.toString("latin1").split("\r\n", 1)[0] ?? ""));
  });
  const port = await listenOnLoopback(server);
  const upstreams = provideAll([{ name: "u", protocol, servers: [{ address: "127.0.0.1", port }] }]);
  upstreams.setMembers({ u: [member(port)] });
  const waiter = new Waiter({
    // A connection of HTTP/1 sends nothing before its request.
    send: (connection) => connection instanceof ClientConnection && resolve("http1"),
    refused: resolve,
  });
  upstreams.get("u").servers[0]?.pool.wait(waiter, 2000);
  expect(await promise).toBe(expected);
  upstreams.close(undefined);
  server.close();
});
