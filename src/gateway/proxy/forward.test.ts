/** Late events of a finished request must not reach those that follow on its connections. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { until } from "../../lib/testing/until.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { callTarget } from "../filters/calls/call-targets.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { TenantUpstream } from "../tenants/tenant-server.ts";
import { forward } from "./forward.ts";
import { patient } from "../../lib/testing/patience.ts";
import { type Gateway, startGateway } from "../../../test/support/gateway.ts";
import { type Message, statusOf } from "../../../test/support/message.ts";
import { RawClient } from "../../../test/support/raw-client.ts";
import { Http2Origin } from "../../../test/proxy/testing/http2-origin.ts";
import { type OriginConnection, RawOrigin } from "../../../test/support/raw-origin.ts";

setDefaultTimeout(patient(30_000));

const READ_MS = 300;
const CLIENTS = 8;

let origin: RawOrigin;
let http2: Http2Origin;
let gateway: Gateway;
/** Requests that wait for `release`, in the order in which they came. */
let held: { path: string; connection: OriginConnection }[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  http2 = await Http2Origin.start();
  const upstream = { name: "origin", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 }] };
  gateway = await startGateway({
    access_log: { enabled: false },
    upstreams: [
      upstream,
      { name: "gone", servers: [], deleted: true },
      { name: "h2", protocol: "h2c", servers: [{ address: "127.0.0.1", port: http2.port }] },
    ],
    routes: [
      { path_prefix: "/gone", upstream: "gone" },
      { path_prefix: "/gone-gathered", upstream: "gone", request_buffering: true },
      { path_prefix: "/", upstream: "origin", retry: { max_retries: 0 } },
      { path_prefix: "/split", rewrite: { host: "route.test" }, traffic_split: [{ upstream: "origin", weight: 1 }] },
      {
        path_prefix: "/own-split",
        rewrite: { host: "route.test" },
        traffic_split: [{ upstream: "origin", weight: 1, rewrite: { host: "entry.test" } }],
      },
      { path_prefix: "/h2", upstream: "h2" },
      { path_prefix: "/hasty", upstream: "origin", retry: { max_retries: 0 }, read_timeout_ms: READ_MS },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await http2.stop();
  await origin.stop();
});

beforeEach(() => {
  held = [];
  origin.reset();
  origin.response = (request, connection) => {
    const path = pathOf(request);
    if (path.includes("held")) held.push({ path, connection });
    else respond(path, connection);
  };
});

function pathOf({ startLine }: Message): string {
  return startLine.split(" ")[1] ?? "";
}

function respond(path: string, connection: OriginConnection): void {
  connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
}

async function ask(client: RawClient, path: string): Promise<void> {
  client.send(get(path));
  expect((await client.finalResponse()).body).toBe(path);
}

/** Clients whose requests wait at the origin; each has a connection to it. */
async function holdAll(paths: readonly string[]): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (const path of paths) {
    const client = await RawClient.open(gateway.port);
    clients.push(client);
    client.send(get(path));
    await origin.until(path, () => held.find((one) => one.path === path));
  }
  return clients;
}

/** Responds to the waiting requests, and checks that each client gets its own response. */
async function releaseAll(clients: readonly RawClient[], paths: readonly string[]): Promise<void> {
  for (const { path, connection } of held.toReversed()) respond(path, connection);
  for (const [at, client] of clients.entries()) {
    expect((await client.finalResponse()).body).toBe(paths[at] ?? "");
    expect(client.rest()).toBe("");
  }
}

const PATHS = Array.from({ length: CLIENTS }, (_, n) => `/held-${n}`);

/** Finished requests on as many connections as there are clients, so that the next requests use their connections. */
async function finishSome(): Promise<RawClient[]> {
  const clients = await holdAll(PATHS);
  await releaseAll(clients, PATHS);
  held = [];
  for (const client of clients) await ask(client, "/next");
  return clients;
}

test("an interim response comes once, before the response", async () => {
  const client = await RawClient.open(gateway.port);
  client.send(get("/held"));
  await origin.until("/held", () => held[0]);
  held[0]?.connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  expect(statusOf(await client.response())).toBe(103);
  respond("/held", held[0]?.connection ?? expect.unreachable());
  expect((await client.response()).body).toBe("/held");
  await ask(client, "/next");
  client.destroy();
});

test.each(["/gone", "/gone-gathered"])("at %s, an upstream that was deleted has no servers", async (path) => {
  const client = await RawClient.open(gateway.port);
  client.send(`POST ${path} HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nhi`);
  const response = await client.finalResponse();
  expect([statusOf(response), response.body]).toEqual([503, expect.stringContaining("the upstream has no servers")]);
  client.destroy();
});

test.each([
  ["/split", "route.test"],
  ["/own-split", "entry.test"],
])("%s has the host %s for its upstream", async (path, host) => {
  const client = await RawClient.open(gateway.port);
  let asked: Message | undefined;
  const { response } = origin;
  origin.response = (request, connection) => {
    asked = request;
    response(request, connection);
  };
  await ask(client, path);
  expect(asked?.fields.filter(([name]) => name.toLowerCase() === "host")).toEqual([["Host", host]]);
  client.destroy();
});

const HANDSHAKE =
  "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

