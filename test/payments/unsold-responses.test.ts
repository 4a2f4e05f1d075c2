/** Nothing of an upstream's response reaches a client whose payment is valid, but not settled. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, startProtocols } from "../policy/protocols.ts";
import { Http2Origin } from "../proxy/testing/http2-origin.ts";
import { serverAt } from "../support/gateway.ts";
import { Http2Client, requestFields } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import { Http3Client } from "../support/http3-client.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const INTERIM = [100, 102, 103, 103, 199] as const;
const HINT = [["x-hint", "goods"]] as const;

const facilitator = new CountingFacilitator();
let isSettled = false;
let origin: RawOrigin;
let http2Origin: Http2Origin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  facilitator.hand = ({ path }) =>
    path === "/settle" && !isSettled
      ? Response.json({ success: false, transaction: "", errorReason: "invalid_exact_evm_insufficient_balance" })
      : undefined;
  origin = await RawOrigin.start();
  origin.response = (_, connection) => {
    const interim = INTERIM.map((status) => `HTTP/1.1 ${status} goods\r\nX-Hint: goods\r\n\r\n`).join("");
    const body = "5\r\ngoods\r\n0\r\nX-Sum: goods\r\n\r\n";
    connection.send(`${interim}HTTP/1.1 203 goods\r\nX-Hint: goods\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
  };
  http2Origin = await Http2Origin.start();
  http2Origin.onRequest = (request) => {
    for (const status of INTERIM) request.head(status, HINT);
    request.head(203, HINT);
    request.data("goods");
    request.connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, request.streamId, block([["x-sum", "goods"]])));
  };
  gateway = await startProtocols({
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://a.test" },
    upstreams: [
      { name: "http1", servers: [serverAt(origin.port)] },
      { name: "http2", protocol: "h2c", servers: [serverAt(http2Origin.port)] },
    ],
    routes: [
      { path_prefix: "/http1", upstream: "http1", x402: TERMS },
      { path_prefix: "/http2", upstream: "http2", x402: TERMS },
      { path_prefix: "/cached", upstream: "http1", cache: { ttl_s: 60 }, x402: TERMS },
      { path_prefix: "/before", upstream: "http1", x402: { ...TERMS, settle: "before" } },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([facilitator.close(), origin.stop(), http2Origin.stop()]);
});

interface Seen {
  readonly interim: readonly number[];
  readonly status: number;
  /** Head, body and trailers as text. */
  readonly text: string;
}

async function ask(protocol: Protocol, path: string): Promise<Seen> {
  const payment = encodeHeader(newPayment(path === "/before" ? "before" : "after"));
  const fields = { "cache-control": "no-store", "payment-signature": payment };
  if (protocol === "HTTP/3") {
    const client = await Http3Client.connect(gateway.quicPort);
    const { interim, ...rest } = await client.request("GET", path, undefined, { ":authority": "a.test", ...fields });
    client.close();
    const text = JSON.stringify({ ...rest, body: rest.body.toString() });
    return {
      interim: interim.map((section) => Number(section[":status"])),
      status: Number(rest.headers[":status"]),
      text,
    };
  }
  if (protocol === "HTTP/2") {
    const client = await Http2Client.ready(gateway.plainPort);
    const head = block(requestFields(path, "GET", Object.entries(fields)));
    client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, head));
    const { interim, status, ...rest } = await client.response(1);
    client.end();
    return { interim, status, text: JSON.stringify({ ...rest, body: rest.body.toString() }) };
  }
  const client = await RawClient.open(gateway.plainPort);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n${lines.join("")}\r\n`);
  const interim: number[] = [];
  for (;;) {
    const status = statusOf(await client.response());
    if (status >= 200) {
      client.destroy();
      return { interim, status, text: client.received };
    }
    interim.push(status);
  }
}

const WAYS = PROTOCOLS.flatMap((protocol) => ["/http1", "/http2", "/cached"].map((path) => [protocol, path] as const));

test.each(WAYS)("over %s, %s gives nothing for a payment that is not settled", async (protocol, path) => {
  isSettled = false;
  const { interim, status, text } = await ask(protocol, path);
  expect([interim, status]).toEqual([[], 402]);
  expect(text).not.toMatch(/goods|x-hint|x-sum|cache-status/i);
});

test.each(WAYS)("over %s, %s gives the final response alone for a payment that is settled", async (protocol, path) => {
  isSettled = true;
  const { interim, status, text } = await ask(protocol, path);
  expect([interim, status]).toEqual([[], 203]);
  expect(text).toContain("goods");
  if (path === "/cached") expect(text.toLowerCase()).toContain("cache-status");
});

test.each(PROTOCOLS)(
  "over %s, settlement before the response lets interim responses pass after it",
  async (protocol) => {
    isSettled = false;
    const asked = origin.requests.length;
    expect(await ask(protocol, "/before")).toMatchObject({ interim: [], status: 402 });
    expect(origin.requests.length).toBe(asked);
    isSettled = true;
    expect(await ask(protocol, "/before")).toMatchObject({ interim: INTERIM, status: 203 });
  },
);

test("a client that waits for 100 gets one without content, and sends its body", async () => {
  isSettled = false;
  const client = await RawClient.open(gateway.plainPort);
  const payment = encodeHeader(newPayment());
  origin.onBytes = (connection) => {
    if (connection.received.endsWith("\r\n\r\n"))
      connection.send("HTTP/1.1 100 goods\r\nX-Hint: goods\r\n\r\n".repeat(2));
  };
  client.send(
    `POST /http1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\nPAYMENT-SIGNATURE: ${payment}\r\n\r\n`,
  );
  expect(await client.response("POST")).toMatchObject({ startLine: "HTTP/1.1 100 Continue", fields: [] });
  client.send("body");
  expect(statusOf(await client.response("POST"))).toBe(402);
  expect(client.received).not.toMatch(/hint/i);
  client.destroy();
});
