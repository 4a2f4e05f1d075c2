/** Connections to origins: kept, lost, refused, stalled, abandoned. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

let origin: RawOrigin;
let unixOrigin: RawOrigin;
let folder: string;
let gateway: Gateway;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-unix-"));
  origin = await RawOrigin.start();
  unixOrigin = await RawOrigin.start(join(folder, "origin.sock"));
  gateway = await startGateway({
    access_log: { enabled: false },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "narrow", servers: [serverAt(origin.port)], connection_pool: { max_connections: 1, max_idle: 1 } },
      { name: "unix", servers: [{ unix: join(folder, "origin.sock") }] },
      { name: "no-socket", servers: [{ unix: join(folder, "absent.sock") }] },
      { name: "refusing", servers: [serverAt(await freePort())] },
    ],
    routes: [
      { path_prefix: "/", upstream: "origin", request_buffering: false },
      { path_prefix: "/unix", upstream: "unix" },
      { path_prefix: "/no-socket", upstream: "no-socket" },
      { path_prefix: "/refused", upstream: "refusing" },
      { path_prefix: "/narrow", upstream: "narrow" },
      { path_prefix: "/stall", upstream: "origin", read_timeout_ms: 300, retry: { max_retries: 0 } },
      { path_prefix: "/total", upstream: "origin", total_timeout_ms: 600, retry: { max_retries: 0 } },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  await unixOrigin.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  origin.reset();
  unixOrigin.reset();
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
}

const POST = "POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello";

/** The connection with the origin's last request. */
async function lastConnection(): Promise<RawOrigin["connections"][number]> {
  return await origin.until("a connection", () => origin.connections.findLast(({ received }) => received !== ""));
}

describe("pooled connections", () => {
  test("requests of several clients share a connection", async () => {
    await once(gateway.port, get("/1"));
    const open = origin.connections.filter(({ closed }) => !closed).length;
    for (const path of ["/2", "/3", "/4"]) await once(gateway.port, get(path));
    expect(origin.connections.filter(({ closed }) => !closed)).toHaveLength(open);
  });

  test.each([
    ["GET", get("/x"), "GET /x"],
    ["POST", POST, "POST /x hello"],
  ])("an idle connection that the origin closed is not used for a %s", async (_, bytes, expected) => {
    await once(gateway.port, get("/1"));
    const idle = await lastConnection();
    idle.end();
    await origin.until("the other side's end", () => (idle.closed ? true : undefined));
    origin.reset();
    const response = await once(gateway.port, bytes);
    expect([statusOf(response), response.body]).toEqual([200, expected]);
    expect(origin.summaries).toEqual([expected]);
  });

  test("a GET whose pooled connection closes is sent again on another", async () => {
    await once(gateway.port, get("/1"));
    origin.reset();
    const { response: reply } = origin;
    origin.response = (_, connection) => {
      origin.response = reply;
      connection.reset();
    };
    const response = await once(gateway.port, get("/2"));
    expect([statusOf(response), response.body]).toEqual([200, "GET /2"]);
    expect(origin.summaries).toEqual(["GET /2", "GET /2"]);
  });

  test("a POST whose pooled connection closes gets 502 and is not sent again", async () => {
    await once(gateway.port, get("/1"));
    origin.reset();
    origin.response = (_, connection) => connection.reset();
    expect(statusOf(await once(gateway.port, POST))).toBe(502);
    expect(origin.summaries).toEqual(["POST /x hello"]);
  });

  test("a GET with a body is not sent again without its body", async () => {
    await once(gateway.port, get("/1"));
    origin.reset();
    origin.response = (_, connection) => connection.reset();
    const response = await once(gateway.port, "GET /2 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello");
    expect(statusOf(response)).toBe(502);
    expect(origin.summaries.every((text) => text === "GET /2 hello")).toBe(true);
  });

  test("many simultaneous clients each get their own response", async () => {
    const paths = Array.from({ length: 200 }, (_, i) => `/many/${i}`);
    const bodies = await Promise.all(paths.map(async (path) => (await once(gateway.port, get(path))).body));
    expect(bodies).toEqual(paths.map((path) => `GET ${path}`));
  });
});

describe("a pool of one connection", () => {
  test("serves requests at the same time one after another", async () => {
    const before = origin.connections.length;
    const paths = Array.from({ length: 20 }, (_, i) => `/narrow/${i}`);
    const bodies = await Promise.all(paths.map(async (path) => (await once(gateway.port, get(path))).body));
    expect(bodies).toEqual(paths.map((path) => `GET ${path}`));
    expect(origin.connections.length).toBeLessThanOrEqual(before + 1);
  });

  test("returns its connection when the client that waits for it, or uses it, disconnects", async () => {
    origin.response = () => undefined;
    const holder = await RawClient.open(gateway.port);
    holder.send(get("/narrow/holder"));
    await origin.until("the holder", () => (origin.summaries.includes("GET /narrow/holder") ? true : undefined));
    const waiter = await RawClient.open(gateway.port);
    waiter.send(get("/narrow/waiter"));
    const waiting = await RawClient.open(gateway.port);
    waiting.send(get("/narrow/patient"));
    waiter.destroy();
    origin.response = echo;
    holder.destroy();
    expect((await waiting.response()).body).toBe("GET /narrow/patient");
    waiting.destroy();
  });
});

