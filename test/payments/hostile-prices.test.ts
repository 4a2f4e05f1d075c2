/** Requests that ask for a lower price than the one of what the upstream would do, over each protocol. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, type Request, startProtocols } from "../policy/protocols.ts";
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
  fetch: async (request) => new Response(await request.text()),
});
let gateway: ProtocolGateway;

beforeAll(async () => {
  const route = { upstream: "origin" };
  gateway = await startProtocols({
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      {
        ...route,
        path_prefix: "/batch",
        x402: { ...TERMS, price: "$1", rules: [{ unit_price: { price: "$0.01", count: "/options/urls" } }] },
      },
      {
        ...route,
        path_prefix: "/model",
        x402: { ...TERMS, price: "$1", rules: [{ body: [{ pointer: "/model", value: "small" }], price: "$0.02" }] },
      },
      {
        ...route,
        path_prefix: "/query",
        x402: {
          ...TERMS,
          price: "$1",
          rules: [
            { match: { query: [{ name: "full" }] }, price: "$0.9" },
            { match: { query: [{ name: "size", value: "small" }] }, price: "$0.01" },
          ],
        },
      },
      {
        ...route,
        path_prefix: "/short",
        x402: { ...TERMS, price: "$1", rules: [{ body_bytes: { max: 10 }, price: "$0.01" }] },
      },
      {
        ...route,
        path_prefix: "/before",
        x402: {
          ...TERMS,
          price: "$1",
          settle: "before",
          rules: [
            { match: { path_pattern: "/before/units" }, unit_price: { price: "$0.01", count: "/urls" } },
            { match: { path_pattern: "/before/bytes" }, body_bytes: { max: 20 }, price: "$0.01" },
          ],
        },
      },
      {
        ...route,
        path_prefix: "/methods",
        x402: {
          ...TERMS,
          price: "$1",
          rules: [
            { match: { methods: ["GET"] }, price: "$0.01" },
            { match: { methods: ["DELETE"] }, price: "$0.9" },
          ],
        },
      },
      {
        ...route,
        path_prefix: "/paths",
        x402: {
          ...TERMS,
          price: "$0.01",
          rules: [
            { match: { path_pattern: "/paths/secret.*" }, refuse: true },
            { match: { path_pattern: "/paths/batch" }, price: "$0.9" },
          ],
        },
      },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await origin.stop(true);
});

const JSON_TYPE = { "content-type": "application/json" };

/** The price that a request is asked for, or the status that it gets instead. */
async function priceOf(protocol: Protocol, request: Request): Promise<string | number> {
  const reply = await gateway.request(protocol, request);
  const header = reply.header("payment-required");
  if (header === undefined) return reply.status;
  const { accepts } = decodeHeader(header) as { accepts: readonly { amount: string }[] };
  return accepts[0]?.amount ?? "";
}

const post = (path: string, body: string): Request => ({ method: "POST", path, headers: JSON_TYPE, body });

const BODIES: readonly (readonly [path: string, body: string, price: string | number])[] = [
  ["/batch", '{"options":{"urls":[1,2,3]}}', "30000"],
  ["/batch", '{"options":{}}', "10000"],
  ["/batch", '{"options":{"urls":null}}', "10000"],
  ["/batch", '{"options":{"urls":0}}', "10000"],
  ["/batch", '{"options":{"urls":true}}', "10000"],
  ["/batch", '{"options":{"urls":"https://example.com/1"}}', "10000"],
  ["/batch", '{"options":{"urls":-0}}', "10000"],
  // Servers that read names without regard to case, as in Go and .NET, find other values.
  ["/batch", '{"options":{"URLs":[1,2,3]}}', 400],
  ["/batch", '{"options":{"urls":[],"uRls":[1,2,3]}}', 400],
  ["/batch", '{"options":{},"Options":{"urls":[1,2,3]}}', 400],
  ["/batch", '{"option\\u017f":{"urls":[1,2,3]}}', 400],
  ["/model", '{"model":"small","Model":"large"}', 400],
  ["/model", '{"Model":"small"}', 400],
  ["/model", '{"model":"small","other":{"Model":1}}', "20000"],
  ["/model", '{"model":"large"}', "1000000"],
  // Servers convert these to numbers, or take them as no limit.
  ["/batch", '{"options":{"urls":"1000"}}', 400],
  ["/batch", '{"options":{"urls":{"0":1,"1":2}}}', 400],
  ["/batch", '{"options":{"urls":-1}}', 400],
  ["/batch", '{"options":{"urls":1e400}}', 400],
  ["/batch", '{"options":{"urls":NaN}}', 400],
  ["/batch", '{"options":{"urls":[1],"urls":[1,2]}}', 400],
  ["/batch", '{"options":{"url\\u0073":[1],"urls":[1,2]}}', 400],
  ["/batch", '{"__proto__":{"options":{"urls":[]}},"options":{"urls":[1,2,3]}}', "30000"],
  ["/batch", '{"options":{"__proto__":{"urls":[1,2,3]}}}', "10000"],
];

