/** Cases of Gateway API's conformance tests that matches.test.ts, actions.test.ts and backends.test.ts do not have. See README.md. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Server } from "bun";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { response, told, unary, WireRig } from "../grpc/testing/wire.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "../policy/protocols.ts";
import { Http2Origin, type OriginRequest } from "../proxy/testing/http2-origin.ts";
import { serverAt } from "../support/gateway.ts";
import { NamedOrigins } from "./named-origins.ts";

setDefaultTimeout(patient(30_000));

/** Requests that `/retry` has received, by their ids. */
const tries = new Map<string, number>();

/** The echo server of the conformance tests: responds late, or with errors before the first success. */
function failing(): Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async ({ url, signal }) => {
      const query = new URL(url).searchParams;
      const id = query.get("uuid") ?? "";
      const count = (tries.get(id) ?? 0) + 1;
      tries.set(id, count);
      if (query.has("delay")) await until(() => signal.aborted, patient(20_000));
      const fails = count <= Number(query.get("succeedAfter"));
      return new Response("", { status: fails ? Number(query.get("responseCode")) : 200 });
    },
  });
}

const REDIRECTS = [
  { weight: 1, redirect: { scheme: "https", host: "redirect-example.com", port: 443, status: 302 } },
  { weight: 1, redirect: { scheme: "http", host: "redirect-example.com", port: 80, status: 301 } },
];
const ANY_HEADERS = { allow_origins: ["https://*.foo.com"], allow_methods: ["*"], allow_headers: ["*"] };

const ROUTES: readonly object[] = [
  // HTTPRouteRetries
  {
    path_prefix: "/retry/code-500-attempts-3",
    upstream: "failing",
    retry: { statuses: [500], max_retries: 3, backoff_ms: 1 },
  },
  {
    path_prefix: "/retry/code-all-attempts-2",
    upstream: "failing",
    retry: { statuses: [500, 502, 503, 504], max_retries: 2, backoff_ms: 1 },
  },
  // HTTPRouteTimeoutRequest, HTTPRouteTimeoutBackendRequest
  { path_prefix: "/request-timeout", upstream: "failing", total_timeout_ms: 100, retry: { max_retries: 0 } },
  { path_prefix: "/backend-timeout", upstream: "failing", retry: { try_timeout_ms: 100, max_retries: 0 } },
  // HTTPRouteWeight
  {
    path_prefix: "/weight",
    upstream: "v1",
    traffic_split: [
      { upstream: "v1", weight: 70 },
      { upstream: "v2", weight: 30 },
      { upstream: "v3", weight: 0 },
    ],
  },
  // HTTPRouteBackendRequestRedirect
  { path_prefix: "/backend-redirect", upstream: "v1", traffic_split: REDIRECTS },
  // HTTPRouteBackendURLRewrite
  {
    path_prefix: "/full",
    upstream: "v1",
    traffic_split: [{ upstream: "v1", weight: 1, rewrite: { path: "/rewritten-full" } }],
  },
  {
    path_prefix: "/prefix",
    upstream: "v1",
    traffic_split: [{ upstream: "v1", weight: 1, rewrite: { prefix: "/rewritten-prefix" } }],
  },
  // HTTPRouteDirectResponse
  {
    path_prefix: "/direct-response/body",
    match: { exact_path: true },
    fixed_response: { status: 200, body: "hello, gateway" },
  },
  { path_prefix: "/direct-response/no-body", match: { exact_path: true }, fixed_response: { status: 204 } },
  {
    path_prefix: "/direct-response/forbidden",
    match: { exact_path: true },
    fixed_response: { status: 403, body: "Forbidden" },
  },
  // HTTPRouteCORS
  { path_prefix: "/cors-any-headers", upstream: "v1", cors: { ...ANY_HEADERS, allow_credentials: true } },
  { path_prefix: "/cors-any-headers-unauth", upstream: "v1", cors: ANY_HEADERS },
  // HTTPRouteSessionPersistenceCookie: one upstream for each server
  {
    path_prefix: "/session",
    upstream: "v1",
    traffic_split: ["v1", "v2", "v3"].map((upstream) => ({ upstream, weight: 1 })),
    traffic_split_sticky: { cookie: { max_age_s: 0 } },
  },
];

