import { describe, expect, test } from "bun:test";
import { type RouteConfig } from "../config/config.ts";
import { route as routeSchema } from "../config/schema/routes.ts";
import { matchOf } from "./conditions.ts";
import { type Matchable, type Routable } from "./routable.ts";
import { RouteTable } from "./table.ts";

interface Named extends Routable {
  readonly name: string;
}

/** The name of each route stands for its upstream. */
function tableOf(routes: readonly (readonly [name: string, route: object, isGuarded?: boolean])[]): RouteTable<Named> {
  return RouteTable.of(
    routes.map(([name, config, isGuarded = false]) => {
      const parsed: RouteConfig = routeSchema.parse({ upstream: "u", ...config });
      return { ...matchOf(parsed), host: parsed.host, isGuarded, name };
    }),
  );
}

type Asked = Partial<Matchable> & { readonly host?: string };

function nameOf(table: RouteTable<Named>, path: string, { host = "h", ...request }: Asked = {}): string | undefined {
  return table.match(host, path, { method: "GET", query: "", fields: "", ...request })?.name;
}

const header = (name: string, value: string): object => ({ name, value });

/** True if a route with these conditions matches the request. */
const takes = (match: object, request: Asked, path = "/x"): boolean =>
  nameOf(tableOf([["it", { path_prefix: "/", match }]]), path, request) === "it";

describe("precedence", () => {
  const table = tableOf([
    ["prefix", { path_prefix: "/a" }],
    ["two-headers", { path_prefix: "/a", match: { headers: [header("X", "1"), header("Y", "1")] } }],
    ["one-header", { path_prefix: "/a", match: { headers: [header("X", "1")] } }],
    ["first-of-two", { path_prefix: "/a", match: { query: [{ name: "q", value: "1" }] } }],
    ["second-of-two", { path_prefix: "/a", match: { query: [{ name: "r", value: "1" }] } }],
    ["method", { path_prefix: "/a", match: { methods: ["PUT"] } }],
    ["exact", { path_prefix: "/a/b", match: { exact_path: true } }],
    ["long", { path_prefix: "/a/b" }],
    ["pattern", { path_prefix: "/a/", match: { path_pattern: "/a/[0-9]+" } }],
    ["host", { path_prefix: "/a/b", host: "x.test" }],
  ]);

  test.each([
    ["/a", {}, "prefix"],
    ["/a/b", {}, "exact"],
    ["/a/b", { host: "x.test" }, "exact"],
    ["/a/b/", {}, "long"],
    ["/a/b/c", { host: "x.test" }, "host"],
    ["/a/c", { fields: "X: 1\r\n" }, "one-header"],
    ["/a/c", { fields: "Y: 1\r\nx: 1\r\n" }, "two-headers"],
    ["/a/c", { fields: "X: 1\r\nY: 1\r\n", method: "PUT" }, "method"],
    ["/a/c", { fields: "X: 1\r\n", query: "?q=1" }, "one-header"],
    ["/a/c", { query: "?r=1&q=1" }, "first-of-two"],
    ["/a/c", { query: "?r=1" }, "second-of-two"],
    ["/a/12", { method: "PUT" }, "pattern"],
    ["/a/12/x", {}, "prefix"],
    ["/a/b/12", {}, "long"],
    ["/z", {}, undefined],
  ] as const)("%s with %j goes to %s", (path, request, name) => {
    expect(nameOf(table, path, request)).toBe(name as string);
  });
});

