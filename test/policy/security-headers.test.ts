/** `security_headers`: the security fields of every response, on every protocol. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { type Config } from "../../src/gateway/config/config.ts";
import { loadValue } from "../../src/gateway/config/load.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const NAMES = [
  "strict-transport-security",
  "content-security-policy",
  "referrer-policy",
  "x-frame-options",
  "x-content-type-options",
];
const YEAR = "max-age=31536000";
const BIG = 3_000_000;

let origin: RawOrigin;
let gateway: ProtocolGateway;
let site: Folder;

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  site = new Folder();
  site.write("page.html", "<p>page</p>");
  site.write("big.bin", "b".repeat(BIG));

  gateway = await startProtocols({
    server: { static_root: site.path },
    security_headers: { referrer_policy: "same-origin" },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "nobody", servers: [serverAt(1)] },
    ],
    routes: [
      route("/common/", {}),
      route("/own/", {
        security_headers: {
          csp: "default-src 'self'",
          referrer_policy: "no-referrer",
          frame_options: "DENY",
          hsts: { max_age_s: 63_072_000, include_subdomains: true, preload: true },
        },
      }),
      route("/none/", { security_headers: { enabled: false } }),
      route("/some/", {
        security_headers: {
          hsts: { enabled: false },
          referrer_policy: "none",
          frame_options: "none",
          content_type_options: false,
        },
      }),
      route("/dead/", { upstream: "nobody" }),
    ],
  });
});

beforeEach(() => origin.reset());

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  site.remove();
});

function responseFields(fields: string): void {
  origin.response = (_, connection) => connection.send(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`);
}

/** All security fields of a response, with every occurrence. */
function told(reply: Reply): Record<string, string[]> {
  return Object.fromEntries(NAMES.map((name) => [name, reply.all(name)] as const).filter(([, all]) => all.length > 0));
}

const COMMON = {
  "strict-transport-security": [YEAR],
  "referrer-policy": ["same-origin"],
  "x-frame-options": ["SAMEORIGIN"],
  "x-content-type-options": ["nosniff"],
};

for (const protocol of PROTOCOLS) {
  test(`over ${protocol} the defaults are sent with the fields configured for all routes, and without a CSP`, async () => {
    expect(told(await gateway.request(protocol, { path: "/common/x" }))).toEqual(COMMON);
  });

  test(`over ${protocol} a route's own keys have precedence, and can turn fields off`, async () => {
    expect(told(await gateway.request(protocol, { path: "/own/x" }))).toEqual({
      "strict-transport-security": ["max-age=63072000; includeSubDomains; preload"],
      "content-security-policy": ["default-src 'self'"],
      "referrer-policy": ["no-referrer"],
      "x-frame-options": ["DENY"],
      "x-content-type-options": ["nosniff"],
    });
    expect(told(await gateway.request(protocol, { path: "/none/x" }))).toEqual({});
    expect(told(await gateway.request(protocol, { path: "/some/x" }))).toEqual({});
  });

  test(`over ${protocol} configured fields replace the upstream's, defaults do not, and no field is sent twice`, async () => {
    responseFields(
      "REFERRER-Policy: unsafe-url\r\nReferrer-Policy: origin\r\nx-frame-options: DENY\r\nX-Content-Type-Options: nosniff\r\n" +
        "Content-Security-Policy: default-src 'none'\r\nStrict-Transport-Security: max-age=1\r\nX-Frame: kept\r\n",
    );
    const common = await gateway.request(protocol, { path: "/common/x" });
    expect(told(common)).toEqual({
      "strict-transport-security": ["max-age=1"],
      "content-security-policy": ["default-src 'none'"],
      "referrer-policy": ["same-origin"],
      "x-frame-options": ["DENY"],
      "x-content-type-options": ["nosniff"],
    });
    expect([common.header("x-frame"), common.text]).toEqual(["kept", "ok"]);
    const own = await gateway.request(protocol, { path: "/own/x" });
    expect([own.all("x-frame-options"), own.all("content-security-policy")]).toEqual([
      ["DENY"],
      ["default-src 'self'"],
    ]);
    const untouched = await gateway.request(protocol, { path: "/none/x" });
    expect(untouched.all("referrer-policy").join(", ")).toContain("origin");
  });

  test(`over ${protocol} errors, files, redirects and paths without a route have them, and the gateway's own paths have their own`, async () => {
    const replies = await Promise.all(
      ["/dead/x", "/page.html", "/absent"].map((path) => gateway.request(protocol, { path })),
    );
    expect(replies.map(({ status }) => status)).toEqual([502, 200, 404]);
    const error = { ...ERROR, ...COMMON };
    expect(replies.map(told)).toEqual([error, COMMON, error]);
    const big = await gateway.request(protocol, { path: "/big.bin" });
    expect([told(big), big.body.length]).toEqual([COMMON, BIG]);
    const own = await gateway.request(protocol, { path: "/.healthz" });
    expect([own.status, told(own)]).toEqual([200, PLAIN]);
  });

  test(`over ${protocol} HEAD and 304 have them as well, and 1xx do not`, async () => {
    expect(told(await gateway.request(protocol, { method: "HEAD", path: "/common/x" }))).toEqual(COMMON);
    origin.response = (_, connection) =>
      connection.send('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n');
    const reply = await gateway.request(protocol, { path: "/common/x" });
    expect([reply.status, told(reply)]).toEqual([304, COMMON]);
  });
}