describe("unreachable origins", () => {
  test.each([["/refused"], ["/no-socket"]])("%s is a 502 that names no address", async (path) => {
    const client = await RawClient.open(gateway.port);
    client.send(get(path));
    const response = await client.response();
    expect(statusOf(response)).toBe(502);
    expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
    expect(response.body).not.toContain("127.0.0.1");
    expect(response.body).not.toContain(folder);
    client.send(get("/after"));
    expect((await client.response()).body).toBe("GET /after");
    client.destroy();
  });

  test("a POST with a body to a refusing origin is a 502, and the client's connection continues correctly or closes", async () => {
    const client = await RawClient.open(gateway.port);
    client.send(`POST /refused HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello${get("/after")}`);
    const response = await client.response();
    expect(statusOf(response)).toBe(502);
    if (valuesOf(response, "connection").join().toLowerCase() !== "close") {
      expect((await client.response()).body).toBe("GET /after");
    }
    client.destroy();
  });
});

describe("Unix sockets", () => {
  test("requests go to an origin on a Unix socket and back", async () => {
    const response = await once(gateway.port, "POST /unix HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello");
    expect(response.body).toBe("POST /unix hello");
    const [request] = unixOrigin.requests;
    if (request === undefined) throw new Error("Nothing reached the origin");
    expect(valuesOf(request, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "host")).toHaveLength(1);
  });
});

describe("origins that stall", () => {
  test("no response within read_timeout_ms is a 504, and the origin's connection is closed", async () => {
    origin.response = () => undefined;
    const response = await once(gateway.port, get("/stall"));
    expect(statusOf(response)).toBe(504);
    expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
    const connection = await lastConnection();
    await origin.until("the end of the stalled connection", () => (connection.closed ? true : undefined));
  });

  test("a body that stalls is cut off", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    const client = await RawClient.open(gateway.port);
    client.send(get("/stall"));
    await client.closed();
    expect(client.received.endsWith("hello") || client.received.startsWith("HTTP/1.1 504 ")).toBe(true);
    client.destroy();
  });

  test("an origin that sends its header section too slowly exceeds total_timeout_ms", async () => {
    origin.response = (_, connection) => {
      connection.send("HTTP/1.1 200 OK\r\nX: ");
      const drip = setInterval(() => (connection.closed ? clearInterval(drip) : connection.send("y")), 50);
    };
    expect(statusOf(await once(gateway.port, get("/total")))).toBe(504);
  });
});

describe("clients that disconnect", () => {
  test("before the response: the origin's connection is closed", async () => {
    origin.response = () => undefined;
    const client = await RawClient.open(gateway.port);
    client.send(get("/1"));
    await origin.until("the request", () => (origin.requests.length === 1 ? true : undefined));
    client.destroy();
    const connection = await lastConnection();
    await origin.until("the cancelled connection's end", () => (connection.closed ? true : undefined));
  });

  test("in the middle of the response: the origin's connection is closed", async () => {
    origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    const client = await RawClient.open(gateway.port);
    client.send(get("/1"));
    await client.sees("hello");
    client.destroy();
    const connection = await lastConnection();
    await origin.until("the cancelled connection's end", () => (connection.closed ? true : undefined));
  });

  test.each([
    ["a length", "Content-Length: 10\r\n\r\nhello"],
    ["chunks", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
  ])("in the middle of a body with %s: the origin never sees it complete", async (_, rest) => {
    const client = await RawClient.open(gateway.port);
    client.send(`POST /1 HTTP/1.1\r\nHost: a.test\r\n${rest}`);
    await origin.until("half a body", () => (origin.bytes.includes("hello") ? true : undefined));
    client.destroy();
    const connection = await lastConnection();
    await origin.until("the cancelled connection's end", () => (connection.closed ? true : undefined));
    expect(origin.requests).toEqual([]);
  });

  test("a response before the request's body is complete is forwarded", async () => {
    origin.onBytes = (connection) => {
      origin.onBytes = undefined;
      connection.send("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
    };
    const client = await RawClient.open(gateway.port);
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\nhello");
    const response = await client.response();
    expect([statusOf(response), response.body]).toEqual([403, "no"]);
    client.destroy();
  });

  test("a response before the body's end leaves both connections usable or closed", async () => {
    origin.onBytes = (connection) => {
      origin.onBytes = undefined;
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly");
    };
    const client = await RawClient.open(gateway.port);
    client.send("POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nhello");
    const response = await client.response();
    expect(response.body).toBe("early");
    client.send(`world${get("/after")}`);
    if (valuesOf(response, "connection").join().toLowerCase() === "close") await client.closed();
    else expect((await client.response()).body).toBe("GET /after");
    client.destroy();
    expect((await once(gateway.port, get("/other"))).body).toBe("GET /other");
    expect(origin.errors).toEqual([]);
    expect(origin.summaries.filter((text) => !/^(GET \/(after|other)|POST \/1 helloworld)$/.test(text))).toEqual([]);
  });
});
