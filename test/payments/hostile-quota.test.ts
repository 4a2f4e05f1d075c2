/** Floods of unpaid requests: memory for bodies is given back, and no more requests are free than the route allows. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { RawClient } from "../support/raw-client.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment, nonceOf } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const facilitator = new CountingFacilitator();
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: ({ url }) => new Response("goods", { status: Number(new URL(url).searchParams.get("status") ?? 200) }),
});
let gateway: ProtocolGateway;

beforeAll(async () => {
  const route = { upstream: "origin" };
  gateway = await startProtocols({
    server: { workers: 2, trusted_proxies: ["127.0.0.1"] },
    metrics: { enabled: true },
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port ?? 0)] },
      { name: "away", servers: [serverAt(1)] },
    ],
    routes: [
      {
        ...route,
        path_prefix: "/batch",
        x402: { ...TERMS, rules: [{ unit_price: { price: "$0.01", count: "/urls" } }] },
      },
      { ...route, path_prefix: "/quota", x402: { ...TERMS, free_per_day: { requests: 7 } } },
      { ...route, path_prefix: "/failing", x402: { ...TERMS, free_per_day: { requests: 2 } } },
      { ...route, path_prefix: "/failing-gift", x402: { ...TERMS, free_per_day: { requests: 2, key: "payer" } } },
      { path_prefix: "/away", upstream: "away", x402: { ...TERMS, free_per_day: { requests: 2 } } },
      { ...route, path_prefix: "/gift", x402: { ...TERMS, free_per_day: { requests: 3, key: "payer" } } },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await origin.stop(true);
});

async function bodyBytes(): Promise<number> {
  const { text } = await gateway.plain({ path: "/metrics" });
  return Number(/^turnpike_buffer_bytes\{pool="body"\} (\d+)$/m.exec(text)?.[1] ?? -1);
}

test("no more requests are free than the quota, over all protocols and workers at once", async () => {
  const asked = Array.from({ length: 40 }, (_, i) =>
    gateway.request(PROTOCOLS[i % 3] ?? "HTTP/1.1", { path: "/quota" }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBe(7);
  expect(statuses.filter((status) => status === 402).length).toBe(33);
});

test("no more payments are given back than the quota of the payer, and one payment is not used twice at once", async () => {
  const payments = Array.from({ length: 8 }, () => newPayment());
  const asked = payments.flatMap((payment) =>
    PROTOCOLS.map((protocol) =>
      gateway.request(protocol, { path: "/gift", headers: { "payment-signature": encodeHeader(payment) } }),
    ),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(new Set(statuses).difference(new Set([200, 402, 409])).size).toBe(0);
  const settled = payments.filter((payment) => facilitator.settles.has(nonceOf(payment)));
  expect(settled.length).toBeGreaterThanOrEqual(5);
  expect(facilitator.settles.values().every((count) => count === 1)).toBe(true);
});

test("unpaid bodies take no memory after a 402, an error, a reset and a cut", async () => {
  // Sold responses are kept in the same memory.
  const before = await bodyBytes();
  const body = JSON.stringify({ urls: "x".repeat(500_000) });
  for (const protocol of PROTOCOLS) {
    const request = { method: "POST", path: "/batch", headers: { "content-type": "application/json" } };
    for (const sent of [body, body.slice(0, -1)]) await gateway.request(protocol, { ...request, body: sent });
  }
  const clients = await Promise.all(Array.from({ length: 80 }, () => RawClient.open(gateway.plainPort)));
  for (const client of clients)
    client.send(
      `POST /batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${body}`,
    );
  await until(async () => (await bodyBytes()) > 1_000_000);
  for (const client of clients) client.destroy();
  await until(async () => (await bodyBytes()) <= before);
});

/** The statuses of requests one after the other, from one client address over all protocols and workers in turn. */
async function statusesOf(paths: readonly string[], headersOf: () => Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (const [i, path] of paths.entries()) {
    statuses.push((await gateway.request(PROTOCOLS[i % 3] ?? "HTTP/1.1", { path, headers: headersOf() })).status);
  }
  return statuses;
}

function from(address: string): () => Record<string, string> {
  return () => ({ "x-forwarded-for": address });
}

function paying(): Record<string, string> {
  return { "payment-signature": encodeHeader(newPayment()) };
}

const failing = (path: string): string[] => Array.from({ length: 6 }, () => `${path}?status=500`);

test("a free request whose upstream fails is given back, and one with an error of the client is not", async () => {
  const one = from("192.0.2.1");
  expect(await statusesOf(failing("/failing"), one)).toEqual([500, 500, 500, 500, 500, 500]);
  expect(await statusesOf(["/failing", "/failing?status=500", "/failing", "/failing"], one)).toEqual([
    200, 500, 200, 402,
  ]);
  expect(
    await statusesOf(
      Array.from({ length: 3 }, () => "/failing?status=404"),
      from("192.0.2.2"),
    ),
  ).toEqual([404, 404, 402]);
  expect(
    await statusesOf(
      Array.from({ length: 6 }, () => "/away"),
      one,
    ),
  ).toEqual([502, 502, 502, 502, 502, 502]);
});

test("a payer's free request whose upstream fails is given back", async () => {
  const before = facilitator.settles.size;
  expect(await statusesOf(failing("/failing-gift"), paying)).toEqual([500, 500, 500, 500, 500, 500]);
  expect(await statusesOf(["/failing-gift", "/failing-gift"], paying)).toEqual([200, 200]);
  expect(facilitator.settles.size).toBe(before);
  expect(await statusesOf(["/failing-gift"], paying)).toEqual([200]);
  expect(facilitator.settles.size).toBe(before + 1);
});

test("addresses of one IPv6 /64, and an IPv4 address in an IPv6 one, share their free requests", async () => {
  const hosts = Array.from({ length: 12 }, (_, i) => `2001:db8:1:2:${i}:${i * 7}::${i}`);
  const statuses = await Promise.all(
    hosts.map((address, i) =>
      gateway.request(PROTOCOLS[i % 3] ?? "HTTP/1.1", { path: "/quota", headers: { "x-forwarded-for": address } }),
    ),
  );
  expect(statuses.filter(({ status }) => status === 200)).toHaveLength(7);
  const other = await gateway.plain({ path: "/quota", headers: { "x-forwarded-for": "2001:db8:1:3::1" } });
  expect(other.status).toBe(200);
  const spellings = ["192.0.2.9", "::ffff:192.0.2.9", "::ffff:c000:209", "[::ffff:192.0.2.9]"];
  const paths = Array.from({ length: 16 }, () => "/quota");
  let i = 0;
  const mapped = await statusesOf(paths, () => ({ "x-forwarded-for": spellings[i++ % 4] ?? "" }));
  expect(mapped.filter((status) => status === 200).length).toBeLessThanOrEqual(7);
});
