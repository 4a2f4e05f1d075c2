import { afterEach, beforeEach, expect, test } from "bun:test";
import { createSecureServer, createServer } from "node:http2";
import { type AddressInfo } from "node:net";
import { RawOrigin } from "../../../../test/support/raw-origin.ts";
import { Folder, Program, until } from "../../../../test/support/program.ts";
import { attempts, SWALLOWER } from "../../../../test/support/swallower.ts";
import { LOCALHOST, TEST_CA } from "../../../../test/support/certificates.ts";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { type TlsClientOptions, trustOf } from "../../wire/tls-connect.ts";
import { ServerStates } from "../outlier-detection.ts";
import { HealthChecks } from "./health-checks.ts";
import { reasonName } from "../probe-reason.ts";
import { type CheckedServer } from "./server-check.ts";
import { isInstalled } from "../../../lib/testing/installed.ts";

const INTERVAL_MS = 5000;
const TIMEOUT_MS = 2000;
const SLOT = 3;
const CHECK = {
  path: "/health?full=1",
  interval_ms: INTERVAL_MS,
  timeout_ms: TIMEOUT_MS,
  expected_status: 200,
  healthy_threshold: 2,
  unhealthy_threshold: 3,
};

/** Counts the results of probes. */
class HeardStates extends ServerStates {
  results = 0;
  override setActive(...args: Parameters<ServerStates["setActive"]>): void {
    super.setActive(...args);
    if (args[1] !== undefined) this.results++;
  }
}

let clock: FakeClock;
let states: HeardStates;
let checks: HealthChecks;
let origin: RawOrigin;
let logged: string[];
let errors: unknown[];
/** The server's first probe has not been sent. */
let fresh: boolean;

beforeEach(async () => {
  clock = new FakeClock();
  states = new HeardStates(SharedZone.local(zoneShape(1)), 1);
  logged = [];
  errors = [];
  const onError = (error: unknown): void => void errors.push(error);
  checks = new HealthChecks({
    wheel: new TimerWheel(clock, onError),
    buffers: plentyOfBuffers(),
    states,
    random: () => 0.5,
    clock: () => clock.time,
    log: (message) => logged.push(message),
    onError,
  });
  origin = await RawOrigin.start();
  origin.response = responding("200 OK", "fine");
});

afterEach(async () => {
  checks.close();
  await origin.stop();
  expect(errors).toEqual([]);
});

