/** `routes[].match`: the cases of Gateway API's HTTPRoute and GRPCRoute conformance tests, over every protocol. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { PROTOCOLS, type ProtocolGateway, type Request, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { NamedOrigins } from "./named-origins.ts";

setDefaultTimeout(patient(30_000));

const header = (name: string, value: string): object => ({ name, value });
const version = (value: string): object => ({ headers: [header("Version", value)] });

const ROUTES: readonly object[] = [
  // HTTPRouteExactPathMatching
  { host: "exact.test", path_prefix: "/one", upstream: "v1", match: { exact_path: true } },
  { host: "exact.test", path_prefix: "/two", upstream: "v2", match: { exact_path: true } },
  // HTTPRouteMatching, HTTPRouteMatchingAcrossRoutes
  { host: "matching.test", path_prefix: "/", upstream: "v1" },
  { host: "matching.test", path_prefix: "/", name: "one", upstream: "v1", match: version("one") },
  { host: "matching.test", path_prefix: "/v2", upstream: "v2" },
  { host: "matching.test", path_prefix: "/", name: "two", upstream: "v2", match: version("two") },
  { host: "matching.test", path_prefix: "/v2/example", upstream: "v1" },
  // HTTPRoutePathMatchOrder
  { host: "order.test", path_prefix: "/match/exact/one", upstream: "v3", match: { exact_path: true } },
  { host: "order.test", path_prefix: "/match/exact", upstream: "v2", match: { exact_path: true } },
  { host: "order.test", path_prefix: "/match", upstream: "v1", match: { exact_path: true } },
  { host: "order.test", path_prefix: "/match/prefix/one", upstream: "v2" },
  { host: "order.test", path_prefix: "/match/prefix", upstream: "v1" },
  { host: "order.test", path_prefix: "/match/exact/", upstream: "v1" },
  // HTTPRouteHeaderMatching
  { host: "headers.test", path_prefix: "/", name: "one", upstream: "v1", match: version("one") },
  { host: "headers.test", path_prefix: "/", name: "two", upstream: "v2", match: version("two") },
  {
    host: "headers.test",
    path_prefix: "/",
    name: "two-orange",
    upstream: "v1",
    match: { headers: [header("Version", "two"), header("Color", "orange")] },
  },
  {
    host: "headers.test",
    path_prefix: "/",
    name: "blue",
    upstream: "v1",
    match: { headers: [header("color", "blue")] },
  },
  {
    host: "headers.test",
    path_prefix: "/",
    name: "green",
    upstream: "v1",
    match: { headers: [header("COLOR", "green")] },
  },
  { host: "headers.test", path_prefix: "/", name: "red", upstream: "v2", match: { headers: [header("color", "red")] } },
  // HTTPRouteQueryParamMatching
  {
    host: "query.test",
    path_prefix: "/",
    name: "whale",
    upstream: "v1",
    match: { query: [header("animal", "whale")] },
  },
  {
    host: "query.test",
    path_prefix: "/",
    name: "dolphin",
    upstream: "v2",
    match: { query: [header("animal", "dolphin")] },
  },
  {
    host: "query.test",
    path_prefix: "/",
    name: "dolphin-blue",
    upstream: "v3",
    match: { query: [header("animal", "dolphin"), header("color", "blue")] },
  },
  { host: "query.test", path_prefix: "/path1", upstream: "v1", match: { query: [header("animal", "whale")] } },
  {
    host: "query.test",
    path_prefix: "/",
    name: "whale-one",
    upstream: "v2",
    match: { query: [header("animal", "whale")], headers: [header("version", "one")] },
  },
  {
    host: "query.test",
    path_prefix: "/",
    name: "upper",
    upstream: "v3",
    match: { query: [header("ANIMAL", "Whale")] },
  },
  {
    host: "query.test",
    path_prefix: "/path2",
    upstream: "v3",
    match: { query: [header("animal", "whale")], headers: [header("version", "two")] },
  },
  { host: "query.test", path_prefix: "/path3", upstream: "v1", match: { query: [header("animal", "shark")] } },
  {
    host: "query.test",
    path_prefix: "/path4",
    upstream: "v1",
    match: { query: [header("animal", "kraken")], headers: [header("version", "three")] },
  },
  { host: "query.test", path_prefix: "/path5", upstream: "v1", match: { query: [header("animal", "hydra")] } },
  {
    host: "query.test",
    path_prefix: "/",
    name: "hydra-four",
    upstream: "v3",
    match: { query: [header("animal", "hydra")], headers: [header("version", "four")] },
  },
  // HTTPRouteMethodMatching
  { host: "methods.test", path_prefix: "/", name: "post", upstream: "v1", match: { methods: ["POST"] } },
  { host: "methods.test", path_prefix: "/", name: "get", upstream: "v2", match: { methods: ["GET"] } },
  { host: "methods.test", path_prefix: "/path1", upstream: "v1", match: { methods: ["GET"] } },
  {
    host: "methods.test",
    path_prefix: "/",
    name: "put-header",
    upstream: "v2",
    match: { methods: ["PUT"], headers: [header("version", "one")] },
  },
  { host: "methods.test", path_prefix: "/path5", name: "head", upstream: "v1", match: { methods: ["PATCH"] } },
  { host: "methods.test", path_prefix: "/path5", name: "header", upstream: "v2", match: version("four") },
  // HTTPRouteHostnameIntersection, ListenerHostnameMatching
  { host: "very.specific.com", path_prefix: "/s1", upstream: "v1" },
  { host: "*.specific.com", path_prefix: "/s1", upstream: "v2" },
  { host: "*.wildcard.io", path_prefix: "/s2", upstream: "v2" },
  { host: "*.foo.wildcard.io", path_prefix: "/s2", upstream: "v3" },
  { host: "*.anotherwildcard.io", path_prefix: "/s4", upstream: "v1" },
  // HTTPRouteNamedRule, GRPCRouteNamedRule
  { host: "named.test", path_prefix: "/named", name: "named-rule", upstream: "v1" },
  { host: "named.test", path_prefix: "/unnamed", upstream: "v2" },
  // Regular expressions
  { host: "pattern.test", path_prefix: "/users/", upstream: "v1", match: { path_pattern: "/users/[0-9]+" } },
  { host: "pattern.test", path_prefix: "/users", upstream: "v2" },
  {
    host: "pattern.test",
    path_prefix: "/",
    upstream: "v3",
    match: { headers: [{ name: "Accept-Language", pattern: "(?:de|fr)(?:-[A-Z]+)?" }] },
  },
  // GRPCExactMethodMatching, GRPCRouteHeaderMatching: matching sees only the path of a call
  {
    host: "grpc.test",
    path_prefix: "/",
    name: "echo",
    upstream: "v1",
    match: { grpc: { service: "echo.Echo", method: "Echo" } },
  },
  {
    host: "grpc.test",
    path_prefix: "/",
    name: "two",
    upstream: "v2",
    match: { grpc: { service: "echo.Echo", method: "EchoTwo" } },
  },
  ...(
    [
      ["one", "v1", { version: "one" }],
      ["two", "v2", { version: "two" }],
      ["two-orange", "v1", { version: "two", color: "orange" }],
      ["blue", "v1", { color: "blue" }],
      ["green", "v1", { color: "green" }],
      ["red", "v2", { color: "red" }],
      ["yellow", "v2", { color: "yellow" }],
    ] as const
  ).map(([name, upstream, fields]) => ({
    host: "grpc-headers.test",
    path_prefix: "/",
    name,
    upstream,
    match: { headers: Object.entries(fields).map(([field, value]) => header(field, value)) },
  })),
  { host: "grpc.test", path_prefix: "/", name: "service", upstream: "v3", match: { grpc: { service: "echo.Other" } } },
];

const CASES: readonly (readonly [host: string, path: string, expected: string, request?: Request])[] = [
  ["exact.test", "/one", "v1"],
  ["exact.test", "/two", "v2"],
  ["exact.test", "/", "404"],
  ["exact.test", "/one/example", "404"],
  ["exact.test", "/two/", "404"],
  ["exact.test", "/Two", "404"],
  ["matching.test", "/", "v1"],
  ["matching.test", "/example", "v1"],
  ["matching.test", "/", "v1", { headers: { version: "one" } }],
  ["matching.test", "/v2", "v2"],
  ["matching.test", "/v2?foo=bar", "v2"],
  ["matching.test", "/v2/example", "v1"],
  ["matching.test", "/", "v2", { headers: { version: "two" } }],
  ["matching.test", "/v2/", "v2"],
  ["matching.test", "/v2example", "v1"],
  ["matching.test", "/foo/v2/example", "v1"],
  ["order.test", "/match/exact/one", "v3"],
  ["order.test", "/match/exact", "v2"],
  ["order.test", "/match", "v1"],
  ["order.test", "/match/prefix/one/any", "v2"],
  ["order.test", "/match/prefix/any", "v1"],
  ["order.test", "/match/any", "404"],
  ["headers.test", "/", "v1", { headers: { version: "one" } }],
  ["headers.test", "/", "v2", { headers: { version: "two" } }],
  ["headers.test", "/", "v1", { headers: { version: "two", color: "orange" } }],
  ["headers.test", "/", "404", { headers: { color: "orange" } }],
  ["headers.test", "/", "404", { headers: { "some-other-header": "one" } }],
  ["headers.test", "/", "v1", { headers: { color: "blue" } }],
  ["headers.test", "/", "v1", { headers: { color: "green" } }],
  ["headers.test", "/", "v2", { headers: { color: "red" } }],
  ["headers.test", "/", "v2", { headers: { version: "two", color: "red" } }],
  ["headers.test", "/", "404", { headers: { color: "purple" } }],
  ["query.test", "/?animal=whale", "v1"],
  ["query.test", "/?animal=dolphin", "v2"],
  ["query.test", "/?animal=whale&otherparam=irrelevant", "v1"],
  ["query.test", "/?animal=dolphin&color=yellow", "v2"],
  ["query.test", "/?animal=dolphin&color=blue", "v3"],
  ["query.test", "/?color=blue", "404"],
  ["query.test", "/?animal=dog", "404"],
  ["query.test", "/?animal=whaledolphin", "404"],
  ["query.test", "/", "404"],
  ["query.test", "/path1?animal=whale", "v1"],
  ["query.test", "/?ANIMAL=Whale", "v3"],
  ["query.test", "/?ANIMAL=whale", "404"],
  ["query.test", "/path2?animal=whale", "v3", { headers: { version: "two" } }],
  ["query.test", "/path3?animal=shark", "v1"],
  ["query.test", "/?animal=shark", "404"],
  ["query.test", "/path4?animal=kraken", "v1", { headers: { version: "three" } }],
  ["query.test", "/path4?animal=kraken", "404"],
  ["query.test", "/path5?animal=hydra", "v1", { headers: { version: "four" } }],
  ["query.test", "/?animal=hydra", "v3", { headers: { version: "four" } }],
  ["query.test", "/?animal=whale", "v2", { headers: { version: "one" } }],
  ["query.test", "/path1?animal=whale", "v1", { headers: { version: "one" } }],
  ["methods.test", "/", "v1", { method: "POST", body: "" }],
  ["methods.test", "/", "v2"],
  ["methods.test", "/", "404", { method: "HEAD" }],
  ["methods.test", "/path1", "v1"],
  ["methods.test", "/", "v2", { method: "PUT", body: "", headers: { version: "one" } }],
  ["methods.test", "/path5", "v1", { method: "PATCH", body: "", headers: { version: "four" } }],
  ["methods.test", "/path5", "v2", { headers: { version: "four" } }],
  ["methods.test", "/path6", "404", { method: "DELETE" }],
  ["very.specific.com", "/s1", "v1"],
  ["very.specific.com:1234", "/s1", "v1"],
  ["less.specific.com", "/s1", "v2"],
  ["specific.com", "/s1", "404"],
  ["non.matching.com", "/s1", "404"],
  ["bar.wildcard.io", "/s2", "v2"],
  ["bar.foo.wildcard.io", "/s2", "v3"],
  ["foo.wildcard.io", "/s2", "v2"],
  ["wildcard.io", "/s2", "404"],
  ["bar.wildcard.io", "/s1", "404"],
  ["foo.bar.anotherwildcard.io", "/s4", "v1"],
  ["anotherwildcard.io", "/s4", "404"],
  ["foo.wildcard.io", "/s4", "404"],
  ["foo.anotherwildcard.io", "/non-matching-prefix", "404"],
  ["named.test", "/named", "v1"],
  ["named.test", "/unnamed", "v2"],
  ["pattern.test", "/users/12", "v1"],
  ["pattern.test", "/users/12/posts", "v2"],
  ["pattern.test", "/users/x", "v2"],
  ["pattern.test", "/", "v3", { headers: { "accept-language": "de-CH" } }],
  ["pattern.test", "/", "404", { headers: { "accept-language": "en, de" } }],
  ["grpc.test", "/echo.Echo/Echo", "v1", { method: "POST", body: "" }],
  ["grpc.test", "/echo.Echo/EchoTwo", "v2", { method: "POST", body: "" }],
  ["grpc.test", "/echo.Echo/EchoThree", "404", { method: "POST", body: "" }],
  ["grpc.test", "/echo.Other/Any", "v3", { method: "POST", body: "" }],
  ["grpc-headers.test", "/echo.Echo/Echo", "v1", { method: "POST", body: "", headers: { version: "one" } }],
  ["grpc-headers.test", "/echo.Echo/Echo", "v2", { method: "POST", body: "", headers: { version: "two" } }],
  [
    "grpc-headers.test",
    "/echo.Echo/Echo",
    "v1",
    { method: "POST", body: "", headers: { version: "two", color: "orange" } },
  ],
  [
    "grpc-headers.test",
    "/echo.Echo/Echo",
    "v2",
    { method: "POST", body: "", headers: { version: "two", color: "blue" } },
  ],
  ["grpc-headers.test", "/echo.Echo/Echo", "404", { method: "POST", body: "", headers: { color: "orange" } }],
  [
    "grpc-headers.test",
    "/echo.Echo/Echo",
    "404",
    { method: "POST", body: "", headers: { "some-other-header": "one" } },
  ],
  ["grpc-headers.test", "/echo.Echo/Echo", "v1", { method: "POST", body: "", headers: { color: "blue" } }],
  ["grpc-headers.test", "/echo.Echo/Echo", "v1", { method: "POST", body: "", headers: { color: "green" } }],
  ["grpc-headers.test", "/echo.Echo/Echo", "v2", { method: "POST", body: "", headers: { color: "red" } }],
  ["grpc-headers.test", "/echo.Echo/Echo", "v2", { method: "POST", body: "", headers: { color: "yellow" } }],
  ["grpc-headers.test", "/echo.Echo/Echo", "404", { method: "POST", body: "", headers: { color: "purple" } }],
];

let origins: NamedOrigins;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origins = await NamedOrigins.start(["v1", "v2", "v3"]);
  gateway = await startProtocols({
    upstreams: origins.names.map((name) => ({ name, servers: [serverAt(origins.port(name))] })),
    routes: ROUTES,
  });
});

afterAll(async () => {
  await gateway.stop();
  await origins.stop();
});

for (const protocol of PROTOCOLS) {
  describe(`over ${protocol}`, () => {
    test.each(CASES)("%s %s goes to %s", async (authority, path, expected, request = {}) => {
      const reply = await gateway.request(protocol, { ...request, authority, path });
      expect(reply.header("x-origin") ?? String(reply.status)).toBe(expected);
    });
  });
}
