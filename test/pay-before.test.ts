/**
 * Payment before the upstream works, through the real gateway: streams, WebSockets, undelivered settlements, crashes.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { decodeHeader, encodeHeader } from "../src/payments/x402/header.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { type Gateway, serverAt, startGateway } from "./support/gateway.ts";
import { statusOf } from "./support/message.ts";
import { until } from "./support/program.ts";
import { RawClient } from "./support/raw-client.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

/** More than sockets buffer, so that a part waits in the gateway for a client that does not read. */
const LARGE = 16 * 1_048_576;

let origin: Bun.Server<undefined>;
let gateway: Gateway;
let folder: string;
/** Ends the last stream. */
let endStream: () => void = () => {};
let runs = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-before-"));
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 30,
    fetch(request, server) {
      runs += 1;
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/large")) return new Response("x".repeat(LARGE));
      if (pathname.endsWith("/fails")) return new Response("sorry", { status: 500 });
      if (pathname.endsWith("/echo")) return new Response(request.body, { status: 500 });
      if (server.upgrade(request)) return undefined;
      const body = new ReadableStream<string>({
        start(controller) {
          controller.enqueue("data: 1\n\n");
          endStream = () => {
            controller.enqueue("data: 2\n\n");
            controller.close();
          };
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    websocket: {
      message(socket, message) {
        socket.send(`echo ${String(message)}`);
      },
    },
  });
  gateway = await startGateway({
    state_path: folder,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/before", upstream: "origin", x402: { ...TERMS, settle: "before" } },
      { path_prefix: "/after", upstream: "origin", x402: TERMS },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

function paidHeaders(flow: object = { paymentFlow: "upfront" }): { "payment-signature": string } {
  const accepted = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, ...flow } };
  return { "payment-signature": encodeHeader({ ...signedPayment(Date.now() / 1000), accepted }) };
}

function send(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers });
}

test("a stream is forwarded as it is produced, and its receipt comes in the header section", async () => {
  const response = await send("/before", paidHeaders());
  expect(response.status).toBe(200);
  expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({ success: true });
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: 1\n\n");
  endStream();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: 2\n\n");
});

test("the same stream is refused on a route that settles afterwards, and the upstream request is cancelled", async () => {
  const headers = paidHeaders({});
  for (const _ of [1, 2]) {
    const response = await send("/after", headers);
    expect(response.status).toBe(501);
    expect(await response.text()).toContain('settle: \\"before\\"');
  }
});

function handshake(headers: Record<string, string>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    "GET /before/socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${fields.join("")}\r\n`
  );
}

test("a WebSocket opens with a payment, and not without", async () => {
  const unpaid = await RawClient.open(gateway.port);
  unpaid.send(handshake({}));
  expect(statusOf(await unpaid.response())).toBe(402);
  unpaid.destroy();
  const paid = await RawClient.open(gateway.port);
  paid.send(handshake(paidHeaders()));
  await paid.sees("\r\n\r\n");
  expect(paid.received).toStartWith("HTTP/1.1 101 ");
  const [, receipt = ""] = /^PAYMENT-RESPONSE: (.*)\r$/im.exec(paid.received) ?? [];
  expect(decodeHeader(receipt)).toMatchObject({ success: true });
  // "hello" in one frame, masked by zeros (RFC 6455 §5.2).
  paid.send("\x81\x85\0\0\0\0hello");
  await paid.sees("echo hello");
  paid.destroy();
});

test("a failed response is undelivered: it has the receipt, and the same payment repeats the request free of charge", async () => {
  const headers = paidHeaders();
  const before = runs;
  const receipts = [];
  for (const _ of [1, 2]) {
    const response = await send("/before/fails", headers);
    expect([response.status, await response.text()]).toEqual([500, "sorry"]);
    receipts.push(response.headers.get("payment-response"));
  }
  expect(runs - before).toBe(2);
  expect(receipts[0]).not.toBeNull();
  expect(receipts[1]).toBe(receipts[0]);
});

test("an undelivered settlement is bound to the body that was paid for, also if the client waits for its 100", async () => {
  // All fields that the upstream sees, so that a retry is the same request.
  const headers = {
    ...paidHeaders(),
    accept: "*/*",
    "accept-encoding": "identity",
    "content-type": "text/plain",
    "user-agent": "test",
  };
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${gateway.port}/before/echo`, { method: "POST", headers, body });
  expect(await (await post("url=a")).text()).toBe("url=a");
  const before = runs;
  expect((await post("url=b")).status).toBe(409);
  expect(runs).toBe(before);
  const careful = await RawClient.open(gateway.port);
  careful.send(
    `POST /before/echo HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n` +
      `${fields.join("")}\r\n`,
  );
  await careful.sees("HTTP/1.1 100 Continue\r\n\r\n");
  careful.send("url=a");
  await careful.sees("HTTP/1.1 500 ");
  await careful.sees("url=a");
  careful.destroy();
  expect(runs).toBe(before + 1);
});

test("a response that waits in the gateway for its client is not delivered, and can be requested again", async () => {
  const fields = `Host: 127.0.0.1:${gateway.port}\r\nPAYMENT-SIGNATURE: ${paidHeaders()["payment-signature"]}\r\n`;
  const request = `GET /before/large HTTP/1.1\r\n${fields}\r\n`;
  const slow = await RawClient.open(gateway.port);
  slow.socket.pause();
  slow.send(request);
  await until("the disk has some of it", async () => {
    const page = await (await send("/metrics", {})).text();
    const onDisk = /^turnpike_buffer_bytes\{pool="disk"\} (\d+)$/m.exec(page)?.[1];
    return Number(onDisk) > 0 ? true : undefined;
  });
  slow.destroy();
  const before = runs;
  const again = await RawClient.open(gateway.port);
  again.send(request);
  const response = await again.response("GET", 20_000);
  expect([statusOf(response), response.body.length]).toEqual([200, LARGE]);
  expect(runs).toBe(before + 1);
  again.send(request);
  expect(statusOf(await again.response())).toBe(409);
  again.destroy();
});

test("over HTTP/2 the body is bound too", async () => {
  const headers = paidHeaders();
  const session = connect(`http://127.0.0.1:${gateway.port}`);
  async function post(body: string): Promise<string> {
    const stream = session.request({ ":method": "POST", ":path": "/before/echo", ...headers });
    stream.end(body);
    return text(stream);
  }
  expect(await post("url=a")).toBe("url=a");
  const before = runs;
  expect(await post("url=b")).toContain("another body");
  expect(runs).toBe(before);
  expect(await post("url=a")).toBe("url=a");
  expect(runs).toBe(before + 1);
  session.destroy();
});