describe("conditions", () => {
  test("a header field matches as a whole, with its lines joined and its name in any case", () => {
    const match = { headers: [{ name: "X-A", value: "1, 2" }] };
    expect(takes(match, { fields: "x-a: 1\r\nX-A:  2 \r\n" })).toBe(true);
    expect(takes(match, { fields: "x-a: 1\r\n" })).toBe(false);
    expect(takes({ headers: [{ name: "X-A", value: "a" }] }, { fields: "X-A: A\r\n" })).toBe(false);
  });

  test("a field condition without value and pattern requires only that the field is present", () => {
    expect(takes({ headers: [{ name: "X-A" }] }, { fields: "x-a: \r\n" })).toBe(true);
    expect(takes({ headers: [{ name: "X-A" }] }, {})).toBe(false);
  });

  test("a pattern matches the whole value", () => {
    const match = { headers: [{ name: "X-A", pattern: "v[0-9]|beta" }] };
    expect(takes(match, { fields: "X-A: v1\r\n" })).toBe(true);
    expect(takes(match, { fields: "X-A: v1x\r\n" })).toBe(false);
    expect(takes(match, { fields: "X-A: xbeta\r\n" })).toBe(false);
  });

  test("parameters are decoded, and the first of several with one name is used", () => {
    const match = { query: [{ name: "a b", value: "ö" }] };
    expect(takes(match, { query: "?x=1&a+b=%C3%B6" })).toBe(true);
    expect(takes(match, { query: "?a%20b=1&a+b=%C3%B6" })).toBe(false);
    expect(takes({ query: [{ name: "flag" }] }, { query: "?flag" })).toBe(true);
  });

  test("the first of two conditions for one name is used", () => {
    const headers = [
      { name: "X-A", value: "1" },
      { name: "x-a", value: "2" },
    ];
    expect(takes({ headers }, { fields: "X-A: 1\r\n" })).toBe(true);
  });

  test("a preflight matches the route of the actual request", () => {
    const fields = "Origin: https://a.test\r\nAccess-Control-Request-Method: POST\r\n";
    expect(takes({ methods: ["POST"] }, { method: "OPTIONS", fields })).toBe(true);
    expect(takes({ methods: ["PUT"] }, { method: "OPTIONS", fields })).toBe(false);
    expect(takes({ methods: ["POST"] }, { method: "OPTIONS" })).toBe(false);
    expect(takes({ methods: ["GET"] }, { method: "HEAD" })).toBe(false);
  });

  test("a pattern that takes exponential time in backtracking engines takes linear time here", () => {
    const match = { path_pattern: "/(a+)+b" };
    expect(takes(match, {}, `/${"a".repeat(2000)}`)).toBe(false);
    expect(takes(match, {}, `/${"a".repeat(2000)}b`)).toBe(true);
  });

  test("a text that is too long for patterns matches no route", () => {
    const table = tableOf([
      ["pattern", { path_prefix: "/", match: { headers: [{ name: "X-A", pattern: "a*" }] } }],
      ["plain", { path_prefix: "/" }],
    ]);
    expect(nameOf(table, "/", { fields: `X-A: ${"a".repeat(2048)}\r\n` })).toBe("pattern");
    expect(nameOf(table, "/", { fields: `X-A: ${"a".repeat(2049)}\r\n` })).toBeUndefined();
    expect(nameOf(table, "/", { fields: `X-B: ${"a".repeat(2049)}\r\n` })).toBe("plain");
  });

  test("routes with and without conditions work together, for each host", () => {
    const table = tableOf([
      ["any", { path_prefix: "/" }],
      ["wild", { path_prefix: "/", host: "*.test" }],
      ["wilder", { path_prefix: "/", host: "*.a.test", match: { methods: ["PUT"] } }],
      ["exact", { path_prefix: "/", host: "b.a.test", match: { methods: ["POST"] } }],
    ]);
    expect(nameOf(table, "/", { host: "b.a.test", method: "POST" })).toBe("exact");
    expect(nameOf(table, "/", { host: "b.a.test", method: "PUT" })).toBe("wilder");
    expect(nameOf(table, "/", { host: "b.a.test" })).toBe("wild");
    expect(nameOf(table, "/", { host: "other" })).toBe("any");
  });

  test("gRPC: a method takes precedence over its service, and the service over others", () => {
    const table = tableOf([
      ["rest", { path_prefix: "/" }],
      ["method", { path_prefix: "/", match: { grpc: { method: "Get" } } }],
      ["service", { path_prefix: "/", match: { grpc: { service: "a.B" } } }],
      ["both", { path_prefix: "/", match: { grpc: { service: "a.B", method: "Get" } } }],
    ]);
    expect(["/a.B/Get", "/a.B/Put", "/a.C/Get", "/a.C/Put", "/a.B/Get/x"].map((path) => nameOf(table, path))).toEqual([
      "both",
      "service",
      "method",
      "rest",
      "service",
    ]);
  });
});

describe("another spelling of a guarded path does not reach another route", () => {
  const table = tableOf([
    ["rest", { path_prefix: "/" }],
    ["exact", { path_prefix: "/pay", match: { exact_path: true } }, true],
    ["free", { path_prefix: "/items" }],
    ["pattern", { path_prefix: "/items", match: { path_pattern: "/items/[a-z]+" } }, true],
  ]);
  const evades = (path: string, on = table): boolean => on.evades("h", path, on.match("h", path));

  test.each([
    ["/pay", false],
    ["/PAY", true],
    ["/pay;x=1", true],
    ["/pay/", true],
    ["/payer", false],
    ["/pay/x", false],
    ["/PAY/x", false],
    ["/items/abc", false],
    ["/items/ABC", true],
    ["/items/12", false],
    ["/items/ABC/d", false],
    ["/items/abc;x=1", true],
  ] as const)("%s: %p", (path, expected) => {
    expect(evades(path)).toBe(expected);
  });

  test("unless a route has exactly that spelling", () => {
    const told = tableOf([
      ["exact", { path_prefix: "/pay", match: { exact_path: true } }, true],
      ["slash", { path_prefix: "/pay/", match: { exact_path: true } }],
    ]);
    expect(evades("/pay/", told)).toBe(false);
  });
});
