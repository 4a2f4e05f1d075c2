/** Slow clients, too many clients, and clients that do not read. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const TIMEOUTS = { idle_ms: 1200, header_ms: 500, body_ms: 600, write_ms: 800 };
/** The maximum delay until a timeout is noticed. */
const LATE_MS = 4_000;
const MAX_CONNECTIONS = 4;
const BIG = 64 * 1024 * 1024;

let origin: RawOrigin;
let gateway: Gateway;
let clients: RawClient[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    timeouts: TIMEOUTS,
    access_log: { enabled: false },
    server: { max_connections: MAX_CONNECTIONS },
    upstreams,
    routes: routes.map((route) => ({ ...route, max_response_bytes: BIG * 2 })),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  origin.reset();
});

async function open(): Promise<RawClient> {
  const client = await RawClient.open(gateway.port);
  clients.push(client);
  return client;
}

/** Sends a byte every 50 ms until the server has responded or closed the connection, or `seconds` have passed. */
async function drip(client: RawClient, byte: string, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (client.state === "open" && client.received === "" && performance.now() < end) {
    client.send(byte);
    await Bun.sleep(50);
  }
}

async function expect408(client: RawClient): Promise<void> {
  const response = await client.response("GET", LATE_MS);
  expect(statusOf(response)).toBe(408);
  expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
  expect(valuesOf(response, "connection").join().toLowerCase()).toBe("close");
  await client.closed(LATE_MS);
  expect(client.rest()).toBe("");
}

describe("timeouts", () => {
  test("a head that stops after some bytes is a 408", async () => {
    const client = await open();
    client.send("GET /x HTTP/1.1\r\nHost: a.t");
    await expect408(client);
    expect(origin.bytes).toBe("");
  });

  test("a head that arrives byte by byte without end is a 408: single bytes do not extend the timeout", async () => {
    const client = await open();
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\nX: ");
    await drip(client, "y", LATE_MS / 1000);
    await expect408(client);
  });

  test("a second head on the same connection has the same limit", async () => {
    const client = await open();
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await client.response();
    client.send("GET /y HT");
    await expect408(client);
  });

  test("a connection without a byte is closed without a response", async () => {
    const client = await open();
    await client.closed(LATE_MS);
    expect(client.received).toBe("");
  });

  test("a connection that is idle after a response is closed without a response", async () => {
    const client = await open();
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await client.response();
    await client.closed(LATE_MS);
    expect(client.rest()).toBe("");
  });

  test("a body that stops is a 408, and the origin never sees it complete", async () => {
    const client = await open();
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nhello");
    await expect408(client);
    await origin.until("the end of the unfinished request", () =>
      origin.connections.every(({ received, closed }) => !received.includes("hello") || closed) ? true : undefined,
    );
    expect(origin.requests).toEqual([]);
  });

  test("a chunked body that stops is a 408", async () => {
    const client = await open();
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    await expect408(client);
    expect(origin.requests).toEqual([]);
  });

  test("a slow origin does not cause a 408 while the client waits for a response", async () => {
    origin.response = (_, connection) => {
      setTimeout(() => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), TIMEOUTS.idle_ms + 600);
    };
    const client = await open();
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    const response = await client.response("GET", LATE_MS);
    expect([statusOf(response), response.body]).toEqual([200, "ok"]);
  });

  test("a client that does not read its response is cut off, and so is the origin", async () => {
    let sent = 0;
    origin.response = (_, { socket }) => {
      const chunk = Buffer.alloc(1 << 18, "x");
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG}\r\n\r\n`);
      const fill = (): void => {
        while (sent < BIG && !socket.destroyed) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on("drain", fill);
      fill();
    };
    const client = await open();
    client.socket.pause();
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await origin.until("the request", () => origin.connections.find(({ received }) => received !== ""));
    const connection = origin.connections.find(({ received }) => received !== "");
    await Bun.sleep(TIMEOUTS.write_ms);
    await origin.until("the end of the connection", () => (connection?.closed === true ? true : undefined));
    expect(sent).toBeLessThan(BIG);
  });
});

describe("max_connections", () => {
  test("one client too many gets 503, and is accepted after another has left", async () => {
    const guests = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => open()));
    for (const guest of guests) {
      guest.send("GET /in HTTP/1.1\r\nHost: a.test\r\n\r\n");
      expect((await guest.response()).body).toBe("GET /in");
    }
    const refused = await open();
    refused.send("GET /out HTTP/1.1\r\nHost: a.test\r\n\r\n");
    const response = await refused.response();
    expect(statusOf(response)).toBe(503);
    expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
    expect(valuesOf(response, "connection").join().toLowerCase()).toBe("close");
    await refused.closed();
    expect(origin.summaries).not.toContain("GET /out");

    const [leaver] = guests;
    leaver?.end();
    await leaver?.closed();
    const next = await open();
    next.send("GET /next HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect((await next.response()).body).toBe("GET /next");
  });
});
