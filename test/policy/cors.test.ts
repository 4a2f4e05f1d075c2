/** `cors`: the permissions of scripts of other origins, by the CORS protocol of Fetch. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const APP = "https://app.example.com";

let origin: RawOrigin;
let gateway: ProtocolGateway;

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();

  gateway = await startProtocols({
    cors: { allow_origins: [APP, "https://*.example.org:8443", "null"], expose_headers: ["X-Total"] },
    security_headers: {},
    x402: { enabled: true, facilitator_url: "http://127.0.0.1:1/" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      route("/common/", {}),
      route("/own/", {
        cors: {
          allow_origins: [APP],
          allow_methods: ["GET", "PURGE"],
          allow_headers: ["X-A", "Authorization"],
          allow_credentials: true,
          max_age_s: 5,
        },
        headers: { response: { set: [{ name: "X-Rule", value: "seen" }] } },
      }),
      route("/all/", { cors: { allow_origins: ["*"], expose_headers: [] } }),
      route("/off/", { cors: { allow_origins: [] } }),
      route("/priced/", {
        cors: { allow_headers: ["Content-Type"] },
        x402: {
          price: "$0.01",
          asset: "USDC",
          network: "eip155:84532",
          pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
        },
      }),
      route("/guarded/", { auth: { type: "api_key", keys: [{ key: "k", name: "n" }] } }),
    ],
  });
});

beforeEach(() => origin.reset());

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

interface Asked {
  readonly path: string;
  readonly from?: string;
  readonly method?: string;
  readonly fields?: string;
}

function preflight(protocol: Protocol, { path, from = APP, method = "PUT", fields }: Asked): Promise<Reply> {
  const headers: Record<string, string> = { origin: from, "access-control-request-method": method };
  if (fields !== undefined) headers["access-control-request-headers"] = fields;
  return gateway.request(protocol, { method: "OPTIONS", path, headers });
}

/** The CORS fields of a response without their common prefix, with all occurrences. */
function said(reply: Reply): Record<string, string> {
  const fields = reply.headers.filter(([name]) => name.startsWith("access-control-"));
  const names = fields.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
  return Object.fromEntries(fields.map(([name, value]) => [name.slice("access-control-".length), value]));
}

for (const protocol of PROTOCOLS) {
  test(`over ${protocol} the gateway responds to a preflight with the allowed methods and fields`, async () => {
    const common = await preflight(protocol, { path: "/common/x", fields: "x-a,content-type" });
    expect([common.status, common.body.length, said(common)]).toEqual([
      204,
      0,
      {
        "allow-origin": APP,
        "allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "allow-headers": "x-a,content-type",
        "expose-headers": "X-Total",
        "max-age": "600",
      },
    ]);
    expect(common.header("vary")).toContain("Origin");
    const own = await preflight(protocol, { path: "/own/x", fields: "x-b" });
    expect(said(own)).toEqual({
      "allow-origin": APP,
      "allow-credentials": "true",
      "allow-methods": "GET, PURGE",
      "allow-headers": "X-A, Authorization",
      "expose-headers": "X-Total",
      "max-age": "5",
    });
    expect(origin.requests).toEqual([]);
    // Policies that edit every response edit this one.
    expect([own.header("x-rule"), own.header("x-content-type-options")]).toEqual(["seen", "nosniff"]);
  });

  test(`over ${protocol} a preflight needs neither credentials nor payment, and a paying script may pay`, async () => {
    expect((await preflight(protocol, { path: "/guarded/x" })).status).toBe(204);
    const priced = await preflight(protocol, { path: "/priced/x" });
    expect([priced.status, said(priced)["allow-headers"]]).toEqual([
      204,
      "Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream",
    ]);
    const refused = await gateway.request(protocol, { path: "/guarded/x", headers: { origin: APP } });
    expect([refused.status, said(refused)]).toEqual([401, { "allow-origin": APP, "expose-headers": "X-Total" }]);
    const unpaid = await gateway.request(protocol, { path: "/priced/x", headers: { origin: APP } });
    expect(said(unpaid)["allow-origin"]).toBe(APP);
    expect(said(unpaid)["expose-headers"]).toBe(
      "X-Total, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt, Payment-Stream, Retry-After",
    );
    expect(origin.requests).toEqual([]);
  });

  test(`over ${protocol} the response names the origins that may read it, in place of the upstream's`, async () => {
    origin.response = (_, connection) =>
      connection.send(
        "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: https://evil.test\r\naccess-control-allow-credentials: true\r\n" +
          "Vary: Accept, ORIGIN\r\nContent-Length: 2\r\n\r\nok",
      );
    const reply = await gateway.request(protocol, { path: "/common/x", headers: { origin: APP } });
    expect([reply.text, said(reply), reply.all("vary")]).toEqual([
      "ok",
      { "allow-origin": APP, "expose-headers": "X-Total" },
      ["Accept, ORIGIN"],
    ]);
    const evil = await gateway.request(protocol, { path: "/common/x", headers: { origin: "https://evil.test" } });
    expect([evil.status, said(evil)]).toEqual([200, {}]);
    const off = await gateway.request(protocol, { path: "/off/x", headers: { origin: APP } });
    expect(said(off)["allow-origin"]).toBe("https://evil.test");
  });

  test(`over ${protocol} every response varies by Origin, unless all origins get the same`, async () => {
    for (const headers of [{}, { origin: APP }, { origin: "https://evil.test" }]) {
      expect((await gateway.request(protocol, { path: "/common/x", headers })).header("vary")).toBe("Origin");
    }
    for (const headers of [{}, { origin: "https://evil.test" }, { origin: "null" }]) {
      const reply = await gateway.request(protocol, { path: "/all/x", headers });
      expect([said(reply), reply.header("vary")]).toEqual([{ "allow-origin": "*" }, undefined]);
    }
  });

  test(`over ${protocol} a response without a route has the fields for all routes`, async () => {
    const reply = await gateway.request(protocol, { path: "/absent", headers: { origin: APP } });
    expect([reply.status, said(reply)["allow-origin"]]).toEqual([404, APP]);
    expect((await preflight(protocol, { path: "/absent" })).status).toBe(204);
  });
}

