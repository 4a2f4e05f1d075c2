/** `buffer_pool`: the memory of one worker for slow peers is bounded. If it is used up, new clients get an error. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const BUFFER = 16_384;
const COUNT = 256;
const SLOW_READERS = 5;
/** Checks of one client's effect. */
const MAX_LOOKS = 50;
const BIG = 64 * 1024 * 1024;
const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
const SLOW_GET = "GET /big HTTP/1.1\r\nHost: a.test\r\n\r\n";

let origin: RawOrigin;
let gateway: Gateway | undefined;
let clients: RawClient[] = [];

beforeEach(async () => {
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await gateway?.stop();
  gateway = undefined;
  await origin.stop();
});

async function start(bufferCount = COUNT, bufferSize = BUFFER): Promise<number> {
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    access_log: { enabled: false },
    server: { max_connections: bufferCount / 2 },
    limits: { max_body_bytes: BIG },
    buffer_pool: { buffer_size: bufferSize, buffer_count: bufferCount },
    upstreams,
    routes: routes.map((route) => ({ ...route, max_response_bytes: BIG * 2, retry: { max_retries: 0 } })),
  });
  return gateway.port;
}

async function open(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  clients.push(client);
  return client;
}

/** A client that requests more than all socket buffers hold, and reads nothing. */
async function slowReader(port: number): Promise<RawClient> {
  const client = await open(port);
  client.socket.pause();
  client.send(SLOW_GET);
  return client;
}