function responding(status: string, body: string): RawOrigin["response"] {
  return (_, connection) =>
    connection.end(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
}

function server(check: Partial<CheckedServer["check"]> = {}, port = origin.port): CheckedServer {
  return {
    upstream: "u",
    slot: SLOT,
    endpoint: { address: "127.0.0.1", port },
    check: { ...CHECK, ...check },
    dial: { allowPrivate: true, tls: undefined },
    protocol: "http1",
  };
}

/** Probes only these servers from now on. */
function probeFrom(servers: readonly CheckedServer[]): void {
  checks.set(servers);
  fresh = true;
}

/** Moves the clock to the next probe, and by `thenMs` while it is under way. Waits for the result. */
async function probe(thenMs = 0): Promise<string> {
  const { results } = states;
  const asked = origin.connections.length;
  // The first probe is sent at once, and each further one an interval after the one before. The wheel adds up to 20 ms.
  clock.advance(fresh ? 100 : INTERVAL_MS + 20);
  fresh = false;
  if (thenMs > 0) {
    await until("a probe is under way", () => (origin.connections.length > asked ? true : undefined));
    clock.advance(thenMs);
  }
  await until("the probe is over", () => (states.results > results ? true : undefined));
  const { up, reason } = states.active(SLOT);
  return `${up === true ? "healthy" : "unhealthy"} ${reasonName(reason)}`.trim();
}

test("a healthy server becomes unhealthy after unhealthy_threshold failures in a row, and a success before that resets the count", async () => {
  probeFrom([server()]);
  expect(await probe()).toBe("healthy");
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("healthy status");
  expect(await probe()).toBe("healthy status");
  origin.response = responding("200 OK", "");
  expect(await probe()).toBe("healthy");
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("healthy status");
  expect(await probe()).toBe("healthy status");
  expect(await probe()).toBe("unhealthy status");
  expect(states.isInRotation(SLOT, 1000)).toBe(false);
});

test("an unhealthy server becomes healthy after healthy_threshold successes in a row, and a failure before that resets the count", async () => {
  probeFrom([server({ unhealthy_threshold: 1 })]);
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("unhealthy status");
  origin.response = responding("200 OK", "");
  expect(await probe()).toBe("unhealthy");
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("unhealthy status");
  origin.response = responding("200 OK", "");
  expect(await probe()).toBe("unhealthy");
  expect(await probe()).toBe("healthy");
  expect(states.isInRotation(SLOT, 1000)).toBe(true);
});

test("a server without probes, or before its first probe, is in rotation", () => {
  expect(states.isInRotation(SLOT, 1000)).toBe(true);
  probeFrom([server()]);
  expect(states.isInRotation(SLOT, 1000)).toBe(true);
  expect(checks.stateOf(SLOT)).toEqual({ state: "healthy", reason: "", since: 0 });
});

test("each change of state is logged once with its reason, and its time is recorded", async () => {
  probeFrom([server({ unhealthy_threshold: 2, healthy_threshold: 1 })]);
  origin.response = responding("404 No", "");
  for (let i = 0; i < 4; i++) await probe();
  const { since = 0, ...rest } = checks.stateOf(SLOT) ?? {};
  expect(rest).toEqual({ state: "unhealthy", reason: "status" });
  expect(since).toBeWithin(INTERVAL_MS, INTERVAL_MS + 200);
  origin.response = responding("200 OK", "");
  for (let i = 0; i < 2; i++) await probe();
  const name = `upstream "u": server 127.0.0.1:${origin.port}`;
  expect(logged).toEqual([`${name} is unhealthy: status`, `${name} is healthy again`]);
});

test("a probe requests the path with name and port, and closes its connection", async () => {
  probeFrom([server()]);
  await probe();
  const [request] = origin.requests;
  expect(request?.startLine).toBe("GET /health?full=1 HTTP/1.1");
  expect(origin.bytes).toContain(`\r\nHost: 127.0.0.1:${origin.port}\r\n`);
  expect(origin.bytes).toContain("\r\nConnection: close\r\n");
  await until("it is closed", () => (origin.connections.every(({ closed }) => closed) ? true : undefined));
});

const FAILURES: readonly { what: string; response: RawOrigin["response"]; reason: string; thenMs?: number }[] = [
  { what: "another status", response: responding("204 No Content", ""), reason: "status" },
  { what: "a body without the text", response: responding("200 OK", "all is lost"), reason: "body" },
  { what: "no response in time", response: () => {}, reason: "timeout", thenMs: TIMEOUT_MS + 100 },
  {
    what: "a head that does not end in time",
    response: (_, connection) => connection.send("HTTP/1.1 200 OK\r\n"),
    reason: "timeout",
    thenMs: TIMEOUT_MS + 100,
  },
  {
    what: "a body that does not end in time",
    response: (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nwell"),
    reason: "timeout",
    thenMs: TIMEOUT_MS + 100,
  },
  { what: "no response but a reset", response: (_, connection) => connection.reset(), reason: "closed" },
  { what: "no response but a FIN", response: (_, connection) => connection.end(), reason: "closed" },
  {
    what: "half a response",
    response: (_, connection) => connection.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nwell"),
    reason: "closed",
  },
  {
    what: "something else than HTTP",
    response: (_, connection) => connection.send("220 mail\r\n"),
    reason: "malformed",
  },
];

for (const { what, response, reason, thenMs } of FAILURES) {
  test(`${what} is a failure: ${reason}`, async () => {
    probeFrom([server({ unhealthy_threshold: 1, expected_body: "well" })]);
    origin.response = response;
    expect(await probe(thenMs)).toBe(`unhealthy ${reason}`);
    await until("it is closed", () => (origin.connections.every(({ closed }) => closed) ? true : undefined));
  });
}

test("a server that refuses is unhealthy, and becomes healthy when it listens again", async () => {
  const { port } = origin;
  await origin.stop();
  probeFrom([server({ unhealthy_threshold: 1, healthy_threshold: 1 }, port)]);
  expect(await probe()).toBe("unhealthy refused");
  const back = Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response("fine") });
  expect(await probe()).toBe("healthy");
  await back.stop(true);
  origin = await RawOrigin.start();
});

test("the text is searched for in the first 64 KiB, and the rest of a longer body is not read", async () => {
  const long = "x".repeat(65_536);
  probeFrom([server({ unhealthy_threshold: 1, healthy_threshold: 1, expected_body: "fin\u00e9" })]);
  origin.response = (_, connection) =>
    connection.send(`HTTP/1.1 200 OK\r\n\r\n${Buffer.from("fin\u00e9").toString("latin1")}${long}`);
  expect(await probe()).toBe("healthy");
  origin.response = (_, connection) => connection.send(`HTTP/1.1 200 OK\r\n\r\n${long}fin\xc3\xa9`);
  expect(await probe()).toBe("unhealthy body");
});