test("a WebSocket connection carries bytes in both directions until its upstream ends it", async () => {
  const client = await RawClient.open(gateway.port);
  origin.response = (_request, connection) => {
    const accepted =
      "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    connection.send(`HTTP/1.1 101 Switching Protocols\r\n${accepted}\r\n\x81\x03one`);
  };
  client.send(`GET /ws HTTP/1.1\r\nHost: a.test\r\n${HANDSHAKE}\r\n`);
  await client.sees("\x81\x03one");
  client.send("\x81\x83\0\0\0\0two");
  const [connection] = origin.connections;
  await origin.until("the message", () => connection?.received.endsWith("\0two") || undefined);
  connection?.end("\x81\x05three");
  await client.sees("\x81\x05three");
  await origin.until("the end", () => connection?.closed || undefined);
  client.destroy();
});

test("a WebSocket handshake for an upstream over HTTP/2 is refused, and the connection serves the next request", async () => {
  const client = await RawClient.open(gateway.port);
  client.send(`GET /h2 HTTP/1.1\r\nHost: a.test\r\n${HANDSHAKE}\r\n`);
  expect(statusOf(await client.response())).toBe(501);
  await ask(client, "/next");
  expect(http2.requests).toEqual([]);
  client.destroy();
});

test("a client that takes the rest of its response late resumes no later response on the same connection", async () => {
  const socket = join(mkdtempSync(join(tmpdir(), "turnpike-forward-")), "origin.sock");
  const local = await RawOrigin.start(socket);
  const wheel = new TimerWheel();
  const upstream = new TenantUpstream(
    socket,
    { wheel, buffers: plentyOfBuffers(), onError: (error) => expect.unreachable(String(error)) },
    { ended() {}, failed() {} },
  );
  const target = callTarget(upstream, { wheel, serviceName: "test" });
  const [first, second] = [new Consumer(), new Consumer()];
  const exchanges = [first, second].map((client) => new ClientExchange(client, { method: "GET", bodyLength: 0 }));
  const [one, two] = exchanges.map((exchange) => () => forward(exchange, target));
  one?.();
  await until(() => first.isOver);
  local.response = (_request, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  second.room = false;
  two?.();
  await until(() => second.length === 4);
  expect(local.connections).toHaveLength(1);
  using resumed = spyOn(ClientConnection.prototype, "resume");
  exchanges[0]?.drained();
  expect(resumed).not.toHaveBeenCalled();
  exchanges[1]?.drained();
  expect(resumed).toHaveBeenCalledTimes(1);
  upstream.close();
  wheel.close();
  await local.stop();
  rmSync(dirname(socket), { recursive: true });
});

test("clients that leave after their response do not stop the requests that follow", async () => {
  const finished = await finishSome();
  const clients = await holdAll(PATHS);
  for (const client of finished) client.destroy();
  await ask(await RawClient.open(gateway.port), "/seen");
  expect(held.map(({ connection }) => connection.closed)).toEqual(PATHS.map(() => false));
  await releaseAll(clients, PATHS);
});

test("a client that leaves stops its own request and no other", async () => {
  await finishSome();
  const clients = await holdAll(PATHS);
  const [left] = clients.splice(3, 1);
  left?.destroy();
  await origin.until("its connection closed", () => (held[3]?.connection.closed === true ? true : undefined));
  held.splice(3, 1);
  await releaseAll(
    clients,
    PATHS.filter((_, n) => n !== 3),
  );
});

test.each([
  ["bytes", (connection: OriginConnection) => connection.send("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno")],
  ["a FIN", (connection: OriginConnection) => connection.end()],
  ["a reset", (connection: OriginConnection) => connection.reset()],
])("an upstream that sends %s after a response harms no later request", async (_, late) => {
  await finishSome();
  const idle = origin.connections.filter(({ closed }) => !closed);
  const paths = PATHS.slice(0, 2);
  const clients = await holdAll(paths);
  const busy = new Set(held.map(({ connection }) => connection));
  for (const connection of idle) if (!busy.has(connection)) late(connection);
  await origin.until("they closed", () =>
    idle.every((connection) => busy.has(connection) || connection.closed) ? true : undefined,
  );
  await releaseAll(clients, paths);
});

test("a timeout ends the request that it belongs to and no other", async () => {
  await finishSome();
  const [hasty] = await holdAll(["/hasty/held"]);
  held = [];
  const clients = await holdAll(PATHS);
  expect(statusOf((await hasty?.finalResponse()) as Message)).toBe(504);
  for (let i = 0; i < 3; i++) await ask(await RawClient.open(gateway.port), `/after-${i}`);
  await releaseAll(clients, PATHS);
});

test("pipelined requests get their responses in order, while other requests come and go", async () => {
  const pipelined = await RawClient.open(gateway.port);
  const others = await finishSome();
  for (let round = 0; round < 5; round++) {
    const paths = Array.from({ length: 10 }, (_, n) => `/p-${round}-${n}`);
    pipelined.send(paths.map(get).join(""));
    for (const other of others) other.send(get(`/other-${round}`));
    for (const path of paths) expect((await pipelined.finalResponse()).body).toBe(path);
    for (const other of others) expect((await other.finalResponse()).body).toBe(`/other-${round}`);
  }
  expect(pipelined.rest()).toBe("");
});

test("a response that its upstream cuts off ends its own exchange, and those that follow are whole", async () => {
  await finishSome();
  const clients = await holdAll(PATHS);
  const first = held.shift();
  first?.connection.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  await clients[0]?.sees("half");
  await ask(await RawClient.open(gateway.port), "/seen");
  await releaseAll(clients.slice(1), PATHS.slice(1));
});
