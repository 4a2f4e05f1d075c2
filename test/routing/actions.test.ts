/** Redirects, fixed responses, rewrites, mirrors and filters of backends: Gateway API's conformance cases, over every protocol. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { NamedOrigins } from "./named-origins.ts";

setDefaultTimeout(patient(30_000));

const header = (name: string, value: string): object => ({ name, value });
const added = (name: string, value: string): object => ({ add: [{ name, value }] });
const KEYED = { type: "api_key", keys: [{ key: "k", name: "n" }] };

const ROUTES: readonly object[] = [
  // HTTPRouteRedirectHostAndStatus
  { path_prefix: "/hostname-redirect", redirect: { host: "example.org" } },
  { path_prefix: "/host-and-status", redirect: { host: "example.org", status: 301 } },
  ...[303, 307, 308].map((status) => ({ path_prefix: `/${status}`, redirect: { host: "example.org", status } })),
  ...[301, 302, 303, 307, 308].map((status) => ({ path_prefix: `/same-${status}`, redirect: { status } })),
  // HTTPRouteRedirectPath
  { path_prefix: "/original-prefix", redirect: { prefix: "/replacement-prefix" } },
  { path_prefix: "/full", redirect: { path: "/full-path-replacement" } },
  { path_prefix: "/path-and-host", redirect: { prefix: "/replacement-prefix", host: "example.org" } },
  { path_prefix: "/path-and-status", redirect: { prefix: "/replacement-prefix", status: 301 } },
  { path_prefix: "/removed", redirect: { prefix: "" } },
  // HTTPRouteRedirectPort, HTTPRouteRedirectScheme, HTTPRouteRedirectPortAndScheme
  { path_prefix: "/port", redirect: { port: 8083 } },
  { path_prefix: "/port-443", redirect: { port: 443 } },
  { path_prefix: "/port-and-host", redirect: { port: 8083, host: "example.org" } },
  { path_prefix: "/scheme-http", redirect: { scheme: "http" } },
  { path_prefix: "/scheme-http-8080", redirect: { scheme: "http", port: 8080 } },
  { path_prefix: "/scheme-https", redirect: { scheme: "https", host: "example.org", status: 301 } },
  { path_prefix: "/scheme-http-80", redirect: { scheme: "http", port: 80, host: "example.org" } },
  { path_prefix: "/port-443-and-host", redirect: { port: 443, host: "example.org" } },
  { path_prefix: "/full-path-and-host", redirect: { path: "/replacement-full", host: "example.org" } },
  { path_prefix: "/full-path-and-status", redirect: { path: "/replacement-full", status: 301 } },
  { path_prefix: "/guarded-redirect", redirect: { host: "example.org" }, auth: KEYED },
  // Fixed responses
  { path_prefix: "/fixed", fixed_response: { status: 503, body: "closed é", headers: [{ name: "X-A", value: "1" }] } },
  { path_prefix: "/empty", fixed_response: { status: 204 } },
  // HTTPRouteRewritePath
  { path_prefix: "/prefix/one", upstream: "v1", rewrite: { prefix: "/one" } },
  { path_prefix: "/strip-prefix", upstream: "v1", rewrite: { prefix: "/" } },
  { path_prefix: "/full/one", upstream: "v1", rewrite: { path: "/one" } },
  // HTTPRouteRewriteHost
  { host: "rewrite.example", path_prefix: "/one", upstream: "v1", rewrite: { host: "one.example.org" } },
  // HTTPRouteRequestHeaderModifier, HTTPRouteResponseHeaderModifier
  {
    path_prefix: "/modified",
    upstream: "v1",
    headers: {
      request: {
        set: [header("X-Set-1", "set-1"), header("X-Set-2", "set-2")],
        add: [header("X-Add-1", "add-1"), header("X-Add-2", "add-2")],
        remove: ["X-Remove-1", "X-Remove-2"],
      },
      response: { set: [header("X-Origin", "changed")], add: [header("X-Added", "a")], remove: ["X-From"] },
    },
  },
  // HTTPRouteRewritePath with a header modifier
  {
    path_prefix: "/prefix/headers",
    upstream: "v1",
    rewrite: { prefix: "/prefix" },
    headers: { request: { set: [header("X-Set-1", "set-1")] } },
  },
  // HTTPRouteCORS
  {
    path_prefix: "/cors-1",
    upstream: "v1",
    cors: {
      allow_origins: ["https://www.foo.com", "https://*.bar.com"],
      allow_methods: ["GET", "OPTIONS"],
      allow_headers: ["x-header-1", "x-header-2"],
      expose_headers: ["x-header-3", "x-header-4"],
      allow_credentials: true,
      max_age_s: 3600,
    },
  },
  { path_prefix: "/cors-2", upstream: "v1", cors: { allow_origins: ["https://www.foo.com"], allow_methods: ["*"] } },
  { path_prefix: "/cors-any", upstream: "v1", cors: { allow_origins: ["*"], allow_methods: ["PUT"] } },
  // HTTPRouteBackendRequestHeaderModifier, BackendResponseHeaderModifier
  {
    path_prefix: "/backend",
    upstream: "v1",
    traffic_split: [
      { upstream: "v1", weight: 1, headers: { request: added("X-Backend", "one"), response: { remove: ["X-From"] } } },
      { upstream: "v2", weight: 1 },
    ],
  },
  // HTTPRouteRequestMultipleMirrors, HTTPRouteRequestPercentageMirror
  { path_prefix: "/mirrors", upstream: "v1", mirrors: [{ upstream: "v2" }, { upstream: "v3" }] },
  { path_prefix: "/percent", upstream: "v1", mirrors: [{ upstream: "v2", percent: 20 }] },
  // An upstream without endpoints
  { path_prefix: "/nowhere", upstream: "empty" },
  { path_prefix: "/unfound", upstream: "unfound" },
];

let origins: NamedOrigins;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origins = await NamedOrigins.start(["v1", "v2", "v3"]);
  gateway = await startProtocols({
    upstreams: [
      ...origins.names.map((name) => ({ name, servers: [serverAt(origins.port(name))] })),
      { name: "empty", servers: [] },
      { name: "unfound", servers: [], catalog_discovery: { service: "x", port: await freePort() } },
    ],
    routes: ROUTES,
  });
});

beforeEach(() => origins.reset());

afterAll(async () => {
  await gateway.stop();
  await origins.stop();
});

const REDIRECTS: readonly (readonly [path: string, status: number, location: string, authority?: string])[] = [
  ["/hostname-redirect", 302, "https://example.org/hostname-redirect"],
  ["/host-and-status/x?a=b", 301, "https://example.org/host-and-status/x?a=b"],
  ...[301, 302, 303, 307, 308].map(
    (status) => [`/same-${status}`, status, `https://a.test:8443/same-${status}`, "a.test:8443"] as const,
  ),
  ["/303", 303, "https://example.org/303"],
  ["/307", 307, "https://example.org/307"],
  ["/308", 308, "https://example.org/308"],
  ["/original-prefix/lemon", 302, "https://localhost/replacement-prefix/lemon"],
  ["/original-prefix", 302, "https://localhost/replacement-prefix"],
  ["/full/path/original?q=1", 302, "https://localhost/full-path-replacement?q=1"],
  ["/path-and-host/lemon", 302, "https://example.org/replacement-prefix/lemon"],
  ["/path-and-status/lemon", 301, "https://localhost/replacement-prefix/lemon"],
  ["/removed", 302, "https://localhost/"],
  ["/removed/x/", 302, "https://localhost/x/"],
  ["/removed;x=1/y", 302, "https://localhost/removed;x=1/y"],
  ["/port", 302, "https://a.test:8083/port", "a.test:8443"],
  ["/port-443", 302, "https://a.test/port-443", "a.test:8443"],
  ["/port-and-host", 302, "https://example.org:8083/port-and-host"],
  ["/scheme-http", 302, "http://a.test/scheme-http", "a.test:8443"],
  ["/scheme-http-8080", 302, "http://a.test:8080/scheme-http-8080", "a.test:8443"],
  ["/scheme-https", 301, "https://example.org/scheme-https"],
  ["/hostname-redirect", 302, "https://example.org:8443/hostname-redirect", "a.test:8443"],
  ["/scheme-http-80", 302, "http://example.org/scheme-http-80", "a.test:8443"],
  ["/port-443-and-host", 302, "https://example.org/port-443-and-host", "a.test:8443"],
  ["/full-path-and-host", 302, "https://example.org/replacement-full"],
  ["/full-path-and-status", 301, "https://localhost/replacement-full"],
  ["/full", 302, "https://[::1]:8443/full-path-replacement", "[::1]:8443"],
];

type Allowed = readonly (string | undefined)[] | undefined;
const ALL_OF_1 = ["GET, OPTIONS", "x-header-1, x-header-2", "true", "3600"];

const PREFLIGHTS: readonly (readonly [origin: string, method: string, path: string, expected: Allowed])[] = [
  ["https://www.foo.com", "GET", "/cors-1", ["https://www.foo.com", ...ALL_OF_1]],
  ["https://www.bar.com", "GET", "/cors-1", ["https://www.bar.com", ...ALL_OF_1]],
  ["https://xpto.www.bar.com", "GET", "/cors-1", ["https://xpto.www.bar.com", ...ALL_OF_1]],
  ["https://foobar.com", "GET", "/cors-1", undefined],
  ["https://www.foo.com", "POST", "/cors-2", ["https://www.foo.com", "POST", undefined, undefined, "600"]],
  ["https://foobar.com", "PUT", "/cors-any", ["*", "PUT", undefined, undefined, "600"]],
  ["https://foobar.com:12345", "PUT", "/cors-any", ["*", "PUT", undefined, undefined, "600"]],
];

for (const protocol of PROTOCOLS) {
  describe(`over ${protocol}`, () => {
    test.each(REDIRECTS)("%s is redirected with %d to %s", async (path, status, location, authority = "localhost") => {
      const reply = await gateway.request(protocol, { path, authority });
      expect([reply.status, reply.header("location"), reply.text]).toEqual([status, location, ""]);
    });

    test("a redirect of a guarded route requires its credentials", async () => {
      expect((await gateway.request(protocol, { path: "/guarded-redirect" })).status).toBe(401);
      const reply = await gateway.request(protocol, { path: "/guarded-redirect", headers: { "x-api-key": "k" } });
      expect(reply.status).toBe(302);
    });

    test("a fixed response has its status, fields and body, also to a request with a body", async () => {
      const reply = await gateway.request(protocol, { method: "POST", path: "/fixed", body: "ignored" });
      expect([reply.status, reply.text, reply.header("x-a")]).toEqual([503, "closed é", "1"]);
      expect(reply.header("content-type")).toBe("text/plain; charset=utf-8");
      const head = await gateway.request(protocol, { method: "HEAD", path: "/fixed" });
      expect([head.status, head.text, head.header("content-length")]).toEqual([503, "", "9"]);
      expect((await gateway.request(protocol, { path: "/empty" })).status).toBe(204);
    });

    test.each([
      ["/prefix/one/two", "/one/two"],
      ["/prefix/one?a=b", "/one?a=b"],
      ["/strip-prefix/three", "/three"],
      ["/strip-prefix", "/"],
      ["/full/one/two?a=b", "/one?a=b"],
    ])("%s reaches the upstream as %s", async (path, expected) => {
      await gateway.request(protocol, { path });
      expect(origins.seen.map((seen) => seen.path)).toEqual([expected]);
    });

    test("the upstream gets another host, and the client's in X-Forwarded-Host", async () => {
      await gateway.request(protocol, { authority: "rewrite.example", path: "/one" });
      const [seen] = origins.seen;
      expect([seen?.headers.get("host"), seen?.headers.get("x-forwarded-host")]).toEqual([
        "one.example.org",
        "rewrite.example",
      ]);
    });

    test("header rules set, add and remove fields, whatever their case", async () => {
      const headers = { "x-set-2": "client", "x-add-2": "client", "x-remove-2": "client", other: "client" };
      const reply = await gateway.request(protocol, { path: "/modified", headers });
      const seen = origins.seen[0]?.headers;
      const names = ["x-set-1", "x-set-2", "x-add-1", "x-add-2", "x-remove-1", "x-remove-2", "other"];
      expect(names.map((name) => seen?.get(name) ?? null)).toEqual([
        "set-1",
        "set-2",
        "add-1",
        "client, add-2",
        null,
        null,
        "client",
      ]);
      expect(["x-origin", "x-added", "x-from"].map((name) => reply.header(name))).toEqual(["changed", "a", undefined]);
    });

    test("a path is rewritten beside header rules", async () => {
      await gateway.request(protocol, { path: "/prefix/headers/one", headers: { "x-set-1": "client" } });
      expect([origins.seen[0]?.path, origins.seen[0]?.headers.get("x-set-1")]).toEqual(["/prefix/one", "set-1"]);
    });

    test.each(PREFLIGHTS)("a preflight of %s for %s at %s is allowed as %s", async (origin, method, path, expected) => {
      const headers = { origin, "access-control-request-method": method };
      const reply = await gateway.request(protocol, { method: "OPTIONS", path, headers });
      const names = ["origin", "methods", "headers", "credentials", "max-age"];
      const found = names.map((name) =>
        reply.header(name === "max-age" ? `access-control-${name}` : `access-control-allow-${name}`),
      );
      expect([reply.status, ...found]).toEqual(
        expected === undefined ? [204, ...found.map(() => undefined)] : [204, ...expected],
      );
      const simple = await gateway.request(protocol, { method: "GET", path, headers: { origin } });
      expect(simple.header("access-control-allow-origin")).toBe(expected?.[0]);
    });

    test("rules of one backend change only its requests and responses", async () => {
      const replies: Reply[] = [];
      for (let i = 0; i < 6; i++) replies.push(await gateway.request(protocol, { path: "/backend" }));
      const tell = (name: string): Set<string | undefined> =>
        new Set(replies.filter((reply) => reply.header("x-origin") === name).map((reply) => reply.header("x-from")));
      expect([tell("v1"), tell("v2")]).toEqual([new Set([undefined]), new Set(["origin"])]);
      expect(new Set(origins.seen.map(({ origin, headers }) => `${origin} ${headers.get("x-backend")}`))).toEqual(
        new Set(["v1 one", "v2 null"]),
      );
    });

    test("every mirror gets a copy of the whole request", async () => {
      const reply = await gateway.request(protocol, { method: "POST", path: "/mirrors", body: "copy me" });
      expect(reply.header("x-origin")).toBe("v1");
      await until(() => origins.seen.length === 3);
      expect(origins.seen.map(({ origin, body }) => `${origin} ${body}`).toSorted()).toEqual([
        "v1 copy me",
        "v2 copy me",
        "v3 copy me",
      ]);
    });

    test("an upstream whose discovery has found no server gives 502", async () => {
      const reply = await gateway.request(protocol, { method: "GET", path: "/unfound" });
      expect([reply.status, reply.json]).toEqual([
        502,
        expect.objectContaining({ type: "urn:turnpike:error:no-upstream" }) as unknown,
      ]);
    });

    test("an upstream without servers gives 503", async () => {
      for (const method of ["GET", "POST"]) {
        const reply = await gateway.request(protocol, { method, path: "/nowhere", body: "x" });
        expect([reply.status, reply.json]).toEqual([
          503,
          expect.objectContaining({ type: "urn:turnpike:error:no-servers" }) as unknown,
        ]);
      }
    });
  });
}

test("a mirror gets its percentage of the requests", async () => {
  for (let i = 0; i < 50; i++) await gateway.plain({ path: "/percent" });
  await until(() => origins.seen.filter(({ origin }) => origin === "v2").length >= 8);
  const copies = origins.seen.filter(({ origin }) => origin === "v2").length;
  expect(copies).toBeLessThanOrEqual(12);
});
