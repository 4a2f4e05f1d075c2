/** Limits on the length of bodies, for all routes and for one, over every protocol. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

/** Longer than a 32-bit length. */
const HUGE = 5_000_000_000;

let origin: RawOrigin;
let gateway: ProtocolGateway;

function route(path_prefix: string, more: object = {}): object {
  return { path_prefix, upstream: "origin", ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startProtocols({
    limits: { max_body_bytes: 1000 },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      route("/"),
      route("/more", { max_body_bytes: 3000 }),
      route("/less", { max_body_bytes: 10 }),
      route("/huge", {
        max_body_bytes: Number.MAX_SAFE_INTEGER,
        max_response_bytes: Number.MAX_SAFE_INTEGER,
        request_buffering: false,
      }),
      route("/short", { max_response_bytes: 100 }),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

beforeEach(() => origin.reset());

const CASES = [
  ["/", 1000, 200],
  ["/", 1001, 413],
  ["/more/x", 3000, 200],
  ["/more/x", 3001, 413],
  ["/less", 10, 200],
  ["/less", 11, 413],
  ["/huge", 100_000, 200],
] as const;

for (const protocol of PROTOCOLS) {
  test(`a route's own limit replaces the general one, over ${protocol}`, async () => {
    const statuses: unknown[] = [];
    for (const [path, length] of CASES) {
      const { status } = await gateway.request(protocol, { method: "POST", path, body: "x".repeat(length) });
      statuses.push([path, length, status]);
    }
    expect(statuses).toEqual(CASES.map((row) => [...row]));
  });

  test(`a stream of events has no limit, and other bodies have one, over ${protocol}`, async () => {
    const event = `data: ${"x".repeat(50)}\n\n`;
    origin.response = ({ startLine }, connection) => {
      const type = startLine.includes("events") ? "text/event-stream" : "text/plain";
      connection.end(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n${event.repeat(20)}`);
    };
    const { status, text } = await gateway.request(protocol, { path: "/short/events" });
    expect([status, text]).toEqual([200, event.repeat(20)]);
    const other = await gateway.request(protocol, { path: "/short/text" }).then(
      (reply) => reply.text,
      () => "cut off",
    );
    expect(other).not.toBe(event.repeat(20));
  });
}

test("chunked bodies also have the limit of their route", async () => {
  for (const [path, length, status] of CASES) {
    const client = await RawClient.open(gateway.plainPort);
    const chunk = `${length.toString(16)}\r\n${"x".repeat(length)}\r\n0\r\n\r\n`;
    client.send(`POST ${path} HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    expect((await client.response("POST")).startLine).toContain(` ${status} `);
    client.destroy();
  }
});

test("lengths beyond 32 bits pass both ways", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(`POST /huge/up HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${HUGE}\r\n\r\nfirst bytes`);
  await origin.until("the beginning", () => (origin.bytes.includes("first bytes") ? true : undefined));
  expect(origin.bytes).toContain(`Content-Length: ${HUGE}\r\n`);
  client.destroy();
  origin.response = (_, connection) => connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${HUGE}\r\n\r\nfirst bytes`);
  const reader = await RawClient.open(gateway.plainPort);
  reader.send("GET /huge/down HTTP/1.1\r\nHost: a.test\r\n\r\n");
  await reader.sees("first bytes");
  expect(reader.received).toContain(`Content-Length: ${HUGE}\r\n`);
  reader.destroy();
  const { status } = await gateway.plain({ path: "/down" });
  expect(status).toBe(502);
});
