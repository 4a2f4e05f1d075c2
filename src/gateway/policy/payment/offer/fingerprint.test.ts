import { afterEach, expect, test } from "bun:test";
import { fieldLine, fieldValue } from "../../../../lib/http/fields.ts";
import { type RequestHead } from "../../../exchange/exchange.ts";
import { until } from "../../../../lib/testing/until.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { closeShops, openShop, type Shop, type ShopOptions } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";

afterEach(closeShops);

const FIELDS = { accept: "text/plain", "user-agent": "agent/1" };

function send(shop: Shop, payment: unknown, fields: Record<string, string> = {}, init: RequestInit = {}) {
  const headers = { ...FIELDS, ...fields, "payment-signature": encodeHeader(payment) };
  return fetch(`${shop.gateway.url}/goods`, { ...init, headers });
}

const HEAD = {
  method: "GET",
  scheme: "https",
  authority: "shop.example",
  path: "/goods",
  query: "",
  fields: "",
  payment: "",
  bodyLength: 0,
  expectContinue: false,
  via: "",
  forwardedFor: "",
  isGrpc: false,
  upgrade: "",
} satisfies RequestHead;

/** A shop whose upstream fails until the test ends the failure, so that a response is owed. */
function owing(options: ShopOptions = {}): { shop: Shop; world: { fails: boolean } } {
  const world = { fails: true };
  const shop = openShop({
    terms: { settle: "before" },
    upstream: (exchange) => {
      const range = fieldValue(exchange.head.fields, "range");
      if (world.fails) respondWith(exchange, 500, "sorry");
      else if (range === undefined) respondWith(exchange, 200, "the goods");
      else respondWith(exchange, 206, "goods", fieldLine("Content-Range", "bytes 4-8/9"));
    },
    ...options,
  });
  return { shop, world };
}

const OTHER: readonly Record<string, string>[] = [
  { accept: "text/html" },
  { "user-agent": "agent/2" },
  { "accept-language": "de" },
  { cookie: "account=2" },
  { authorization: "Bearer other" },
  { "x-report": "2" },
];

for (const fields of OTHER) {
  test(`a payment is bound to its header fields: ${JSON.stringify(fields)} is another request`, async () => {
    const { shop } = owing();
    const payment = shop.payment();
    expect((await send(shop, payment)).status).toBe(500);
    const other = await send(shop, payment, fields);
    expect([other.status, await other.text()]).toEqual([409, expect.stringContaining("header fields")]);
    expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  });
}

const SAME: readonly Record<string, string>[] = [
  { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=1" },
  { "x-request-id": "7", "x-correlation-id": "8", "x-b3-traceid": "9", baggage: "a=1" },
  { newrelic: "1", "elastic-apm-traceparent": "2" },
  { via: "1.1 proxy", forwarded: "for=192.0.2.1", "x-forwarded-for": "192.0.2.1", "cf-ray": "1" },
  // CloudFront and Azure Front Door add them to each request.
  { "x-amz-cf-id": "1", "x-azure-ref": "2", "x-azure-socketip": "192.0.2.1" },
  // RFC 8470 §5.1: a proxy in front removes it when it repeats a request after its client's handshake.
  { "early-data": "1" },
  // RFC 6455 §4.1: the key of each handshake is random.
  { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
  // gRPC reserves these names. Each try has the time that is left, and the number of the tries before.
  { "grpc-timeout": "4999984u", "grpc-previous-rpc-attempts": "1", "grpc-trace-bin": "AA" },
  { date: "Sun, 22 Nov 2026 00:00:00 GMT", "signature-input": "sig=();created=1", signature: "sig=:AA==:" },
];

for (const fields of SAME) {
  test(`fields that clients change between tries leave a request the same: ${JSON.stringify(fields)}`, async () => {
    const { shop, world } = owing();
    const payment = shop.payment();
    expect((await send(shop, payment)).status).toBe(500);
    world.fails = false;
    expect((await send(shop, payment, fields)).status).toBe(200);
    expect(shop.settlements).toBe(1);
  });
}

function print(fields: string, consumer: string): string {
  return fingerprintOf({ head: { ...HEAD, fields }, consumer }, { header: "payment", testMode: true });
}

test("a new token of the same consumer is the same request, and one of another consumer is not", () => {
  const one = print("Authorization: Bearer a\r\nX-Consumer-Name: one\r\n", "one");
  expect(print("X-Consumer-Name: one\r\nAuthorization: Bearer b\r\n", "one")).toBe(one);
  expect(print("Authorization: Bearer b\r\nX-Consumer-Name: two\r\n", "two")).not.toBe(one);
  expect(print("Authorization: Bearer b\r\n", "")).not.toBe(print("Authorization: Bearer a\r\n", ""));
});

test("the rest of a response can be requested by Range, if the paid request had no Range", async () => {
  const { shop, world } = owing();
  const payment = shop.payment();
  expect((await send(shop, payment)).status).toBe(500);
  world.fails = false;
  const rest = await send(shop, payment, { range: "bytes=4-", "if-range": '"a"' });
  expect([rest.status, await rest.text()]).toEqual([206, "goods"]);
  expect(fieldValue(shop.lastUpstreamFields, "range")).toBe("bytes=4-");
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  expect((await send(shop, payment)).status).toBe(409);
});

test("a payment that is settled after the response buys no part of it later", async () => {
  const { shop, world } = owing({ terms: { settle: "after" } });
  world.fails = false;
  const payment = shop.payment();
  expect((await send(shop, payment)).status).toBe(200);
  const rest = await send(shop, payment, { range: "bytes=4-" });
  expect([rest.status, await rest.text()]).toEqual([409, expect.stringContaining("header fields")]);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("a payment for a range buys neither the whole nor another range", async () => {
  const { shop } = owing();
  const payment = shop.payment();
  expect((await send(shop, payment, { range: "bytes=0-3" })).status).toBe(500);
  expect((await send(shop, payment)).status).toBe(409);
  expect((await send(shop, payment, { range: "bytes=4-" })).status).toBe(409);
  expect(shop.runs).toBe(1);
});

for (const max of [1, 3]) {
  test(`after parts of ${max} responses to one payment, the upstream is not run again`, async () => {
    const shop = openShop({
      terms: { settle: "before", max_partial_answers: max },
      upstream: ({ response }) => {
        response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
        response.data(Buffer.from("nearly all of it"));
      },
    });
    const payment = shop.payment();
    for (let run = 1; run <= max; run++) {
      const client = new AbortController();
      const response = await send(shop, payment, {}, { signal: client.signal });
      expect(response.status).toBe(200);
      client.abort();
      await response.text().catch(() => "gone");
      await until(async () => (await shop.recorded(payment))?.partials === run);
    }
    const late = await send(shop, payment);
    expect([late.status, late.headers.get("retry-after")]).toEqual([409, null]);
    expect([shop.runs, shop.settlements]).toEqual([max, 1]);
  });
}

test("a payment of an earlier version is known by the same fingerprint, and only equal names have an order", () => {
  const fields = "Accept: a\r\nX-Two: 1\r\nx-two:  2 \r\nCookie: c\r\nZ: z\r\n";
  const known = "CY_0RB36SZPVQ6L96-NVU6N9VzGmw3X5DMuWsLvkzDc";
  expect(print(fields, "")).toBe(known);
  expect(print("z: z\r\nX-Two: 1\r\nCookie: c\r\nx-two: 2\r\nAccept: a\r\n", "")).toBe(known);
  expect(print("Accept: a\r\nX-Two: 2\r\nX-Two: 1\r\nCookie: c\r\nZ: z\r\n", "")).not.toBe(known);
});