test("an origin is allowed by its exact spelling, or below a host by whole labels", async () => {
  const allowed = [APP, "null", "https://a.example.org:8443", "https://a.b-c.example.org:8443"];
  const others = [
    "https://APP.example.com",
    "http://app.example.com",
    `${APP}:443`,
    `${APP}/`,
    `${APP}, ${APP}`,
    `${APP}.evil.test`,
    "https://example.org:8443",
    "https://.example.org:8443",
    "https://a.example.org",
    "https://a.example.org:8443.evil.test",
    "https://evil.test/.example.org:8443",
    "https://evil.test#.example.org:8443",
    "https://user@a.example.org:8443",
    "https://evil.test:1.example.org:8443",
    `https://${"a".repeat(300)}.example.org:8443`,
    "*",
    "Null",
    "",
  ];
  const told = async (from: string): Promise<string | undefined> =>
    said(await gateway.plain({ path: "/common/x", headers: { origin: from } }))["allow-origin"];
  for (const from of allowed) expect(await told(from)).toBe(from);
  for (const from of others) expect([from, await told(from)]).toEqual([from, undefined]);
  const twice = await gateway.plain({
    path: "/common/x",
    headers: [
      ["origin", APP],
      ["origin", APP],
    ],
  });
  expect(said(twice)).toEqual({});
});

test("the values of a preflight are sent back only if a browser could have sent them", async () => {
  const hostile = await preflight("HTTP/1.1", { path: "/common/x", fields: 'x-a, "; evil=1' });
  expect(said(hostile)).toEqual({
    "allow-origin": APP,
    "allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "expose-headers": "X-Total",
    "max-age": "600",
  });
  const long = await preflight("HTTP/1.1", { path: "/common/x", fields: Array(2000).fill("x-a").join(",") });
  expect(said(long)["allow-headers"]).toBeUndefined();
  const stranger = await preflight("HTTP/1.1", { path: "/common/x", from: "https://evil.test", fields: "x-a" });
  expect([stranger.status, said(stranger)]).toEqual([204, {}]);
});

test("OPTIONS that is not a preflight goes to the upstream, and so does a preflight of a route without allowed origins", async () => {
  const plain = await gateway.request("HTTP/2", { method: "OPTIONS", path: "/common/x", headers: { origin: APP } });
  expect([plain.status, said(plain)["allow-origin"]]).toEqual([200, APP]);
  await gateway.request("HTTP/2", {
    method: "OPTIONS",
    path: "/common/y",
    headers: { "access-control-request-method": "PUT" },
  });
  await preflight("HTTP/2", { path: "/off/x" });
  expect(origin.summaries).toEqual(["OPTIONS /common/x", "OPTIONS /common/y", "OPTIONS /off/x"]);
});

test("the gateway gives a page no access to private networks: browsers ask their users", async () => {
  const reply = await gateway.request("HTTP/1.1", {
    method: "OPTIONS",
    path: "/common/x",
    headers: {
      origin: APP,
      "access-control-request-method": "GET",
      "access-control-request-private-network": "true",
    },
  });
  expect(Object.keys(said(reply))).not.toContain("allow-private-network");
});