const QUERIES: readonly (readonly [query: string, price: string | number])[] = [
  ["size=small", "10000"],
  ["s%69ze=small", "10000"],
  ["size=small&size=large", 400],
  ["size=small&s%69ze=large", 400],
  ["size=small&other=a;b", "10000"],
  ["size=small&other=a;size=large", 400],
  ["other=1;full=1&size=small", 400],
  ["size=small&Full=1", 400],
  ["size=small&full%00=1", 400],
  ["size=small&full[]=1", 400],
  ["size=small&%20full=1", 400],
];

const PATHS: readonly (readonly [path: string, price: string | number])[] = [
  ["/paths/other", "10000"],
  ["/paths/Other;x=1", "10000"],
  ["/paths/secret", 403],
  ["/paths/%73ecret", 403],
  ["/paths//secret", 403],
  ["/paths/x/../secret", 403],
  ["/paths/secret;x", 403],
  ["/paths/secret%2Fx", 400],
  ["/paths/Secret", 400],
  ["/paths;x/secret", 400],
  ["/paths/%2573ecret", 400],
  ["/paths/%E2%80%8Bsecret", 400],
  ["/paths/batch", "900000"],
  ["/paths/batch/", 400],
  ["/paths/batch.php/x", "10000"],
];

/** Requests other than a GET, and GETs that an upstream could take for another method. */
const METHODS: readonly (readonly [request: Request, price: string | number])[] = [
  [{ method: "GET" }, "10000"],
  [{ method: "GET", body: "x" }, "10000"],
  [{ method: "DELETE" }, "900000"],
  [{ method: "HEAD" }, "1000000"],
  [{ method: "POST" }, "1000000"],
  [{ method: "OPTIONS" }, "1000000"],
  [{ method: "get" }, 501],
  [{ method: "GETT" }, 501],
  [{ method: "GET", headers: { "x-http-method-override": "DELETE" } }, 400],
  [{ method: "GET", headers: { "x-method-override": "DELETE" } }, 400],
];

/** Bodies of one and the same text in which some server could read another number of units. */
const TYPES: readonly (readonly [
  headers: NonNullable<Request["headers"]>,
  body: string | Uint8Array,
  price: string | number,
])[] = [
  [JSON_TYPE, '{"options":{"urls":[1,2,3]}}', "30000"],
  [{ "content-type": 'application/json; charset="utf-8"' }, '{"options":{"urls":[1,2,3]}}', "30000"],
  [{ "content-type": "application/vnd.api+json" }, '{"options":{"urls":[1,2,3]}}', "30000"],
  [{ "content-type": "application/json; charset=utf-16" }, '{"options":{"urls":[1]}}', 415],
  [{ "content-type": "application/json; charset=utf-8; charset=utf-16" }, '{"options":{"urls":[1]}}', 415],
  [{ "content-type": "application/x-www-form-urlencoded" }, '{"options":{"urls":[1]}}', 415],
  [{ "content-type": "text/plain" }, '{"options":{"urls":[1]}}', 415],
  [{ "content-type": "multipart/form-data; boundary=x" }, '{"options":{"urls":[1]}}', 415],
  [{}, '{"options":{"urls":[1]}}', 415],
  [
    [
      ["content-type", "application/json"],
      ["content-type", "text/plain"],
    ],
    '{"options":{"urls":[1]}}',
    400,
  ],
  [{ ...JSON_TYPE, "content-encoding": "gzip" }, '{"options":{"urls":[1]}}', 415],
  [JSON_TYPE, Buffer.from('{"options":{"urls":[1]}}', "utf16le"), 400],
  [JSON_TYPE, '{"options":{"urls":[1]}} {"options":{"urls":[1,2,3]}}', 400],
  [JSON_TYPE, '{"options":{"urls":[1],}}', 400],
  [JSON_TYPE, '{"options":{"urls":[1] /* 2 */}}', 400],
  [JSON_TYPE, Buffer.concat([Buffer.from('{"options":{"urls":["'), Buffer.from([0xff]), Buffer.from('"]}}')]), 400],
];

