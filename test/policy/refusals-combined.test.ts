/** The responses of a route with all policies at once to a browser, a gRPC client and a WebSocket client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { status } from "@grpc/grpc-js";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { EchoClient, EchoServer } from "../grpc/testing/echo-service.ts";
import { TEST_CA } from "../support/certificates.ts";
import { serverAt } from "../support/gateway.ts";
import { Http2Client, post as postHead } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { Folder } from "../support/program.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const APP = "https://app.example.com";
const KEY = { "x-api-key": "k" };
/** One token in 1000 s, so that no bucket gains one during a test. */
const slow = (burst_size: number): object => ({ requests_per_second: 0.001, burst_size });

let origin: RawOrigin;
let echo: EchoServer;
let gateway: ProtocolGateway;
let state: Folder;

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  echo = await EchoServer.start({ name: "one" });
  state = new Folder();
  const auth = { type: "api_key", keys: [{ key: "k", name: "n" }] };
  const anonymous = { type: "chain", methods: [auth, { type: "anonymous", subject: "nobody" }] };
  gateway = await startProtocols({
    state_path: state.path,
    cors: { allow_origins: [APP, "null"] },
    security_headers: {},
    compression: { min_bytes: 1 },
    limits: { max_body_bytes: 2_000_000 },
    x402: { enabled: true, test_mode: true },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "absent", servers: [serverAt(await freePort())] },
      { name: "echo", protocol: "h2c", servers: [serverAt(echo.port)] },
    ],
    routes: [
      ...PROTOCOLS.map((_, i) =>
        route(`/all${i}/`, { auth, rate_limit: slow(5), body_schema: { type: "object" }, x402: TERMS }),
      ),
      ...PROTOCOLS.map((_, i) => route(`/nobody${i}/`, { auth: anonymous, rate_limit: slow(1) })),
      route("/checked/", { body_schema: { type: "object" } }),
      route("/absent/", { upstream: "absent" }),
      route("/ws", { rate_limit: slow(1) }),
      route("/test.Echo", { upstream: "echo", rate_limit: slow(2) }),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  echo.stop();
  state.remove();
});

const JSON_TYPE = { "content-type": "application/json" };

function post(protocol: Protocol, path: string, headers: Record<string, string>, body = "{}"): Promise<Reply> {
  return gateway.request(protocol, { method: "POST", path, body, headers: { origin: APP, ...headers } });
}

/** Every response that a script may read has the CORS fields, and the security headers once. */
function expectReadable(reply: Reply, exposed: boolean, from = APP): void {
  expect(reply.all("access-control-allow-origin")).toEqual([from]);
  expect(reply.all("x-content-type-options")).toEqual(["nosniff"]);
  expect(reply.all("strict-transport-security").length).toBe(1);
  expect(reply.header("vary")).toContain("Origin");
  const list = reply.header("access-control-expose-headers") ?? "";
  expect(list.includes("PAYMENT-REQUIRED, PAYMENT-RESPONSE")).toBe(exposed);
}

for (const [i, protocol] of PROTOCOLS.entries()) {
  test(`over ${protocol} a script can read every refusal of a route, and is then served`, async () => {
    const path = `/all${i}/x`;
    const asked = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "payment-signature,x-api-key",
    };
    // Enough to use up the limit, if preflights were counted.
    for (let preflight = 0; preflight < 7; preflight++) {
      const reply = await gateway.request(protocol, { method: "OPTIONS", path, headers: { origin: APP, ...asked } });
      expect([reply.status, reply.header("access-control-allow-headers")]).toEqual([
        204,
        "payment-signature,x-api-key",
      ]);
    }
    const paid = encodeHeader(signedPayment(Date.now() / 1000));
    const told: [expected: number, reply: Reply][] = [
      [401, await post(protocol, path, JSON_TYPE)],
      [415, await post(protocol, path, { ...KEY, "content-type": "text/plain" })],
      [400, await post(protocol, path, { ...KEY, ...JSON_TYPE, "payment-signature": paid }, "[]")],
      [402, await post(protocol, path, { ...KEY, ...JSON_TYPE })],
      [200, await post(protocol, path, { ...KEY, ...JSON_TYPE, "payment-signature": paid })],
      [200, await post(protocol, path, { ...KEY, ...JSON_TYPE, "payment-signature": paid })],
      [429, await post(protocol, path, { ...KEY, ...JSON_TYPE, "payment-signature": paid })],
    ];
    expect(told.map(([, { status: seen }]) => seen)).toEqual(told.map(([expected]) => expected));
    for (const [, reply] of told) expectReadable(reply, true);
    const [challenge, sold, again, limited] = told.slice(3).map(([, reply]) => reply);
    expect(challenge?.header("payment-required")).toBeDefined();
    expect(sold?.header("payment-response")).toBeDefined();
    expect(again?.header("payment-response")).toBe(sold?.header("payment-response"));
    expect([limited?.header("retry-after"), limited?.header("ratelimit")]).toEqual([
      expect.stringMatching(/^(?:99\d|1000)$/),
      expect.stringMatching(/^"consumer";r=0;t=\d+$/),
    ]);
  });

  test(`over ${protocol} a script can read that a path has no route, or that its upstream is unavailable`, async () => {
    for (const from of [APP, "null"]) {
      for (const [path, expected] of [
        ["/nothing", 404],
        ["/absent/x", 502],
      ] as const) {
        const reply = await gateway.request(protocol, { path, headers: { origin: from } });
        expect(reply.status).toBe(expected);
        expectReadable(reply, false, from);
      }
    }
  });

  test(`over ${protocol} anonymous clients share one limit, which is separate from that of a consumer of the same name`, async () => {
    const statuses: number[] = [];
    for (const headers of [{}, {}, KEY, KEY] as Record<string, string>[]) {
      statuses.push((await gateway.request(protocol, { path: `/nobody${i}/x`, headers })).status);
    }
    expect(statuses).toEqual([200, 429, 200, 429]);
  });
}

