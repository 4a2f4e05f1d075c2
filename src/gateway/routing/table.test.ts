import { expect, test } from "bun:test";
import { createRewrite } from "./rewrite.ts";
import { hostOf } from "../../lib/http/url-host.ts";
import { RouteTable } from "./table.ts";

const TABLE = RouteTable.of(
  [
    ["/", undefined],
    ["/api", undefined],
    ["/api/", "below.test"],
    ["/api/v1", undefined],
    ["/api/v1", "exact.test"],
    ["/api/v1", "*.wild.test"],
    ["/api/v1", "*.deep.wild.test"],
    ["/only", "exact.test"],
  ].map(([pathPrefix = "", host]) => ({ pathPrefix, host, isGuarded: false, name: `${host ?? ""}${pathPrefix}` })),
);

const CASES: readonly (readonly [authority: string, path: string, route: string | undefined])[] = [
  ["any.test", "/", "/"],
  ["any.test", "/apix", "/"],
  ["any.test", "/api", "/api"],
  ["any.test", "/api/", "/api"],
  ["below.test", "/api/x", "below.test/api/"],
  ["below.test", "/api", "/api"],
  ["any.test", "/api/v1/users", "/api/v1"],
  ["any.test", "/api/v10", "/api"],
  ["EXACT.test:8080", "/api/v1", "exact.test/api/v1"],
  ["exact.test.", "/api/v1", "exact.test/api/v1"],
  ["a.wild.test", "/api/v1", "*.wild.test/api/v1"],
  ["a.b.wild.test", "/api/v1", "*.wild.test/api/v1"],
  ["a.deep.wild.test", "/api/v1", "*.deep.wild.test/api/v1"],
  ["wild.test", "/api/v1", "/api/v1"],
  ["any.test", "/only/x", "/"],
  ["any.test", "/api/v1;x=1", "/api/v1"],
  ["any.test", "/api;x=1/v1", "/api"],
];

for (const [authority, path, name] of CASES) {
  test(`${authority} ${path} goes to ${name ?? "no route"}`, () => {
    expect(TABLE.match(authority, path)?.name).toBe(name);
  });
}

test("without a route for `/`, a path below no prefix matches no route", () => {
  const table = RouteTable.of([{ pathPrefix: "/a/", host: undefined, isGuarded: false }]);
  expect(table.match("h", "/a")).toBeUndefined();
  expect(table.match("h", "*")).toBeUndefined();
  expect(table.match("h", "/a/b")).toBeDefined();
});

test("the port is removed from every kind of host", () => {
  expect([hostOf("[::1]:80"), hostOf("[::1]"), hostOf("A.b:1"), hostOf("")]).toEqual(["[::1]", "[::1]", "a.b", ""]);
});

test("a rewrite replaces the prefix and leaves other paths unchanged", () => {
  const rewrite = createRewrite("/api/v1/", "/");
  expect(rewrite?.("/api/v1/users")).toBe("/users");
  expect(rewrite?.("/other")).toBe("/other");
  expect(createRewrite("/a", "")?.("/a")).toBe("/");
  expect(createRewrite("/a", "/b")?.("/a/c")).toBe("/b/c");
  expect(createRewrite(undefined, "/x")).toBeUndefined();
  expect(createRewrite("/a/", "/b/")?.("/a/c;x=1/d;y")).toBe("/b/c;x=1/d;y");
});

test("a rewrite does not create a dot segment, or a parameter without a segment name", () => {
  for (const [pattern, replacement, path] of [
    ["/pub", "/files/", "/pub../secret"],
    ["/pub", "/files/", "/pub./secret"],
    ["/pub", "/files/", "/pub.."],
    ["/pub", "", "/pub;x/secret"],
    ["/pub", "/files/", "/pub;/secret"],
    ["/pub", "/files/", "/pub%3B/secret"],
    ["/pub", "/files/.", "/pub./secret"],
    ["/pub", "/files/.", "/pub.;/secret"],
    ["/pub", "/files/.", "/pub/secret"],
  ] as const) {
    expect([path, createRewrite(pattern, replacement)?.(path)]).toEqual([path, path]);
  }
});
