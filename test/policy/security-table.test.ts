/**
 * Attempts of attackers to get access without credentials: every row, over every protocol, ends before the upstream.
 */
import { createServer, type Server } from "node:http";
import { generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { serverAt } from "../support/gateway.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { RawClient } from "../support/raw-client.ts";
import { PROTOCOLS, type ProtocolGateway, type Request, startProtocols } from "./protocols.ts";
import { bearer, hmac, inSeconds, part, pem, RSA, SECRET, token } from "./testing/tokens.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const STRANGER = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PUBLIC_PEM = pem(RSA.publicKey);
const PUBLIC_DER = RSA.publicKey.export({ type: "spki", format: "der" }).toString("latin1");
const STRANGER_JWK = { ...STRANGER.publicKey.export({ format: "jwk" }), kid: "mine", alg: "RS256", use: "sig" };
const CLAIMS = { sub: "alice", iss: "issuer", aud: "api", role: "user" };
const KEY = "a key of twenty bytes";

let origin: RawOrigin;
/** A server at which an attacker wants the gateway to look for keys. */
let trap: RawOrigin;
let issuer: Server;
let gateway: ProtocolGateway;

function route(path: string, auth: object, more: object = {}): object {
  return { path_prefix: path, upstream: "origin", auth, ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  trap = await RawOrigin.start();
  issuer = createServer((_, response) => {
    response.end(JSON.stringify({ keys: [{ ...RSA.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256" }] }));
  });
  const issuerPort = await listenOnLoopback(issuer);
  const jwt = {
    type: "jwt",
    issuer: "issuer",
    audience: "api",
    claims_to_headers: [{ claim: "role", header: "X-Role" }],
  };
  const key = { type: "api_key", keys: [{ key: KEY, name: "alice" }] };
  gateway = await startProtocols({
    http2: { max_header_list_size: 65_536 },
    limits: { max_header_bytes: 65_536 },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      route("/rs", { ...jwt, secret: PUBLIC_PEM, algorithm: "RS256" }),
      route("/hs", { ...jwt, secret: SECRET }),
      route("/jwks", { ...jwt, jwks_url: `http://127.0.0.1:${issuerPort}/keys`, algorithm: "RS256" }),
      route("/admin", key),
      route("/public", { type: "none" }),
      route("/host", key, { host: "api.test" }),
      route("/host", { type: "none" }, { host: "open.test" }),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  issuer.close();
  await trap.stop();
  await origin.stop();
});

type Row = readonly [what: string, path: string, token: string];

/** Signed with the attacker's own key. */
function byStranger(claims: unknown, header: object = {}): string {
  return token(claims, "RS256", header, (signed) => sign("sha256", signed, STRANGER.privateKey));
}

/** Signed by the issuer, with claims as raw text. */
function raw(claims: string): string {
  return token(claims, "RS256");
}

function unsigned(header: unknown): string {
  return `${part(header)}.${part(CLAIMS)}.`;
}

function tokens(): Row[] {
  const sound = token(CLAIMS, "RS256");
  const [head = "", body = "", signature = ""] = sound.split(".");
  const trapUrl = `http://127.0.0.1:${trap.port}/keys`;
  const rows: Row[] = [
    ["HS256 by the public key in PEM", "/rs", token(CLAIMS, "HS256", {}, hmac(PUBLIC_PEM))],
    ["HS256 by the public key, trimmed", "/rs", token(CLAIMS, "HS256", {}, hmac(PUBLIC_PEM.trim()))],
    ["HS256 by the public key in DER", "/rs", token(CLAIMS, "HS256", {}, hmac(PUBLIC_DER))],
    ["HMAC under the name RS256", "/rs", token(CLAIMS, "RS256", {}, hmac(PUBLIC_PEM))],
    ["HS256 by the public key, at an issuer's", "/jwks", token(CLAIMS, "HS256", { kid: "1" }, hmac(PUBLIC_PEM))],
    ["HS256 by an empty secret", "/hs", token(CLAIMS, "HS256", {}, hmac(""))],
    ["another HMAC than ours", "/hs", token(CLAIMS, "HS512")],
    ["a stronger algorithm than ours", "/rs", token(CLAIMS, "PS256")],
    ["a name in small letters", "/rs", token(CLAIMS, "RS256", { alg: "rs256" })],
    ["a list of names", "/rs", token(CLAIMS, "RS256", { alg: ["RS256"] })],
    ["no algorithm", "/rs", token(CLAIMS, "RS256", { alg: undefined })],
    ["two algorithms", "/rs", `${part('{"alg":"none","alg":"RS256"}')}.${body}.${signature}`],
    ["its own key", "/rs", byStranger(CLAIMS, { jwk: STRANGER_JWK })],
    ["its own key, at an issuer's", "/jwks", byStranger(CLAIMS, { jwk: STRANGER_JWK, kid: "mine" })],
    ["its own key in the name of the issuer's", "/jwks", byStranger(CLAIMS, { kid: "1", jwk: STRANGER_JWK })],
    ["where its key is", "/jwks", byStranger(CLAIMS, { kid: "mine", jku: trapUrl })],
    ["where its certificate is", "/jwks", byStranger(CLAIMS, { kid: "mine", x5u: trapUrl })],
    ["its certificate", "/rs", byStranger(CLAIMS, { x5c: [STRANGER_JWK.n ?? ""] })],
    ["a stranger's signature", "/rs", byStranger(CLAIMS)],
    ["a stranger's signature at an issuer's, without a key id", "/jwks", byStranger(CLAIMS)],
    ["something critical", "/rs", token(CLAIMS, "RS256", { crit: ["exp"], exp: 1 })],
    ["nothing critical", "/rs", token(CLAIMS, "RS256", { crit: [] })],
    ["an unencoded payload", "/rs", token(CLAIMS, "RS256", { crit: ["b64"], b64: false })],
    ["other claims than were signed", "/rs", `${head}.${part({ ...CLAIMS, sub: "root" })}.${signature}`],
    ["no signature", "/rs", `${head}.${body}.`],
    ["two parts", "/rs", `${head}.${body}`],
    ["four parts", "/rs", `${sound}.${signature}`],
    ["five parts", "/rs", `${head}..${body}.${signature}.x`],
    ["half a signature", "/rs", `${head}.${body}.${signature.slice(0, 100)}`],
    ["a signature of zeros", "/rs", `${head}.${body}.${Buffer.alloc(256).toString("base64url")}`],
    ["padding", "/rs", `${head}=.${body}.${signature}`],
    ["expired", "/rs", token({ ...CLAIMS, exp: inSeconds(-61) }, "RS256")],
    ["expired long ago", "/rs", token({ ...CLAIMS, exp: 0 }, "RS256")],
    ["expired before time began", "/rs", token({ ...CLAIMS, exp: -1e15 }, "RS256")],
    ["not yet valid", "/rs", token({ ...CLAIMS, nbf: inSeconds(90) }, "RS256")],
    ["issued in the future", "/rs", token({ ...CLAIMS, iat: inSeconds(90) }, "RS256")],
    ["an expiry in words", "/rs", token({ ...CLAIMS, exp: String(inSeconds(900)) }, "RS256")],
    ["an expiry of null", "/rs", token({ ...CLAIMS, exp: null }, "RS256")],
    ["an expiry beyond numbers", "/rs", raw('{"sub":"alice","iss":"issuer","aud":"api","exp":1e999}')],
    ["an expiry in a list", "/rs", token({ ...CLAIMS, exp: [inSeconds(900)] }, "RS256")],
    ["a beginning of true", "/rs", token({ ...CLAIMS, nbf: true }, "RS256")],
    ["another issuer", "/rs", token({ ...CLAIMS, iss: "issuer2" }, "RS256")],
    ["a list of issuers", "/rs", token({ ...CLAIMS, iss: ["issuer"] }, "RS256")],
    ["no issuer", "/rs", token({ ...CLAIMS, iss: undefined }, "RS256")],
    ["an issuer of the prototype", "/rs", raw('{"sub":"alice","aud":"api","__proto__":{"iss":"issuer"}}')],
    ["a subject that is not a text", "/rs", token({ ...CLAIMS, sub: ["alice"] }, "RS256")],
    ["a subject of two lines", "/rs", token({ ...CLAIMS, sub: "alice\r\nX-Admin: 1" }, "RS256")],
    ["a subject that is too long", "/rs", token({ ...CLAIMS, sub: "a".repeat(257) }, "RS256")],
    ["claims in a list", "/rs", token([CLAIMS], "RS256")],
    ["claims of null", "/rs", raw("null")],
    ["claims that are not JSON", "/rs", raw("{sub:1}")],
    [
      "claims that are not UTF-8",
      "/rs",
      `${head}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.${signature}`,
    ],
    ["more than 8 KiB", "/rs", token({ ...CLAIMS, more: "a".repeat(8192) }, "RS256")],
    ["much more than 8 KiB", "/rs", `${"a".repeat(15_000)}.${body}.${signature}`],
    ["a thousand dots", "/rs", ".".repeat(1000)],
  ];
  for (const alg of ["none", "None", "NONE", "nOnE", "", null, 0, "none\u0000", "RS256"]) {
    rows.push([`no signature, algorithm ${JSON.stringify(alg)}`, "/rs", unsigned({ alg })]);
    rows.push([`no signature, algorithm ${JSON.stringify(alg)}`, "/hs", unsigned({ alg, typ: "JWT" })]);
    rows.push([`a dummy signature, algorithm ${JSON.stringify(alg)}`, "/jwks", `${unsigned({ alg, kid: "1" })}AA`]);
  }
  const ids = [
    "../../../../../../dev/null",
    "/dev/null",
    "1' OR '1'='1",
    "1 UNION SELECT 'x'",
    trapUrl,
    "$(id)",
    "|id",
  ];
  for (const kid of [...ids, "__proto__", "constructor", "toString", "1\u0000", "", " 1", 1, ["1"], { a: 1 }, null]) {
    rows.push([`key id ${JSON.stringify(kid)}, of a stranger`, "/jwks", byStranger(CLAIMS, { kid })]);
    rows.push([`key id ${JSON.stringify(kid)}, by an empty secret`, "/hs", token(CLAIMS, "HS256", { kid }, hmac(""))]);
    rows.push([`key id ${JSON.stringify(kid)}, by a zero byte`, "/jwks", token(CLAIMS, "HS256", { kid }, hmac("\0"))]);
  }
  for (const aud of [
    undefined,
    null,
    1,
    true,
    {},
    { api: true },
    [],
    [1],
    [["api"]],
    ["api", 1],
    "",
    "ap",
    "api ",
    "API",
  ]) {
    rows.push([`audience ${JSON.stringify(aud)}`, "/rs", token({ ...CLAIMS, aud }, "RS256")]);
  }
  for (const role of ["a\r\nX-Admin: 1", "a\nX-Admin: 1", "a\rX-Admin: 1", "a\u0000b", "a\u007fb", " a", "a ", "\ta"]) {
    rows.push([`a claim ${JSON.stringify(role)}`, "/rs", token({ ...CLAIMS, role }, "RS256")]);
    rows.push([`a list with ${JSON.stringify(role)}`, "/rs", token({ ...CLAIMS, role: ["b", role, "c"] }, "RS256")]);
  }
  rows.push(["a list with an item that is two", "/rs", token({ ...CLAIMS, role: ["a,admin"] }, "RS256")]);
  return rows;
}

for (const protocol of PROTOCOLS) {
  test(`valid credentials are accepted, so that the tables below can fail, over ${protocol}`, async () => {
    const exp = inSeconds(-30);
    const rows: readonly Request[] = [
      { path: "/rs", headers: bearer(token({ ...CLAIMS, exp, nbf: inSeconds(30), iat: inSeconds(30) }, "RS256")) },
      { path: "/rs", headers: { authorization: `bEARER  ${token({ ...CLAIMS, aud: ["x", "api"] }, "RS256")}` } },
      { path: "/hs", headers: bearer(token(CLAIMS, "HS256", { kid: "../x", jku: "http://x/", jwk: {} })) },
      { path: "/jwks", headers: bearer(token(CLAIMS, "RS256", { kid: "1" })) },
      { path: "/jwks", headers: bearer(token(CLAIMS, "RS256")) },
      { path: "/admin", headers: { "x-api-key": KEY } },
      { path: "/host", authority: "api.test", headers: { "x-api-key": KEY } },
      { path: "/public" },
    ];
    for (const request of rows) {
      expect([request.path, (await gateway.request(protocol, request)).status]).toEqual([request.path, 200]);
    }
  });

  test(`invalid tokens are refused over ${protocol}`, async () => {
    origin.reset();
    for (const [what, path, text] of tokens()) {
      const reply = await gateway.request(protocol, { path, headers: bearer(text) });
      expect([what, reply.status]).toEqual([what, 401]);
      expect([what, reply.header("www-authenticate")?.startsWith('Bearer realm="api"')]).toEqual([what, true]);
    }
    expect(origin.summaries).toEqual([]);
    expect(trap.connections.length).toBe(0);
  });

  test(`claims beyond ASCII inject no header field over ${protocol}`, async () => {
    // If a program keeps only their low bytes, they become CR, LF and others.
    for (const role of ["a\u010d\u010aX-Admin: 1", "a\u560d\u560aX-Admin: 1", "a\u2028X-Admin: 1", "\ud800", "é"]) {
      origin.reset();
      const reply = await gateway.request(protocol, {
        path: "/rs",
        headers: bearer(token({ ...CLAIMS, role }, "RS256")),
      });
      expect([role, reply.status]).toEqual([role, 200]);
      const fields = origin.requests[0]?.fields ?? [];
      expect(fields.filter(([name]) => name.toLowerCase() === "x-admin")).toEqual([]);
      const value = fields.find(([name]) => name === "X-Role")?.[1] ?? "";
      expect(Buffer.from(value, "latin1").toString()).toBe(role.toWellFormed());
    }
  });

  test(`a token in another place, or twice, is refused over ${protocol}`, async () => {
    const sound = token(CLAIMS, "RS256");
    origin.reset();
    const rows: Request[] = [
      { path: "/rs" },
      { path: `/rs?access_token=${sound}` },
      { path: "/rs", headers: { cookie: `access_token=${sound}; Authorization=${sound}` } },
      { path: "/rs", headers: { "x-authorization": `Bearer ${sound}`, authorization_: `Bearer ${sound}` } },
      { path: "/rs", headers: { "proxy-authorization": `Bearer ${sound}` } },
      ...["Basic ", "Bearer", "Bearer\t", "Bearer=", "Token ", "", "Bearer Bearer "].map((scheme) => ({
        path: "/rs",
        headers: { authorization: scheme + sound },
      })),
      { path: "/rs", headers: { authorization: `Bearer ${sound}, Bearer ${sound}` } },
      { path: "/rs", headers: { authorization: `Bearer "${sound}"` } },
      { path: "/rs", headers: { authorization: `Bearer ${sound} x` } },
      { path: "/rs", headers: { authorization: "Bearer" } },
      { path: "/admin", headers: { "x-api-key": `${KEY}, ${KEY}` } },
      { path: "/admin", headers: { x_api_key: KEY } },
      { path: "/admin", headers: { "x-api-key": KEY.slice(0, -1) } },
      { path: "/admin", headers: { "x-consumer-name": "alice" } },
    ];
    if (protocol !== "HTTP/3") {
      const twice = ["Bearer x", `Bearer ${sound}`].map((value) => ["authorization", value] as const);
      rows.push({ path: "/rs", headers: twice }, { path: "/rs", headers: twice.toReversed() });
      rows.push({ path: "/admin", headers: [["x-api-key", KEY] as const, ["x-api-key", KEY] as const] });
    }
    for (const row of rows) {
      expect([row.path, row.headers, (await gateway.request(protocol, row)).status]).toEqual([
        row.path,
        row.headers,
        401,
      ]);
    }
    expect(origin.summaries).toEqual([]);
  });

  test(`no spelling of a path or host bypasses its route's authentication over ${protocol}`, async () => {
    origin.reset();
    for (const [status, paths] of SPELLINGS) {
      for (const path of paths) {
        const reply = await gateway.request(protocol, { path });
        expect([path, reply.status]).toEqual([path, status]);
      }
    }
    expect(origin.summaries).toEqual([]);
    for (const authority of ["api.test", "API.test", "api.test.", "api.test:443", "api.test:80", "Api.Test.:8443"]) {
      const reply = await gateway.request(protocol, { path: "/host", authority });
      expect([authority, reply.status]).toEqual([authority, 401]);
    }
    const others = {
      "api.test..": 400,
      "xapi.test": 404,
      "api.test.evil.test": 404,
      "127.0.0.1": 404,
      "%61pi.test": 400,
    };
    for (const [authority, status] of Object.entries(others)) {
      const reply = await gateway.request(protocol, { path: "/host", authority });
      expect([authority, reply.status]).toEqual([authority, status]);
    }
    const headers = { "x-forwarded-host": "open.test", "x-original-url": "/public", "x-rewrite-url": "/public" };
    expect((await gateway.request(protocol, { path: "/host", authority: "api.test", headers })).status).toBe(401);
    expect((await gateway.request(protocol, { path: "/admin", headers })).status).toBe(401);
    expect(origin.summaries).toEqual([]);
  });
}

/** Paths of protected resources, and their statuses without a key. */
const SPELLINGS: readonly (readonly [status: number, paths: readonly string[]])[] = [
  [
    401,
    [
      "/admin",
      "/admin/",
      "/admin/x",
      "/admin?x",
      "/admin?/../public",
      "//admin",
      "///admin//x",
      "/./admin",
      "/%61dmin",
      "/%61%64%6D%69%6e",
      "/admin;x=1",
      "/admin;/x",
      "/admin;jsessionid=../public",
      "/public/../admin",
      "/public/%2e%2e/admin",
      "/public/.%2E/admin",
      "/public/x/../../admin",
      "/../admin",
      "/../../admin/../admin",
      "/public//../admin",
      "/public/./../admin/.",
      "/admin/../public/../admin",
      "/public;x/../admin",
    ],
  ],
  [
    400,
    [
      "/public/..;/admin",
      "/public/..;x=1/admin",
      "/public/.;/../admin",
      "/public/%2e%2e;/admin",
      "/public%2f..%2fadmin",
      "/public/..%2fadmin",
      "/public/..%5cadmin",
      "/public/..\\admin",
      "/admin%00",
      "/admin%2f",
      "/admin%0a",
      "/%2fadmin",
      "/admin%",
      "/%zzadmin",
      "/public/%2e%2e%2fadmin",
      "/;/admin",
      "/;a=b/admin",
      "/public/;/../admin",
      "/%3b/admin",
      "/%C0%AEadmin",
      // No route has these paths, but some servers read them as paths that a route protects.
      "/ADMIN",
      "/Admin/x",
      "/admin.",
      "/admin..",
      "/admin%20",
      "/admin%3bx",
      "/%2561dmin",
      "/public/%252e%252e/admin",
      "/index.php/admin",
    ],
  ],
  // Paths of other routes.
  [404, ["/admi", "/adminx", "/ADMINX", "/%2561dminx", "/xadmin"]],
];

test("targets with a host of their own are matched by that host", async () => {
  origin.reset();
  for (const [target, host, status] of [
    ["http://api.test/host", "open.test", 401],
    ["HTTP://API.TEST/host", "open.test", 401],
    ["http://api.test:80/host", "open.test", 401],
    ["http://open.test/host/../host", "api.test", 200],
    ["http://open.test/../admin", "open.test", 401],
    ["http://localhost//admin", "localhost", 401],
    ["http://localhost/public/%2e%2e/admin", "localhost", 401],
    ["http://user@api.test/host", "open.test", 400],
    ["admin", "localhost", 400],
    ["*", "localhost", 400],
  ] as const) {
    const client = await RawClient.open(gateway.plainPort);
    client.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const { startLine } = await client.finalResponse("GET");
    expect([target, Number(startLine.split(" ")[1])]).toEqual([target, status]);
    client.destroy();
  }
  expect(origin.summaries).toEqual(["GET /host"]);
});