for (const [what, path, length, exposed] of [
  ["is too long to be checked", "/checked/x", "1500000", false],
  // It needs neither a key nor a payment, which would not help.
  ["is longer than any may be", "/all0/x", "2500000", true],
] as const) {
  test(`a script can read that its body ${what}, before it has sent any of it`, async () => {
    const asked = { ...JSON_TYPE, origin: APP, "content-length": length };
    const first = await RawClient.open(gateway.plainPort);
    const lines = Object.entries(asked).map(([name, value]) => `${name}: ${value}\r\n`);
    first.send(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}\r\n`);
    const message = await first.finalResponse("POST");
    const second = await Http2Client.ready(gateway.plainPort);
    second.send(postHead(1, path, Object.entries(asked)));
    const response = await second.response(1);
    expect([statusOf(message), response.status]).toEqual([413, 413]);
    for (const fields of [message.fields, response.fields]) {
      const told = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
      expect([told["access-control-allow-origin"], told["x-content-type-options"]]).toEqual([APP, "nosniff"]);
      expect(told["access-control-expose-headers"]?.includes("PAYMENT-REQUIRED") ?? false).toBe(exposed);
    }
    first.destroy();
    second.destroy();
  });
}

test("a gRPC call beyond the limit ends with RESOURCE_EXHAUSTED, and has the time to wait", async () => {
  const client = new EchoClient(gateway.tlsPort, TEST_CA.cert);
  try {
    for (let i = 0; i < 2; i++) expect((await client.unary("hello").outcome).code).toBe(status.OK);
    const { code, details, metadata, trailers } = await client.unary("hello").outcome;
    expect([code, details]).toEqual([status.RESOURCE_EXHAUSTED, "too many requests: wait as long as Retry-After says"]);
    const told = { ...metadata.getMap(), ...trailers.getMap() };
    expect([told["retry-after"], told["ratelimit"]]).toEqual([
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^"consumer";r=0;t=\d+$/),
    ]);
    expect(Object.keys(told).filter((name) => /^(?:access-control|content-encoding|strict)/.test(name))).toEqual([]);
  } finally {
    client.close();
  }
});

test("a WebSocket handshake over HTTP/2 uses a token, and beyond the limit gets 429 with a body", async () => {
  const client = await Http2Client.ready(gateway.plainPort);
  origin.response = (_, connection) => connection.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  for (const [stream, expected] of [
    [1, 403],
    [3, 429],
  ] as const) {
    const fields = [
      [":method", "CONNECT"],
      [":protocol", "websocket"],
      [":scheme", "http"],
      [":path", "/ws"],
      [":authority", "localhost"],
      ["sec-websocket-version", "13"],
      ["origin", APP],
    ] as const;
    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream, block(fields)));
    const response = await client.response(stream);
    const told = Object.fromEntries(response.fields);
    expect([response.status, told["access-control-allow-origin"], told["x-content-type-options"]]).toEqual([
      expected,
      APP,
      "nosniff",
    ]);
    expect(told["retry-after"] !== undefined && response.body.length > 0).toBe(expected === 429);
  }
  client.destroy();
});