let origins: NamedOrigins;
let late: Server<undefined>;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origins = await NamedOrigins.start(["v1", "v2", "v3"]);
  late = failing();
  gateway = await startProtocols({
    upstreams: [
      ...origins.names.map((name) => ({ name, servers: [serverAt(origins.port(name))] })),
      { name: "failing", servers: [serverAt(late.port ?? 0)] },
    ],
    routes: ROUTES,
  });
});

beforeEach(() => origins.reset());

afterAll(async () => {
  await gateway.stop();
  await origins.stop();
  await late.stop(true);
});

const RETRIES = [
  ["/retry/code-500-attempts-3?responseCode=500&succeedAfter=2", 200, 3],
  ["/retry/code-500-attempts-3?responseCode=500&succeedAfter=4", 500, 4],
  ["/retry/code-500-attempts-3?responseCode=503&succeedAfter=2", 503, 1],
  ...[500, 502, 503, 504].flatMap(
    (code) =>
      [
        [`/retry/code-all-attempts-2?responseCode=${code}&succeedAfter=1`, 200, 2],
        [`/retry/code-all-attempts-2?responseCode=${code}&succeedAfter=3`, code, 3],
      ] as const,
  ),
] as const;

describe.each(PROTOCOLS)("by %s", (protocol) => {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    gateway.request(protocol, { path, headers });

  test.each(RETRIES)("%s gives %d after %d tries", async (path, status, count) => {
    const id = crypto.randomUUID();
    expect((await get(`${path}&uuid=${id}`)).status).toBe(status);
    expect(tries.get(id)).toBe(count);
  });

  test.each(["/request-timeout", "/backend-timeout"])("%s gives 504 if the server is late", async (path) => {
    expect((await get(path)).status).toBe(200);
    expect((await get(`${path}?delay=1s`)).status).toBe(504);
  });

  test("backends get requests by weight", async () => {
    for (let i = 0; i < 50; i++) await get("/weight");
    const counts = origins.names.map((name) => origins.seen.filter(({ origin }) => origin === name).length);
    expect(Math.abs((counts[0] ?? 0) - 35)).toBeLessThan(4);
    expect(counts[2]).toBe(0);
  });

  test("backends redirect, without the ports of their schemes", async () => {
    const found = new Set<string>();
    for (let i = 0; i < 8; i++) {
      const reply = await get("/backend-redirect");
      found.add(`${reply.status} ${reply.header("location")}`);
    }
    expect([...found].toSorted()).toEqual([
      "301 http://redirect-example.com/backend-redirect",
      "302 https://redirect-example.com/backend-redirect",
    ]);
  });

  test.each([
    ["/full/original", "/rewritten-full"],
    ["/prefix/original", "/rewritten-prefix/original"],
  ])("a backend gets %s as %s", async (path, expected) => {
    await get(path);
    expect(origins.seen.map((seen) => seen.path)).toEqual([expected]);
  });

  test.each([
    ["/direct-response/body", 200, "hello, gateway"],
    ["/direct-response/no-body", 204, ""],
    ["/direct-response/forbidden", 403, "Forbidden"],
  ])("%s is responded to with %d %j", async (path, status, body) => {
    const reply = await get(path);
    expect([reply.status, reply.text]).toEqual([status, body]);
  });

  test.each([
    ["/cors-any-headers", "true"],
    ["/cors-any-headers-unauth", undefined],
  ])("a preflight of %s allows every method and field", async (path, credentials) => {
    const headers = {
      origin: "https://other.foo.com",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "x-header-1, x-header-2",
    };
    const reply = await gateway.request(protocol, { method: "OPTIONS", path, headers });
    const names = ["origin", "methods", "headers", "credentials"];
    expect(names.map((name) => reply.header(`access-control-allow-${name}`))).toEqual([
      "https://other.foo.com",
      "PUT",
      "x-header-1, x-header-2",
      credentials,
    ]);
    const simple = await get(path, { origin: "https://other.foo.com", authorization: "Bearer test" });
    expect(simple.header("access-control-allow-credentials")).toBe(credentials);
    const other = await get(path, { origin: "https://not-foo.example" });
    expect(other.header("access-control-allow-credentials")).toBeUndefined();
  });

  test("a cookie of the session leads to the same server", async () => {
    const first = await get("/session");
    const cookie = first.header("set-cookie") ?? "";
    expect(cookie).not.toMatch(/Expires|Max-Age/i);
    for (let i = 0; i < 5; i++) {
      expect((await get("/session", { cookie: cookie.slice(0, cookie.indexOf(";")) })).text).toBe(first.text);
    }
  });
});

