/** The origin of a request, and the path that it receives. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { statusOf, valuesOf } from "../support/message.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const NAMES = ["api", "deep", "slash", "star", "exact", "plain", "rewritten"] as const;

let origins: RawOrigin[];
let gateway: Gateway;

beforeAll(async () => {
  origins = await Promise.all(NAMES.map(() => RawOrigin.start()));
  gateway = await startGateway({
    access_log: { enabled: false },
    server: { allowed_hosts: ["a.test", "b.test", "shop.example.com", "example.com", "::1"] },
    upstreams: NAMES.map((name, i) => ({ name, servers: [{ address: "127.0.0.1", port: origins[i]?.port }] })),
    routes: [
      { path_prefix: "/api", upstream: "api" },
      { path_prefix: "/api/deep", upstream: "deep" },
      { path_prefix: "/slash/", upstream: "slash" },
      { path_prefix: "/hosts", host: "*.example.com", upstream: "star" },
      { path_prefix: "/hosts", host: "b.test", upstream: "exact" },
      { path_prefix: "/hosts", upstream: "plain" },
      { path_prefix: "/api/v1/", upstream: "rewritten", rewrite_pattern: "/api/v1/", rewrite_replacement: "/" },
      { path_prefix: "/old", upstream: "rewritten", rewrite_pattern: "/old", rewrite_replacement: "/new/place" },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(origins.map((origin) => origin.stop()));
});

/** The origin of the request and the target that it received, or the status of a problem document. */
async function route(path: string, host = "a.test"): Promise<string> {
  for (const origin of origins) origin.reset();
  const response = await once(gateway.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  if (statusOf(response) !== 200) {
    expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
    return String(statusOf(response));
  }
  return NAMES.filter((_, i) => origins[i]?.requests.length === 1)
    .map((name) => `${name} ${response.body.slice("GET ".length)}`)
    .join();
}

describe("paths", () => {
  test.each([
    ["/api", "api /api"],
    ["/api?a=b", "api /api?a=b"],
    ["/api/", "api /api/"],
    ["/api/x", "api /api/x"],
    ["/apix", "404"],
    ["/ap", "404"],
    ["/API", "404"],
    ["/", "404"],
    ["/api/deep", "deep /api/deep"],
    ["/api/deep/x", "deep /api/deep/x"],
    ["/api/deeper", "api /api/deeper"],
    ["/slash/", "slash /slash/"],
    ["/slash/x/y", "slash /slash/x/y"],
    ["/slash", "404"],
    ["/slashx", "404"],
    ["/%61pi/x", "api /api/x"],
    ["/api/%64eep", "deep /api/deep"],
    ["/api/deep/../x", "api /api/x"],
    ["/api/deep/..", "api /api/"],
    ["/x/../api", "api /api"],
    ["/api/..", "404"],
    ["/api/../slash/x", "slash /slash/x"],
    ["/api/%2e%2e/slash/x", "slash /slash/x"],
    ["/api/../../../slash/x", "slash /slash/x"],
    ["//api/x", "api /api/x"],
    ["/api//deep", "deep /api/deep"],
    ["/api%2Fdeep", "400"],
  ])("%s: %s", async (path, expected) => {
    expect(await route(path)).toBe(expected);
  });
});

describe("rewriting", () => {
  test.each([
    ["/api/v1/users", "rewritten /users"],
    ["/api/v1/", "rewritten /"],
    ["/api/v1/a/b?c=/api/v1/", "rewritten /a/b?c=/api/v1/"],
    ["/api/v1/api/v1/x", "rewritten /api/v1/x"],
    ["/api/v1", "api /api/v1"],
    ["/old", "rewritten /new/place"],
    ["/old/x", "rewritten /new/place/x"],
    ["/x/../old/x", "rewritten /new/place/x"],
  ])("%s: %s", async (path, expected) => {
    expect(await route(path)).toBe(expected);
  });
});

describe("hosts", () => {
  test.each([
    ["shop.example.com", "star /hosts/x"],
    ["SHOP.Example.COM", "star /hosts/x"],
    ["shop.example.com:8080", "star /hosts/x"],
    ["b.test", "exact /hosts/x"],
    ["B.TEST:1", "exact /hosts/x"],
    ["a.test", "plain /hosts/x"],
    ["example.com", "plain /hosts/x"],
  ])("%s: %s", async (host, expected) => {
    expect(await route("/hosts/x", host)).toBe(expected);
  });

  test("the host of an absolute target selects the route", async () => {
    expect(await route("http://b.test/hosts/x", "a.test")).toBe("exact /hosts/x");
  });

  test.each([["a.test:8080"], ["A.Test."], ["[::1]:8080"], ["[0:0::1]"]])("%s is in allowed_hosts", async (host) => {
    expect(await route("/api", host)).toBe("api /api");
  });

  test.each([["c.test"], ["a.test.evil.test"], ["xa.test"], ["a.test.c"], ["127.0.0.1"], ["[::2]"]])(
    "%s is not in allowed_hosts: 400",
    async (host) => {
      expect(await route("/api", host)).toBe("400");
    },
  );

  test("the host of an absolute target must be allowed, and only that host counts", async () => {
    expect(await route("http://c.test/api", "a.test")).toBe("400");
    expect(await route("http://a.test/api", "c.test")).toBe("api /api");
  });

  test("a request of HTTP/1.0 without Host is refused", async () => {
    expect(statusOf(await once(gateway.port, "GET /api HTTP/1.0\r\n\r\n"))).toBe(400);
  });
});