test("an HTTP/2 server without TLS is probed over HTTP/2", async () => {
  const http2 = createServer();
  const closed = Promise.withResolvers<void>();
  http2.on("session", (session) => session.once("close", closed.resolve));
  const seen: unknown[] = [];
  http2.on("stream", (stream, headers) => {
    seen.push([headers[":method"], headers[":path"], headers[":authority"]]);
    stream.respond({ ":status": 200 });
    stream.end("fine");
  });
  await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
  // The address of a server that listens on TCP is an object with a port.
  const { port } = http2.address() as AddressInfo;
  probeFrom([{ ...server({ expected_body: "fine", unhealthy_threshold: 1 }, port), protocol: "h2" }]);
  expect(await probe()).toBe("healthy");
  expect(seen).toEqual([["GET", "/health?full=1", `127.0.0.1:${port}`]]);
  await closed.promise;
  probeFrom([{ ...server({ unhealthy_threshold: 1 }), protocol: "h2" }]);
  origin.onBytes = (connection) => connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  expect(await probe()).toBe("unhealthy malformed");
  http2.close();
});

function overTls(port: number, tls: Partial<TlsClientOptions>, protocol: CheckedServer["protocol"]): CheckedServer {
  const options = { verify: true, serverName: "localhost", protocols: [], trust: trustOf(TEST_CA.cert), ...tls };
  return {
    ...server({ unhealthy_threshold: 1, healthy_threshold: 1 }, port),
    dial: { allowPrivate: true, tls: options },
    protocol,
  };
}

test("a TLS server is probed by its name, and its certificate must be valid if the settings require that", async () => {
  const hosts: (string | null)[] = [];
  const { cert, key } = LOCALHOST;
  const tls = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert, key },
    fetch(request) {
      hosts.push(request.headers.get("host"));
      return new Response("fine");
    },
  });
  const port = tls.port ?? 0;
  probeFrom([overTls(port, {}, "http1")]);
  expect(await probe()).toBe("healthy");
  expect(hosts).toEqual([`localhost:${port}`]);
  probeFrom([overTls(port, { trust: trustOf("") }, "http1")]);
  expect(await probe()).toBe("unhealthy tls");
  probeFrom([overTls(port, { trust: trustOf(""), verify: false, serverName: "" }, "http1")]);
  expect(await probe()).toBe("healthy");
  expect(hosts[1]).toBe(`127.0.0.1:${port}`);
  await tls.stop(true);
});

test("a TLS server that does not agree on HTTP/2 is unhealthy, and its connection is closed", async () => {
  const closed = Promise.withResolvers<void>();
  const { cert, key } = LOCALHOST;
  const socket = { data() {}, close: () => closed.resolve() };
  const tls = Bun.listen({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, socket });
  probeFrom([overTls(tls.port, { protocols: ["h2"] }, "h2")]);
  expect(await probe()).toBe("unhealthy tls");
  await closed.promise;
  tls.stop();
});

test("an HTTP/2 server with TLS is probed with the protocol that ALPN agreed on", async () => {
  const { cert, key } = LOCALHOST;
  const versions: string[] = [];
  const http2 = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.end("fine");
  });
  await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
  // The address of a server that listens on TCP is an object with a port.
  const { port } = http2.address() as AddressInfo;
  probeFrom([overTls(port, { protocols: ["h2", "http/1.1"] }, "auto")]);
  expect(await probe()).toBe("healthy");
  probeFrom([overTls(port, { protocols: ["http/1.1"] }, "auto")]);
  expect(await probe()).toBe("healthy");
  probeFrom([overTls(port, { protocols: ["h2"] }, "h2")]);
  expect(await probe()).toBe("healthy");
  expect(versions).toEqual(["2.0", "1.1", "2.0"]);
  http2.close();
});

test("a server at a Unix socket is probed", async () => {
  const folder = new Folder();
  const unix = folder.file("a.sock");
  const local = await RawOrigin.start(unix);
  probeFrom([{ ...server({ unhealthy_threshold: 1 }), endpoint: { unix } }]);
  expect(await probe()).toBe("healthy");
  expect(local.bytes).toContain("\r\nHost: localhost\r\n");
  await local.stop();
  folder.remove();
});

test("a private address is not probed if the upstream forbids private addresses", async () => {
  probeFrom([{ ...server({ unhealthy_threshold: 1 }), dial: { allowPrivate: false, tls: undefined } }]);
  expect(await probe()).toBe("unhealthy private");
  expect(origin.connections).toEqual([]);
});