for (const protocol of PROTOCOLS) {
  test(`no other method gets the price of a method: ${protocol}`, async () => {
    const found = [];
    for (const [request] of METHODS) {
      found.push([request, await priceOf(protocol, { path: "/methods/x", ...request })]);
    }
    expect(found).toEqual(METHODS.map((one) => [...one]));
  });

  test(`no media type, encoding or framing of a body hides its units: ${protocol}`, async () => {
    // The client of HTTP/3 sends no field twice.
    const sent = TYPES.filter(([headers]) => protocol !== "HTTP/3" || !Array.isArray(headers));
    const found: unknown[] = [];
    for (const [headers, body] of sent) {
      found.push([headers, body, await priceOf(protocol, { method: "POST", path: "/batch", headers, body })]);
    }
    expect(found).toEqual(sent.map((one) => [...one]));
    const chunked = { ...post("/batch", '{"options":{"urls":[1,2,3]}}'), trailers: [["x-a", "1"]] as const };
    expect(await priceOf(protocol, chunked)).toBe("30000");
    expect(await priceOf(protocol, { ...chunked, path: "/short" })).toBe("1000000");
  });

  test(`no body that servers read in different ways gets a lower price: ${protocol}`, async () => {
    const found = [];
    for (const [path, body] of BODIES) found.push([path, body, await priceOf(protocol, post(path, body))]);
    expect(found).toEqual(BODIES.map((one) => [...one]));
  });

  test(`no query that servers read in different ways gets a lower price: ${protocol}`, async () => {
    const found = [];
    for (const [query] of QUERIES) found.push([query, await priceOf(protocol, { path: `/query?${query}` })]);
    expect(found).toEqual(QUERIES.map((one) => [...one]));
  });

  test(`a compressed body has no length by which its price is known: ${protocol}`, async () => {
    const short = { method: "POST", path: "/short", body: "x" };
    expect(await priceOf(protocol, short)).toBe("10000");
    expect(await priceOf(protocol, { ...short, headers: { "content-encoding": "gzip" } })).toBe(415);
  });

  test(`no other spelling of a path gets a lower price: ${protocol}`, async () => {
    const found = [];
    for (const [path] of PATHS) found.push([path, await priceOf(protocol, { path })]);
    expect(found).toEqual(PATHS.map((one) => [...one]));
  });
}

for (const isKnown of [true, false]) {
  test.each(["/before/units", "/before/bytes"])(
    `a payment that was settled for a body of ${isKnown ? "known" : "unknown"} length buys no body of a higher price: %s`,
    async (path) => {
      const [cheap, dear] = ['{"urls":[1]}', '{"urls":[1,2,3,4,5,6,7,8,9]}'];
      const request = (body: string): Request => ({
        method: "POST",
        path,
        body,
        headers: { ...JSON_TYPE, "payment-signature": header },
      });
      const payment = newPayment("before");
      const nonce = nonceOf(payment);
      const header = encodeHeader(payment);
      // The client leaves during the settlement.
      const { promise: isSettling, resolve } = Promise.withResolvers<void>();
      const { promise: isGone, resolve: leave } = Promise.withResolvers<void>();
      facilitator.hand = async (call) => {
        if (call.path !== "/settle" || call.nonce !== nonce) return undefined;
        resolve();
        await isGone;
        return call.usual();
      };
      const client = await RawClient.open(gateway.plainPort);
      const framing = isKnown
        ? `Content-Length: ${cheap.length}\r\n\r\n${cheap}`
        : `Transfer-Encoding: chunked\r\n\r\n${cheap.length.toString(16)}\r\n${cheap}\r\n0\r\n\r\n`;
      client.send(
        `POST ${path} HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header}\r\n${framing}`,
      );
      await isSettling;
      client.destroy();
      // The connection behind it shows that the gateway has read the reset.
      expect((await gateway.plain({ path })).status).toBe(402);
      leave();
      await until(() => facilitator.transfers.has(nonce));
      const statuses = [];
      for (const body of [dear, dear, cheap]) {
        const reply = await gateway.plain({ ...request(body), authority: "a.test" });
        statuses.push(reply.status);
      }
      expect(statuses).toEqual([409, 409, 200]);
    },
  );
}

test("a payment whose body was cut off buys no longer one", async () => {
  const payment = newPayment("before");
  const header = encodeHeader(payment);
  const head = `POST /before/bytes HTTP/1.1\r\nHost: a.test\r\nPAYMENT-SIGNATURE: ${header}\r\n`;
  const client = await RawClient.open(gateway.plainPort);
  client.send(`${head}Content-Length: 20\r\n\r\nbegin`);
  await until(() => facilitator.transfers.has(nonceOf(payment)));
  client.destroy();
  const request = (body: string): Request => ({
    method: "POST",
    path: "/before/bytes",
    body,
    headers: { "payment-signature": header },
    authority: "a.test",
  });
  let reply = await gateway.plain(request("begin".padEnd(1000)));
  while (reply.header("retry-after") !== undefined) reply = await gateway.plain(request("begin".padEnd(1000)));
  expect(reply.status).toBe(409);
  reply = await gateway.plain(request("begin".padEnd(20)));
  expect([reply.status, reply.text]).toEqual([200, "begin".padEnd(20)]);
});