function grpc(service: string): object {
  return { grpc: { service } };
}

describe("GRPCRoute", () => {
  let second: Http2Origin;
  let wire: WireRig;

  beforeAll(async () => {
    second = await Http2Origin.start();
    wire = await WireRig.start({
      upstreams: [{ name: "second", protocol: "h2c", servers: [serverAt(second.port)] }],
      routes: [
        // GRPCRouteRequestMirror
        { path_prefix: "/", name: "mirror", upstream: "origin", mirror: "second", match: grpc("test.Mirror") },
        // GRPCRouteWeight
        {
          path_prefix: "/",
          name: "weight",
          upstream: "origin",
          match: grpc("test.Weight"),
          traffic_split: [
            { upstream: "origin", weight: 70 },
            { upstream: "second", weight: 30 },
          ],
        },
        // GRPCRouteRequestHeaderModifier
        {
          path_prefix: "/",
          name: "headers",
          upstream: "origin",
          match: grpc("test.Headers"),
          headers: {
            request: {
              set: [{ name: "X-Header-Set", value: "set-overwrites-values" }],
              add: [{ name: "X-Header-Add", value: "add-appends-values" }],
              remove: ["X-Header-Remove"],
            },
          },
        },
      ],
    });
    wire.origin.onRequest = (request) => response(request);
    second.onRequest = (request) => response(request);
  });

  afterAll(async () => {
    await wire.stop();
    await second.stop();
  });

  test("a mirror gets a copy of the call", async () => {
    const path = "/test.Mirror/Echo";
    unary(await wire.client(), 1, [], path);
    await until(() => [wire.origin, second].every((origin) => origin.on(path).length === 1));
  });

  test("backends get calls by weight", async () => {
    const client = await wire.client();
    for (let i = 0; i < 20; i++) {
      unary(client, 2 * i + 1, [], "/test.Weight/Echo");
      expect(await told(client, 2 * i + 1)).toMatchObject({ grpcStatus: "0" });
    }
    expect(Math.abs(second.on("/test.Weight/Echo").length - 6)).toBeLessThan(3);
  });

  test("header rules set, add and remove metadata", async () => {
    const client = await wire.client();
    const sent = ["set", "add", "remove"].map((name) => [`x-header-${name}`, "client"] as const);
    unary(client, 1, sent, "/test.Headers/Echo");
    await told(client, 1);
    const [call] = wire.origin.on("/test.Headers/Echo") as [OriginRequest];
    const values = (name: string): string[] =>
      call.fields.filter(([field]) => field === name).map(([, value]) => value);
    expect(values("x-header-set")).toEqual(["set-overwrites-values"]);
    expect(values("x-header-add")).toEqual(["client", "add-appends-values"]);
    expect(values("x-header-remove")).toEqual([]);
  });
});
