import { afterAll, beforeAll, expect, test } from "bun:test";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { serverAt } from "../support/gateway.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";

/** One token in 1000 s, so that no bucket gains one during a test. */
const SLOW = { requests_per_second: 0.001, burst_size: 3 };
const KEY = { "x-api-key": "the key of alice" };

let origin: RawOrigin;
let gateway: ProtocolGateway;

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

function from(address: string, path = "/ip"): Promise<Reply> {
  return gateway.plain({ path, headers: { "x-forwarded-for": address } });
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  const auth = {
    type: "chain",
    methods: [
      {
        type: "api_key",
        keys: [
          { key: "the key of alice", name: "alice" },
          { key: "the key of 127.0.0.1", name: "127.0.0.1" },
        ],
      },
      { type: "anonymous", subject: "" },
    ],
  };
  gateway = await startProtocols({
    server: { trusted_proxies: ["127.0.0.1"] },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      ...PROTOCOLS.map((_, i) => route(`/slow${i}`, { rate_limit: SLOW })),
      ...PROTOCOLS.map((_, i) => route(`/methods${i}`, { rate_limit: { ...SLOW, burst_size: 4 } })),
      route("/ip", { rate_limit: { ...SLOW, key: "ip" } }),
      ...PROTOCOLS.map((_, i) => route(`/client${i}`, { rate_limit: { ...SLOW, key: "header:X-Api-Client" } })),
      route("/wide", { rate_limit: { ...SLOW, key: "ip", ipv6_prefix: 48 } }),
      route("/fast", { rate_limit: { requests_per_second: 10_000, burst_size: 500 } }),
      route("/keyed", { rate_limit: SLOW, auth: auth.methods[0] }),
      route("/free", {}),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

async function statuses(times: number, ask: () => Promise<Reply>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await ask()).status);
  return found;
}

test.each(PROTOCOLS.map((protocol, i) => [protocol, i] as const))(
  "over %s a bucket grants its burst, then 429 with the time to wait, and reports the remaining tokens",
  async (protocol, i) => {
    const before = origin.requests.length;
    for (const left of [2, 1, 0]) {
      const reply = await gateway.request(protocol, { path: `/slow${i}` });
      expect(reply.status).toBe(200);
      expect(reply.header("ratelimit-policy")).toBe('"consumer";q=3;w=3000');
      expect(reply.header("ratelimit")).toMatch(new RegExp(`^"consumer";r=${left};t=(?:1000|99\\d)$`));
      expect(reply.header("retry-after")).toBeUndefined();
    }
    for (let again = 0; again < 2; again++) {
      const reply = await gateway.request(protocol, { path: `/slow${i}` });
      expect(reply.status).toBe(429);
      expect(reply.header("content-type")).toBe("application/problem+json");
      expect(reply.json).toMatchObject({ type: "urn:turnpike:error:rate-limited", status: 429 });
      expect(reply.header("ratelimit-policy")).toBe('"consumer";q=3;w=3000');
      const wait = Number(reply.header("retry-after"));
      expect(wait).toBeGreaterThan(900);
      expect(wait).toBeLessThanOrEqual(1000);
      expect(reply.header("ratelimit")).toBe(`"consumer";r=0;t=${wait}`);
    }
    expect(origin.requests.length - before).toBe(3);
  },
);

test.each(PROTOCOLS.map((protocol, i) => [protocol, i] as const))(
  "over %s each value of the key's header field has a bucket, and clients without it have one per address",
  async (protocol, i) => {
    const path = `/client${i}`;
    const ask = (client: string): Promise<Reply> =>
      gateway.request(protocol, { path, ...(client === "" ? {} : { headers: { "x-api-client": client } }) });
    const long = "x".repeat(5000);
    for (const client of ["a", "b", "127.0.0.1", "", long, `${long}y`]) {
      expect([client, await statuses(4, () => ask(client))]).toEqual([client, [200, 200, 200, 429]]);
    }
    expect((await ask("c")).header("ratelimit-policy")).toBe('"header:X-Api-Client";q=3;w=3000');
  },
);

test.each(PROTOCOLS.map((protocol, i) => [protocol, i] as const))(
  "over %s HEAD, OPTIONS and bodies count like any other request, and a refused body leaves the connection usable",
  async (protocol, i) => {
    const path = `/methods${i}`;
    for (const method of ["HEAD", "OPTIONS", "DELETE"]) {
      expect((await gateway.request(protocol, { path, method })).status).toBe(200);
    }
    const body = "x".repeat(10_000);
    expect((await gateway.request(protocol, { path, method: "POST", body })).status).toBe(200);
    expect((await gateway.request(protocol, { path, method: "POST", body })).status).toBe(429);
    expect((await gateway.request(protocol, { path, method: "HEAD" })).status).toBe(429);
    expect((await gateway.request(protocol, { path: "/free" })).status).toBe(200);
  },
);

test("one bucket counts the requests of all protocols", async () => {
  const found: number[] = [];
  const headers = { "x-forwarded-for": "198.51.100.200" };
  for (const protocol of [...PROTOCOLS, ...PROTOCOLS]) {
    found.push((await gateway.request(protocol, { path: "/ip", headers })).status);
  }
  expect(found).toEqual([200, 200, 200, 429, 429, 429]);
});

test("addresses have separate buckets: IPv4 each, IPv6 by network, in any spelling", async () => {
  expect(await statuses(4, () => from("198.51.100.1"))).toEqual([200, 200, 200, 429]);
  expect(await statuses(1, () => from("198.51.100.2"))).toEqual([200]);
  expect(await statuses(1, () => from("::ffff:c633:6401"))).toEqual([429]);
  const sameNetwork = ["2001:db8::1", "2001:DB8:0:0:ffff::2", "2001:0db8::3"];
  for (const address of sameNetwork) expect((await from(address)).status).toBe(200);
  expect((await from("2001:db8::4")).status).toBe(429);
  expect((await from("2001:db8:0:1::1")).status).toBe(200);
  const wide = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:ffff::1"];
  for (const address of wide) expect((await from(address, "/wide")).status).toBe(200);
  expect((await from("2001:db8:0:3::1", "/wide")).status).toBe(429);
  expect((await from("2001:db8:1::1", "/wide")).status).toBe(200);
  // Entries that a client adds before the proxy's own do not give it another bucket.
  expect((await from("203.0.113.9, 198.51.100.1")).status).toBe(429);
});

test("a consumer has one bucket for all addresses, a name that looks like an address has its own, and 401 uses no token", async () => {
  const ask = (key: string, address: string) =>
    gateway.plain({ path: "/keyed", headers: { "x-api-key": key, "x-forwarded-for": address } });
  expect(await statuses(5, () => ask("wrong", "198.51.100.9"))).toEqual([401, 401, 401, 401, 401]);
  for (const host of [1, 2, 3]) expect((await ask(KEY["x-api-key"], `198.51.100.${host}`)).status).toBe(200);
  expect((await ask(KEY["x-api-key"], "198.51.100.4")).status).toBe(429);
  expect((await ask("the key of 127.0.0.1", "127.0.0.1")).status).toBe(200);
  expect((await gateway.plain({ path: "/keyed" })).header("ratelimit")).toBeUndefined();
});

test("a WebSocket handshake uses a token", async () => {
  const headers = {
    "x-forwarded-for": "198.51.100.77",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  origin.response = (_, connection) => connection.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  try {
    expect(await statuses(4, () => gateway.plain({ path: "/ip", headers }))).toEqual([403, 403, 403, 429]);
  } finally {
    origin.response = echo;
  }
});

test("metrics count the limited requests, with no label that clients choose", async () => {
  const page = parseMetrics((await gateway.plain({ path: "/metrics" })).text);
  const results = page.get("turnpike_rate_limit_requests_total")?.samples ?? [];
  expect(results.map(({ labels }) => labels)).toEqual([{ result: "allowed" }, { result: "limited" }]);
  for (const { value } of results) expect(value).toBeGreaterThan(0);
  expect(page.get("turnpike_rate_limit_shared_total")?.samples[0]?.value).toBe(0);
  expect(page.get("turnpike_rate_limit_store_away")?.samples[0]?.value).toBe(0);
});

test("a fast bucket refills in time: all clients below the rate are accepted", async () => {
  const start = performance.now();
  const asked = 600;
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => statuses(asked / 20, () => gateway.plain({ path: "/fast" }))),
  );
  const allowed = replies.flat().filter((status) => status === 200).length;
  const most = 500 + (performance.now() - start) * 10 + 1;
  expect(allowed).toBeGreaterThanOrEqual(500);
  expect(allowed).toBeLessThanOrEqual(Math.min(most, asked));
});
