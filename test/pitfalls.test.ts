/** Pitfalls of x402 that need the whole gateway, by number. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeHeader, encodeHeader } from "../src/payments/x402/header.ts";
import { signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { type Gateway, serverAt, startGateway } from "./support/gateway.ts";
import { statusOf } from "./support/message.ts";
import { once } from "./support/raw-client.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

/** Requests for paid content that reached the upstream. */
const sold: string[] = [];
let origin: Bun.Server<undefined>;
let gateway: Gateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-pitfalls-"));
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      // The upstream accepts any spelling of the path, as careless upstreams do.
      if (/paid/i.test(decodeURIComponent(request.url))) sold.push(request.url);
      return new Response("the goods");
    },
  });
  gateway = await startGateway({
    state_path: folder,
    x402: { enabled: true, test_mode: true, public_url: "https://shop.example" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/free", upstream: "origin" },
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  sold.length = 0;
});

const PATHS = [
  "/paid",
  "/paid/",
  "/paid?x=1",
  "//paid",
  "/./paid",
  "/free/../paid",
  "/free/%2e%2e/paid",
  "/free/..%2fpaid",
  "/free/..;/paid",
  "/free/%2e%2e;x=1/paid",
  "/.;/paid",
  "/;/paid",
  "/;a=b/paid",
  "/free/;/../paid",
  "/%3b/paid",
  "/%C0%AFpaid",
  "/%2570aid",
  "/free/%252e%252e/paid",
  "/paid.",
  "/index.php/paid",
  "/%70aid",
  "/p%61id",
  "/paid%2f",
  "/paid%5c",
  "/paid%00",
  "/paid;x=1",
  "/paid;x=1/a",
  "/paid%3bx=1",
  "/paid/%2e%2e/paid",
  "\\paid",
  "/\\paid",
  "/free\\..\\paid",
  "/paid%",
  "/paid%zz",
  "/paid%20",
  "/paid%0d%0a",
  "/paid#x",
  "/PAID",
  "http://127.0.0.1/paid",
  "http://evil.example//paid",
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

test("pitfall 8: no spelling of a path, and no method, gets a priced response free of charge", async () => {
  const given: string[] = [];
  for (const path of PATHS) {
    for (const method of METHODS) {
      const length = /^(?:POST|PUT|PATCH)$/.test(method) ? "Content-Length: 0\r\n" : "";
      const request = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${length}\r\n`;
      const status = statusOf(await once(gateway.port, request, method));
      if (status < 400) given.push(`${method} ${path}: ${status}`);
    }
  }
  expect([given, sold]).toEqual([[], []]);
});

test("pitfall 8: HEAD has the price of GET", async () => {
  const head = await fetch(`http://127.0.0.1:${gateway.port}/paid`, { method: "HEAD" });
  expect(head.status).toBe(402);
  expect(decodeHeader(head.headers.get("payment-required") ?? "")).toMatchObject({ accepts: [{ amount: "10000" }] });
});

test("pitfall 15: a payment in any field or version is not forwarded", async () => {
  const seen: Headers[] = [];
  origin.reload({
    fetch(request) {
      seen.push(request.headers);
      return new Response("the goods", {
        headers: { "settlement-overrides": '{"amount":"1"}', "payment-response": "forged" },
      });
    },
  });
  const payment = signedPayment(Date.now() / 1000);
  const paid = await fetch(`http://127.0.0.1:${gateway.port}/paid`, {
    headers: { "payment-signature": encodeHeader(payment) },
  });
  expect(paid.status).toBe(200);
  expect(decodeHeader(paid.headers.get("payment-response") ?? "")).toMatchObject({ success: true });
  expect(paid.headers.get("settlement-overrides")).toBeNull();
  const old = { x402Version: 1, scheme: "exact", network: "base-sepolia" };
  const { payload } = signedPayment(Date.now() / 1000);
  const v1 = await fetch(`http://127.0.0.1:${gateway.port}/paid`, {
    headers: { "x-payment": encodeHeader({ ...old, payload }) },
  });
  expect(v1.status).toBe(200);
  expect(seen.map((headers) => [headers.has("payment-signature"), headers.has("x-payment")])).toEqual([
    [false, false],
    [false, false],
  ]);
});

test("pitfall 17: the challenge names the configured host, whatever Host the client sends", async () => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/paid`, {
    headers: { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
  });
  expect(decodeHeader(response.headers.get("payment-required") ?? "")).toMatchObject({
    resource: { url: "https://shop.example/paid" },
  });
});
