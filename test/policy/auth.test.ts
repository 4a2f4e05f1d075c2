import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { type Message, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import {
  type Protocol,
  PROTOCOLS,
  type ProtocolGateway,
  type Reply,
  type Request,
  startProtocols,
} from "./protocols.ts";
import { bearer, EC, ED, inSeconds, pem, RSA, SECRET, token } from "./testing/tokens.ts";

const CLAIMS = { sub: "alice", iss: "https://issuer.test", aud: ["other", "api"], role: "admin", groups: ["a", "b"] };
const KEYS = [
  { key: "the key of alice", name: "alice" },
  { key_hash: createHash("sha256").update("the key of bob").digest("hex").toUpperCase(), name: "bob" },
  { key: "ключ+/=", name: "Зоя" },
  { key: "the key of eve", name: "eve" },
];
const JWT = {
  type: "jwt",
  secret: SECRET,
  issuer: "https://issuer.test",
  audience: "api",
  claims_to_headers: [
    { claim: "role", header: "X-Role" },
    { claim: "groups", header: "X-Groups" },
    { claim: "quota", header: "X-Quota" },
    { claim: "more", header: "X-More" },
  ],
};
const PEMS = {
  RS256: pem(RSA.publicKey),
  PS256: pem(RSA.publicKey),
  ES256: pem(EC.publicKey),
  EdDSA: pem(ED.publicKey),
};

let origin: RawOrigin;
let gateway: ProtocolGateway;

function route(path: string, auth: object, more: object = {}): object {
  return { path_prefix: path, upstream: "origin", auth, ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  const apiKey = { type: "api_key", keys: KEYS };
  gateway = await startProtocols({
    access_log: { enabled: true, path: "stdout" },
    http2: { max_header_list_size: 32_768 },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      route("/key", { ...apiKey, header_name: "X-Key", query_param: "key" }),
      route("/few", { ...apiKey, consumers: ["alice", "bob"] }),
      route("/cached", apiKey, { cache: {} }),
      route("/jwt", JWT),
      route("/jwt-few", { type: "jwt", secret: SECRET, consumers: ["alice"] }),
      ...["HS384", "HS512"].map((algorithm) => route(`/${algorithm}`, { ...JWT, algorithm })),
      ...Object.entries(PEMS).map(([algorithm, secret]) => route(`/${algorithm}`, { ...JWT, algorithm, secret })),
      route("/anonymous", { type: "anonymous", subject: "guest" }),
      route("/chain", { type: "chain", methods: [apiKey, { type: "chain", methods: [JWT] }] }),
      route("/open-chain", { type: "chain", methods: [apiKey, JWT, { type: "anonymous" }] }),
      route("/open", { type: "none" }),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

/** The response, and the request that the origin received; undefined if it received nothing. */
async function ask(protocol: Protocol, request: Request): Promise<{ reply: Reply; seen: Message | undefined }> {
  origin.reset();
  const reply = await gateway.request(protocol, request);
  return { reply, seen: origin.requests[0] };
}

function challenges(reply: Reply): string[] {
  return reply.all("www-authenticate");
}

for (const protocol of PROTOCOLS) {
  test(`a key in the header authenticates its owner, and is not forwarded, over ${protocol}`, async () => {
    for (const [key, name] of [
      ["the key of alice", "alice"],
      ["the key of bob", "bob"],
    ] as const) {
      const { reply, seen } = await ask(protocol, { path: "/key/x?a=1", headers: { "x-key": key, "x-other": "1" } });
      expect([reply.status, valuesOf(seen ?? { fields: [] }, "x-consumer-name")]).toEqual([200, [name]]);
      expect(seen?.raw.toLowerCase()).not.toContain("the key of");
      expect(seen?.startLine).toBe("GET /key/x?a=1 HTTP/1.1");
      expect(valuesOf(seen ?? { fields: [] }, "x-other")).toEqual(["1"]);
    }
  });

  test(`a key in the query authenticates its owner, in any spelling, and is not forwarded, over ${protocol}`, async () => {
    for (const [query, left] of [
      ["?key=the%20key%20of%20bob", ""],
      ["?a=1&key=the%20key%20of%20bob&b=2", "?a=1&b=2"],
      ["?%6b%65y=%74he%20key%20of%20bob&k%2565y=1", "?k%2565y=1"],
    ] as const) {
      const { reply, seen } = await ask(protocol, { path: `/key${query}` });
      expect([query, reply.status]).toEqual([query, 200]);
      expect(seen?.startLine).toBe(`GET /key${left} HTTP/1.1`);
    }
    const { seen } = await ask(protocol, { path: "/key?key=%D0%BA%D0%BB%D1%8E%D1%87+/=" });
    expect(valuesOf(seen ?? { fields: [] }, "x-consumer-name")).toEqual([Buffer.from("Зоя").toString("latin1")]);
  });

  test(`a missing, wrong or repeated key is 401 with a challenge, over ${protocol}`, async () => {
    const key = "the key of alice";
    const requests: readonly Request[] = [
      { path: "/key" },
      { path: "/key", headers: { "x-key": "" } },
      { path: "/key", headers: { "x-key": "the key of alicf" } },
      { path: "/key", headers: { "x-key": `${key}, ${key}` } },
      { path: "/key", headers: { x_key: key } },
      { path: "/key", headers: { "x-key": "k".repeat(8193) } },
      // A hash is not accepted as a key.
      { path: "/key", headers: { "x-key": createHash("sha256").update("the key of bob").digest("hex") } },
      { path: "/key?key=the%20key%20of%20alice&k%65y=the%20key%20of%20alice" },
      { path: "/key?KEY=the%20key%20of%20alice" },
      { path: "/key?x=1;key=the%20key%20of%20alice" },
      { path: "/key?key" },
    ];
    for (const request of requests) {
      const { reply, seen } = await ask(protocol, request);
      expect([request.path, reply.status, challenges(reply), seen]).toEqual([
        request.path,
        401,
        ['ApiKey realm="api", header="X-Key"'],
        undefined,
      ]);
      expect(reply.json).toMatchObject({ type: "urn:turnpike:error:unauthorized", status: 401 });
    }
  });

  test(`a known consumer that is not allowed gets 403 without a challenge, over ${protocol}`, async () => {
    expect((await ask(protocol, { path: "/few", headers: { "x-api-key": "the key of bob" } })).reply.status).toBe(200);
    const { reply, seen } = await ask(protocol, { path: "/few", headers: { "x-api-key": "the key of eve" } });
    expect([reply.status, challenges(reply), seen]).toEqual([403, [], undefined]);
    const other = await ask(protocol, { path: "/jwt-few", headers: bearer(token({ sub: "eve" })) });
    expect([other.reply.status, other.seen]).toEqual([403, undefined]);
  });

  test(`a token of each algorithm authenticates its bearer, and its claims reach the upstream, over ${protocol}`, async () => {
    for (const algorithm of ["HS256", "HS384", "HS512", "RS256", "PS256", "ES256", "EdDSA"]) {
      const path = algorithm === "HS256" ? "/jwt" : `/${algorithm}`;
      const text = token({ ...CLAIMS, exp: inSeconds(60), quota: 7, more: { a: "é" } }, algorithm);
      for (const time of ["first", "remembered"]) {
        const { reply, seen } = await ask(protocol, { path, headers: { ...bearer(text), "x-role": "forged" } });
        expect([algorithm, time, reply.status]).toEqual([algorithm, time, 200]);
        const fields = seen ?? { fields: [] };
        expect(valuesOf(fields, "x-consumer-name")).toEqual(["alice"]);
        expect(valuesOf(fields, "x-role")).toEqual(["admin"]);
        expect(valuesOf(fields, "x-groups")).toEqual(["a,b"]);
        expect(valuesOf(fields, "x-quota")).toEqual(["7"]);
        expect(valuesOf(fields, "x-more")).toEqual(['{"a":"\\u00e9"}']);
        expect(valuesOf(fields, "authorization")).toEqual([`Bearer ${text}`]);
      }
    }
  });

  test(`a chain accepts the first method that succeeds, or the response has the challenge of each, over ${protocol}`, async () => {
    const byKey = await ask(protocol, { path: "/chain", headers: { "x-api-key": "the key of bob" } });
    expect([byKey.reply.status, valuesOf(byKey.seen ?? { fields: [] }, "x-consumer-name")]).toEqual([200, ["bob"]]);
    const byToken = await ask(protocol, {
      path: "/chain?api_key=wrong",
      headers: { ...bearer(token(CLAIMS)), "x-api-key": "wrong" },
    });
    expect(byToken.reply.status).toBe(200);
    // The failed method left the request unchanged.
    expect(byToken.seen?.startLine).toBe("GET /chain?api_key=wrong HTTP/1.1");
    expect(valuesOf(byToken.seen ?? { fields: [] }, "x-api-key")).toEqual(["wrong"]);
    expect(valuesOf(byToken.seen ?? { fields: [] }, "x-consumer-name")).toEqual(["alice"]);
    const { reply, seen } = await ask(protocol, { path: "/chain", headers: bearer("a.b.c") });
    expect([reply.status, seen]).toEqual([401, undefined]);
    expect(challenges(reply)).toEqual([
      'ApiKey realm="api", header="X-API-Key"',
      'Bearer realm="api", error="invalid_token", error_description="the token cannot be read"',
    ]);
  });

  test(`an unverified token does not pass together with an open method, over ${protocol}`, async () => {
    const forged = token(CLAIMS, "HS256", {}, () => Buffer.alloc(32));
    const { reply, seen } = await ask(protocol, { path: "/open-chain", headers: bearer(forged) });
    expect([reply.status, valuesOf(seen ?? { fields: [] }, "x-consumer-name")]).toEqual([200, ["anonymous"]]);
    expect(valuesOf(seen ?? { fields: [] }, "authorization")).toEqual([]);
    const basic = await ask(protocol, { path: "/open-chain", headers: { authorization: "Basic eA==" } });
    expect(valuesOf(basic.seen ?? { fields: [] }, "authorization")).toEqual(["Basic eA=="]);
  });

  test(`no client can set its own identity: not on an open route, not with other spellings, over ${protocol}`, async () => {
    const names = ["x-consumer-name", "x_consumer_name", "x-consumer_name", "x-role", "x_role", "x-groups"];
    const headers = Object.fromEntries([...names, "x-kept"].map((name) => [name, "root"]));
    for (const [path, consumer] of [
      ["/open", []],
      ["/anonymous", ["guest"]],
    ] as const) {
      const { reply, seen } = await ask(protocol, { path, headers });
      expect(reply.status).toBe(200);
      const values = (seen?.fields ?? []).filter(([, value]) => value === "root").map(([name]) => name.toLowerCase());
      expect(values).toEqual(["x-kept"]);
      expect(valuesOf(seen ?? { fields: [] }, "x-consumer-name")).toEqual([...consumer]);
    }
  });

  test(`a response cached for one consumer is not served to another, over ${protocol}`, async () => {
    origin.reset();
    origin.response = (request, connection) => {
      const body = valuesOf(request, "x-consumer-name").join();
      connection.send(`HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    };
    for (const [key, response] of [
      ["the key of alice", "alice"],
      ["the key of bob", "bob"],
      ["the key of alice", "alice"],
      ["wrong", "unauthorized"],
    ] as const) {
      const reply = await gateway.request(protocol, { path: `/cached/${protocol}`, headers: { "x-api-key": key } });
      expect(reply.text).toContain(response);
    }
    expect(origin.requests.length).toBeLessThanOrEqual(2);
  });
}

test("trailers cannot set a client's identity", async () => {
  origin.reset();
  const client = await RawClient.open(gateway.plainPort);
  const head = "POST /open HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n";
  client.send(`${head}3\r\nabc\r\n0\r\nX-Role: root\r\nx_role: root\r\nX-Consumer-Name: root\r\nX-Kept: 1\r\n\r\n`);
  expect((await client.finalResponse("POST")).body).toBe("POST /open abc");
  client.destroy();
  expect(origin.requests[0]?.trailers).toEqual([["X-Kept", "1"]]);
});

test("credentials appear in no log", async () => {
  await ask("HTTP/1.1", { path: "/key/log?key=the%20key%20of%20bob" });
  await ask("HTTP/1.1", { path: "/key/log?a=1&key=a%20secret%20mistake" });
  await ask("HTTP/1.1", { path: "/chain/log?api_key=a%20secret%20mistake", headers: bearer("se.cr.et") });
  await gateway.program.sees(/GET \/key\/log HTTP\/1\.1" 200/);
  await gateway.program.sees(/GET \/key\/log\?a=1 HTTP\/1\.1" 401/);
  await gateway.program.sees(/GET \/chain\/log HTTP\/1\.1" 401/);
});