const PLAIN = {
  "referrer-policy": ["strict-origin-when-cross-origin"],
  "x-content-type-options": ["nosniff"],
};
const ERROR = { ...PLAIN, "content-security-policy": ["default-src 'none'; frame-ancestors 'none'"] };

test("the gateway's own responses have harmless fields by default, on every protocol", async () => {
  const upstreams = [
    { name: "origin", servers: [serverAt(origin.port)] },
    { name: "none", servers: [] },
  ];
  const routes = [
    { path_prefix: "/up", upstream: "origin" },
    { path_prefix: "/none", upstream: "none" },
    { path_prefix: "/moved", redirect: { path: "/up" } },
    { path_prefix: "/fixed", fixed_response: { body: "x" } },
    { path_prefix: "/key", upstream: "origin", auth: { type: "api_key", keys: [{ key: "k", name: "n" }] } },
  ];
  for (const server of [{}, { preencoded: true }, { disable_middleware: true }]) {
    const own = await startProtocols({ server, upstreams, routes });
    const isOff = "disable_middleware" in server;
    try {
      for (const protocol of PROTOCOLS) {
        for (const path of ["/.healthz", "/.ready", "/metrics", "/moved"]) {
          expect([path, told(await own.request(protocol, { path }))]).toEqual([path, isOff ? {} : PLAIN]);
        }
        for (const path of ["/absent", "/none", "/key", "/up/%00"]) {
          expect([path, told(await own.request(protocol, { path }))]).toEqual([path, isOff ? {} : ERROR]);
        }
        for (const path of ["/up", "/fixed"]) expect(told(await own.request(protocol, { path }))).toEqual({});
      }
    } finally {
      await own.stop();
    }
  }
});

function configOf(value: object): Config {
  return loadValue(value).config ?? expect.unreachable();
}

test("a rejected reload leaves the fields of the gateway's own responses as they were", async () => {
  const before = {
    server: { address: "127.0.0.1", port: 0 },
    routes: [{ path_prefix: "/x", fixed_response: { body: "x" } }],
  };
  const own = await startGateway({ config: configOf(before), storePath: ":memory:", reusePort: false, log() {} });
  try {
    const server = { ...before.server, disable_middleware: true };
    const ask = async (): Promise<unknown> => {
      const { headers } = await fetch(`http://127.0.0.1:${own.listeners[0]?.port}/absent`);
      return headers.get("x-content-type-options");
    };
    const refused = own.reload(configOf({ ...before, server: { ...server, static_root: site.file("absent") } }));
    expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(await ask()).toBe("nosniff");
    await own.reload(configOf({ ...before, server }));
    expect(await ask()).toBeNull();
  } finally {
    await own.close(0);
  }
});

test("plaintext HTTP has no HSTS, which browsers ignore there", async () => {
  const { "strict-transport-security": _, ...others } = COMMON;
  expect(told(await gateway.plain({ path: "/common/x" }))).toEqual(others);
  expect((await gateway.plain({ path: "/own/x" })).header("strict-transport-security")).toBeUndefined();
  const big = await gateway.plain({ path: "/big.bin" });
  expect([told(big), big.body.length]).toEqual([others, BIG]);
});

test("server.disable_middleware turns them off, and without the block they are not sent", async () => {
  const upstreams = [{ name: "origin", servers: [serverAt(origin.port)] }];
  const routes = [
    { path_prefix: "/", upstream: "origin" },
    { path_prefix: "/a/", upstream: "origin", security_headers: { csp: "default-src 'self'" } },
  ];
  const off = await startProtocols({ server: { disable_middleware: true }, security_headers: {}, upstreams, routes });
  try {
    expect(told(await off.request("HTTP/2", { path: "/x" }))).toEqual({});
    expect(told(await off.request("HTTP/2", { path: "/a/x" }))).toEqual({});
  } finally {
    await off.stop();
  }
  const bare = await startProtocols({ upstreams, routes });
  try {
    expect(told(await bare.request("HTTP/1.1", { path: "/x" }))).toEqual({});
    // The settings of a route also work without those of the server.
    expect(told(await bare.request("HTTP/1.1", { path: "/a/x" }))).toMatchObject({
      "content-security-policy": ["default-src 'self'"],
      "x-content-type-options": ["nosniff"],
    });
  } finally {
    await bare.stop();
  }
});