test("a name without an address is a failure: unresolved", async () => {
  // No valid label is this long (RFC 1035 §2.3.4), so no name server is queried.
  const endpoint = { address: `${"a".repeat(64)}.test`, port: 80 };
  probeFrom([{ ...server({ unhealthy_threshold: 1 }), endpoint }]);
  expect(await probe()).toBe("unhealthy unresolved");
});

test("a server that hangs gets no further probe before its probe has ended", async () => {
  probeFrom([server({ interval_ms: 100, timeout_ms: 1000 })]);
  origin.response = () => {};
  clock.advance(100);
  await until("a probe is under way", () => origin.requests[0]);
  clock.advance(900);
  expect(origin.connections).toHaveLength(1);
  clock.advance(200);
  await until("the next probe is under way", () => origin.requests[1]);
});

test.skipIf(!isInstalled("python3"))(
  "of a named server that swallows SYNs no more than 4 attempts to connect hang (skipped without python3)",
  async () => {
    const swallower = new Program(["-c", SWALLOWER], { command: ["python3"] });
    const [line] = await swallower.sees(/\d+\n/);
    const port = Number(line);
    const before = attempts(port);
    // Attempts to connect to an address end when they are given up.
    const named = { ...server({ unhealthy_threshold: 1 }), endpoint: { address: "localhost", port } };
    probeFrom([named]);
    clock.advance(100);
    for (let probes = 1; probes < 8; probes++) {
      clock.advance(TIMEOUT_MS + 20);
      expect(states.results).toBe(probes);
      clock.advance(INTERVAL_MS - TIMEOUT_MS);
    }
    expect(checks.stateOf(SLOT)).toMatchObject({ state: "unhealthy", reason: "timeout" });
    await until("four hang", () => (attempts(port) - before >= 4 ? true : undefined));
    expect(attempts(port) - before).toBe(4);
    swallower.kill("SIGKILL");
    await swallower.exit();
  },
);

test("at most 64 probes run at a time", async () => {
  origin.response = () => {};
  const servers = Array.from({ length: 100 }, (_, slot) => ({ ...server(), slot }));
  probeFrom(servers);
  clock.advance(200);
  await until("64 are under way", () => origin.requests[63]);
  expect(origin.connections).toHaveLength(64);
  clock.advance(TIMEOUT_MS);
  await until("the others are", () => origin.requests[99]);
  expect(origin.connections).toHaveLength(100);
});

test("a server that is removed while its probe waits for others is not probed", async () => {
  origin.response = () => {};
  const servers = Array.from({ length: 70 }, (_, slot) => ({ ...server(), slot }));
  probeFrom(servers);
  clock.advance(200);
  await until("64 are under way", () => origin.requests[63]);
  // The first 64 are the ones under way.
  checks.set(servers.slice(0, 65));
  clock.advance(TIMEOUT_MS);
  await until("the one that is left is under way", () => origin.requests[64]);
  await until("the others have ended", () => (states.results === 64 ? true : undefined));
  expect(origin.connections).toHaveLength(65);
});

test("a removed server is not probed, and its state is forgotten", async () => {
  probeFrom([server({ unhealthy_threshold: 1 })]);
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("unhealthy status");
  checks.set([]);
  expect(states.active(SLOT).up).toBeUndefined();
  expect(checks.stateOf(SLOT)).toBeUndefined();
  const asked = origin.connections.length;
  clock.advance(3 * INTERVAL_MS);
  expect(origin.connections).toHaveLength(asked);
});

test("a probe under way is cut off when its server is removed, and its result is dropped", async () => {
  probeFrom([server({ unhealthy_threshold: 1 })]);
  origin.response = () => {};
  clock.advance(100);
  await until("it is under way", () => origin.requests[0]);
  checks.set([]);
  await until("it is closed", () => (origin.connections.every(({ closed }) => closed) ? true : undefined));
  clock.advance(TIMEOUT_MS + 100);
  expect(states.results).toBe(0);
});

test("a server whose probe settings change keeps its state, and a server that takes its slot does not get it", async () => {
  probeFrom([server({ unhealthy_threshold: 1 })]);
  origin.response = responding("500 No", "");
  expect(await probe()).toBe("unhealthy status");
  probeFrom([server({ unhealthy_threshold: 1, expected_status: 500 })]);
  expect(states.isInRotation(SLOT, 1000)).toBe(false);
  expect(checks.stateOf(SLOT)).toMatchObject({ state: "unhealthy" });
  expect(await probe()).toBe("unhealthy");
  probeFrom([{ ...server({ unhealthy_threshold: 1 }), upstream: "other" }]);
  expect(checks.stateOf(SLOT)).toMatchObject({ state: "healthy" });
});