/** Sends `BIG` bytes as fast as they are read. */
function sendBig({ socket }: OriginConnection): void {
  const chunk = Buffer.alloc(1 << 18, "x");
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG}\r\n\r\n`);
  let sent = 0;
  const fill = (): void => {
    while (sent < BIG && !socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on("drain", fill);
  fill();
}

function respondBig(): void {
  const { response } = origin;
  origin.response = (request, connection) => {
    if (request.startLine.startsWith("GET /big")) sendBig(connection);
    else if (!request.startLine.startsWith("GET /never")) response(request, connection);
  };
}

async function metric(port: number, name: string, pool = "stream"): Promise<number> {
  const { body } = await once(port, "GET /metrics HTTP/1.1\r\nHost: a.test\r\n\r\n");
  return valueOf(body, name, { pool });
}

/**
 * Sends `bytes` of pipelined requests behind a response that never arrives. They wait in memory: in at least 4 buffers
 * if these have 64 KiB or more.
 */
async function eagerSender(port: number, bytes: number): Promise<void> {
  const client = await open(port);
  const ahead = "GET /later HTTP/1.1\r\nHost: a.test\r\n\r\n";
  client.send(`GET /never HTTP/1.1\r\nHost: a.test\r\n\r\n${ahead.repeat(Math.ceil(bytes / ahead.length))}`);
}

/** Fills the buffers with data for slow readers, and the rest with pipelined requests. */
async function exhaust(port: number): Promise<void> {
  const used = async (): Promise<number> => (await metric(port, "turnpike_buffer_bytes")) / BUFFER;
  /** The kernel may take more from a slow reader's socket and free a buffer: then another client is added. */
  const waitsFor = async (what: string, before: number): Promise<void> => {
    let looks = 0;
    await until(what, async () => ((await used()) > before || ++looks === MAX_LOOKS ? true : undefined));
  };
  for (let i = 0; i < SLOW_READERS; i++) {
    const before = await used();
    await slowReader(port);
    await waitsFor("a response that waits", before);
  }
  expect(await used()).toBeGreaterThan(0);
  for (let before = await used(); before < COUNT - 1; before = await used()) {
    await eagerSender(port, COUNT - before > 7 ? 100_000 : 1);
    await waitsFor("requests that wait", before);
  }
}

test("slow clients use up the buffers; new requests then get 503 and are not forwarded, until the clients have left", async () => {
  const port = await start();
  respondBig();
  expect(statusOf(await once(port, GET))).toBe(200);
  let seen = 0;
  let refused: Awaited<ReturnType<typeof once>>;
  do {
    await exhaust(port);
    seen = origin.requests.length;
    refused = await once(port, GET);
    // The kernel has taken more from a slow reader's socket meanwhile.
  } while (statusOf(refused) === 200);
  expect([statusOf(refused), valuesOf(refused, "retry-after"), valuesOf(refused, "content-type")]).toEqual([
    503,
    ["1"],
    ["application/problem+json"],
  ]);
  expect(JSON.parse(refused.body)).toMatchObject({ type: "urn:turnpike:error:overloaded", status: 503 });
  expect(origin.requests.length).toBe(seen);
  expect(statusOf(await once(port, "GET /.healthz HTTP/1.1\r\nHost: a.test\r\n\r\n"))).toBe(200);
  expect(await metric(port, "turnpike_buffer_bytes")).toBeLessThanOrEqual(COUNT * BUFFER);
  expect(await metric(port, "turnpike_buffer_refusals_total")).toBeGreaterThan(0);
  for (const client of clients) client.destroy();
  // The gateway does not read from a client with waiting requests until the one before them has ended.
  for (const connection of origin.connections) if (connection.received.includes("/never")) connection.reset();
  await until("buffers again", async () => (statusOf(await once(port, GET)) === 200 ? true : undefined));
  await until("all buffers", async () => ((await metric(port, "turnpike_buffer_bytes")) === 0 ? true : undefined));
});

test("a slow reader that continues gets every byte, and its buffers are freed", async () => {
  const port = await start();
  respondBig();
  const client = await slowReader(port);
  await until("bytes that wait", async () => ((await metric(port, "turnpike_buffer_bytes")) > 0 ? true : undefined));
  let received = 0;
  client.socket.removeAllListeners("data");
  client.socket.on("data", (chunk) => {
    received += chunk.length;
  });
  client.socket.resume();
  await until("the whole response", () => (received > BIG ? true : undefined));
  expect(await metric(port, "turnpike_buffer_bytes")).toBe(0);
});

/**
 * A slow reader whose response found no free buffer. By chance, the rest of a read after the socket is full can be
 * small enough.
 */
async function refusedReader(port: number): Promise<RawClient> {
  for (;;) {
    const client = await slowReader(port);
    await until("a response that waits or is cut off", async () => {
      const held = await metric(port, "turnpike_buffer_bytes");
      return held > 0 || (await metric(port, "turnpike_buffer_refusals_total")) > 0 ? true : undefined;
    });
    if ((await metric(port, "turnpike_buffer_refusals_total")) > 0) return client;
    client.destroy();
    await until("the buffers", async () => ((await metric(port, "turnpike_buffer_bytes")) === 0 ? true : undefined));
  }
}

test("a response that would exceed the limit is cut off, and the others are served", async () => {
  const port = await start(32, 1024);
  respondBig();
  const client = await refusedReader(port);
  await until("the end of the request", () =>
    origin.connections.every(({ received, closed }) => !received.includes("/big") || closed) ? true : undefined,
  );
  expect(await metric(port, "turnpike_buffer_bytes")).toBe(0);
  client.socket.resume();
  await client.closed();
  expect(statusOf(await once(port, GET))).toBe(200);
});

test("a body that a slow origin does not read is buffered within the limit, or gets 503", async () => {
  const port = await start(32, 1024);
  origin.onBytes = ({ socket }) => socket.pause();
  const client = await open(port);
  client.send(`POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${BIG}\r\n\r\n`);
  const chunk = "x".repeat(1 << 18);
  const feed = setInterval(() => client.send(chunk), 5);
  const response = await client.response("POST", 20_000);
  clearInterval(feed);
  expect([statusOf(response), valuesOf(response, "retry-after")]).toEqual([503, ["1"]]);
  expect(await metric(port, "turnpike_buffer_bytes")).toBe(0);
  origin.onBytes = undefined;
  expect(statusOf(await once(port, GET))).toBe(200);
});

test("buffered uploads use body buffers, and get 503 without a free one", async () => {
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    access_log: { enabled: false },
    buffer_pool: { body_buffer_size: 8192, body_buffer_count: 4 },
    upstreams,
    routes: routes.map((route) => ({ ...route, body_schema: { type: "string" } })),
  });
  const { port } = gateway;
  const head = "POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\n";
  const upload = (length: number): string => `${head}Content-Length: ${length}\r\n\r\n"${"x".repeat(length - 2)}"`;
  const first = await open(port);
  first.send(upload(20_000).slice(0, -1));
  const used = (pool: string): Promise<number> => metric(port, "turnpike_buffer_bytes", pool);
  await until("the upload", async () => ((await used("body")) >= 19_999 ? true : undefined));
  expect(await used("stream")).toBe(0);
  const second = await open(port);
  second.send(upload(20_000));
  const refused = await second.response("POST");
  expect([statusOf(refused), valuesOf(refused, "retry-after")]).toEqual([503, ["1"]]);
  expect(await metric(port, "turnpike_buffer_refusals_total", "body")).toBe(1);
  expect(origin.requests.length).toBe(0);
  first.send('"');
  expect(statusOf(await first.response("POST"))).toBe(200);
  expect(await used("body")).toBe(0);
  expect(statusOf(await once(port, upload(20_000), "POST"))).toBe(200);
});

test("pipelined requests are buffered, and without a free buffer their connection closes", async () => {
  const port = await start();
  const asked = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => asked.resolve(connection);
  const client = await open(port);
  client.send(GET.repeat(5));
  const connection = await asked.promise;
  await until("requests that wait", async () =>
    (await metric(port, "turnpike_buffer_bytes")) === BUFFER ? true : undefined,
  );
  origin.reset();
  connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  for (let i = 0; i < 5; i++) expect(statusOf(await client.response())).toBe(200);
  await until("free buffers", async () => ((await metric(port, "turnpike_buffer_bytes")) === 0 ? true : undefined));
});

test("pipelined requests without a free buffer are dropped with their connection, after the response before them", async () => {
  const port = await start(32, 1024);
  const asked = Promise.withResolvers<OriginConnection>();
  origin.response = (_, connection) => asked.resolve(connection);
  const client = await open(port);
  client.send(`${GET}GET /y HTTP/1.1\r\nHost: a.test\r\nX: ${"x".repeat(32 * 1024)}\r\n\r\n`);
  (await asked.promise).send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const response = await client.response();
  expect([statusOf(response), valuesOf(response, "connection")]).toEqual([200, ["close"]]);
  await client.closed();
  expect(origin.summaries.filter((summary) => summary.startsWith("GET /y"))).toEqual([]);
});
