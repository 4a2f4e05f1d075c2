import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { type Message, valuesOf } from "../support/message.ts";
import { type Responder, echo, RawOrigin } from "../support/raw-origin.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import {
  type Protocol,
  PROTOCOLS,
  type ProtocolGateway,
  type Reply,
  type Request,
  startProtocols,
} from "./protocols.ts";

let origin: RawOrigin;
let service: RawOrigin;
let gateway: ProtocolGateway;

function says(status: string, fields = "", body = ""): Responder {
  return (_, connection) =>
    connection.send(`HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`);
}

function route(path: string, auth: object): object {
  return { path_prefix: path, upstream: "origin", auth };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  service = await RawOrigin.start();
  const auth = {
    type: "forward_auth",
    url: `http://127.0.0.1:${service.port}/check?a=1`,
    headers_forward: ["Cookie", "Authorization"],
    headers_upstream: ["X-User", "X-Roles", "Authorization"],
    consumer_header: "X-User",
    // 300 concurrent requests take a while on a busy machine.
    timeout_ms: patient(10_000),
  };
  const nobody = { ...auth, url: `http://127.0.0.1:${await freePort()}/` };
  const key = { type: "api_key", keys: [{ key: "the key", name: "alice" }] };
  gateway = await startProtocols({
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      route("/", auth),
      route("/hasty", { ...auth, timeout_ms: 100 }),
      route("/few", { ...auth, consumers: ["alice"] }),
      route("/down", nobody),
      route("/down-or-key", { type: "chain", methods: [nobody, key] }),
      route("/key-or-ask", { type: "chain", methods: [key, auth] }),
      route("/open", { type: "none" }),
    ],
  });
});

beforeEach(() => {
  origin.reset();
  service.reset();
});

afterAll(async () => {
  await gateway.stop();
  await service.stop();
  await origin.stop();
});

const NOTHING = { fields: [] };

async function ask(protocol: Protocol, request: Request): Promise<{ reply: Reply; seen: Message | undefined }> {
  origin.requests.length = 0;
  const reply = await gateway.request(protocol, request);
  return { reply, seen: origin.requests[0] };
}

for (const protocol of PROTOCOLS) {
  test(`the service gets the configured fields, and its own fields reach the upstream, over ${protocol}`, async () => {
    service.response = says("200 OK", "X-User: alice\r\nX-Roles: a\r\nX-Roles: b\r\nX-Secret: s\r\n", "hello");
    const { reply, seen } = await ask(protocol, {
      method: "PUT",
      path: "/a/%2e%2e/b?c=d",
      authority: "localhost:8443",
      headers: {
        cookie: "s=1",
        "x-user": "root",
        x_user: "root",
        "x-roles": "root",
        "x-other": "1",
        authorization: "x y",
      },
      body: "the body",
    });
    expect([reply.status, reply.text]).toEqual([200, "PUT /b?c=d the body"]);
    const [asked] = service.requests;
    expect(asked?.startLine).toBe("GET /check?a=1 HTTP/1.1");
    const fields = Object.fromEntries((asked?.fields ?? []).map(([name, value]) => [name.toLowerCase(), value]));
    expect(fields).toEqual({
      host: `127.0.0.1:${service.port}`,
      cookie: "s=1",
      authorization: "x y",
      "x-forwarded-method": "PUT",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "localhost:8443",
      "x-forwarded-uri": "/b?c=d",
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      "x-request-id": fields["x-request-id"] ?? "none",
    });
    const values = (name: string): string[] => valuesOf(seen ?? NOTHING, name);
    expect([values("x-user"), values("x_user"), values("x-roles")]).toEqual([["alice"], [], ["a", "b"]]);
    expect([values("x-consumer-name"), values("x-other"), values("x-secret")]).toEqual([["alice"], ["1"], []]);
    // Only the service may set that field.
    expect([values("authorization"), values("cookie")]).toEqual([[], ["s=1"]]);
  });

  test(`the service's refusals reach the client, over ${protocol}`, async () => {
    const rows: readonly (readonly [status: string, fields: string, name: string, value: string])[] = [
      ["401 Unauthorized", 'WWW-Authenticate: Basic realm="x"\r\n', "www-authenticate", 'Basic realm="x"'],
      ["403 Forbidden", "X-Reason: no\r\n", "x-reason", "no"],
      [
        "302 Found",
        "Location: https://login.test/\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n",
        "set-cookie",
        "a=1, b=2",
      ],
      ["429 Too Many Requests", "Retry-After: 5\r\n", "retry-after", "5"],
    ];
    for (const [status, fields, name, value] of rows) {
      service.response = says(status, fields, "a page");
      const { reply, seen } = await ask(protocol, { path: "/x" });
      expect([reply.status, reply.header(name), reply.text, seen]).toEqual([
        Number(status.slice(0, 3)),
        value,
        "a page",
        undefined,
      ]);
    }
  });

  test(`no request passes while the service fails, over ${protocol}`, async () => {
    const rows: readonly (readonly [what: string, path: string, answer: Responder])[] = [
      ["a failure", "/x", says("500 Oops", "", "a trace")],
      ["an overload", "/x", says("503 Busy")],
      ["not modified", "/x", says("304 Not Modified")],
      ["a redirect to nowhere", "/x", says("302 Found")],
      ["no HTTP", "/x", (_, connection) => connection.end("hello\r\n\r\n")],
      ["a reset", "/x", (_, connection) => connection.reset()],
      ["half a response", "/x", (_, connection) => connection.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")],
      ["a name twice", "/x", says("200 OK", "X-User: alice\r\nX-User: bob\r\n")],
      ["a name that is too long", "/x", says("200 OK", `X-User: ${"a".repeat(257)}\r\n`)],
      ["too many fields", "/x", says("200 OK", `X-Roles: ${"a".repeat(20_000)}\r\n`)],
      ["too long a page", "/x", says("200 OK", "", "a".repeat(65_537))],
      ["silence", "/hasty", () => {}],
      ["nobody there", "/down", echo],
    ];
    for (const [what, path, response] of rows) {
      service.response = response;
      const { reply, seen } = await ask(protocol, { path });
      expect([what, reply.status, reply.header("retry-after"), seen]).toEqual([what, 503, "1", undefined]);
      expect(reply.text).not.toContain("trace");
      expect(reply.json).toMatchObject({ type: "urn:turnpike:error:auth-unavailable" });
    }
  });

  test(`a chain continues after an unavailable service, over ${protocol}`, async () => {
    const { reply, seen } = await ask(protocol, { path: "/down-or-key", headers: { "x-api-key": "the key" } });
    expect([reply.status, valuesOf(seen ?? NOTHING, "x-consumer-name")]).toEqual([200, ["alice"]]);
    expect((await ask(protocol, { path: "/down-or-key" })).reply.status).toBe(503);
    service.response = says("401 Unauthorized", "WWW-Authenticate: Own\r\n");
    const refused = await ask(protocol, { path: "/key-or-ask", headers: { "x-api-key": "wrong" } });
    expect(refused.reply.status).toBe(401);
    expect(refused.reply.all("www-authenticate")).toEqual(["Own", 'ApiKey realm="api", header="X-API-Key"']);
  });

  test(`a consumer that the service knows and the route does not allow gets 403, and open routes forward no forged fields, over ${protocol}`, async () => {
    service.response = says("200 OK", "X-User: bob\r\n");
    expect((await ask(protocol, { path: "/few" })).reply.status).toBe(403);
    const { seen } = await ask(protocol, { path: "/open", headers: { "x-user": "root", authorization: "Basic a" } });
    expect([valuesOf(seen ?? NOTHING, "x-user"), valuesOf(seen ?? NOTHING, "authorization")]).toEqual([
      [],
      ["Basic a"],
    ]);
  });
}

// The HTTP/3 client cannot send two such fields; the rules of its codec are those of HTTP/2.
for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
  test(`two Authorization fields are not forwarded, over ${protocol}`, async () => {
    service.response = says("200 OK");
    const headers = [
      ["authorization", "Basic a"],
      ["authorization", "Basic b"],
    ] as const;
    const { reply, seen } = await ask(protocol, { path: "/x", headers });
    expect([reply.status, seen, service.requests.length]).toEqual([400, undefined, 0]);
  });
}

test("connections to the service are reused, and a connection that it closed causes no failure", async () => {
  service.response = says("200 OK");
  const before = service.connections.length;
  for (let i = 0; i < 5; i++) expect((await ask("HTTP/1.1", { path: "/x" })).reply.status).toBe(200);
  expect(service.connections.length - before).toBeLessThanOrEqual(1);
  // Closes the connection at the next request, like a server with an expired idle timeout.
  let hungUp = false;
  service.response = (request, connection) => {
    if (hungUp) says("200 OK")(request, connection);
    else connection.end();
    hungUp = true;
  };
  expect((await ask("HTTP/1.1", { path: "/x" })).reply.status).toBe(200);
});

test("requests beyond the limit of simultaneous calls to the service get 503", async () => {
  const held: (() => void)[] = [];
  service.response = (_, connection) =>
    void held.push(() => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const early: Reply[] = [];
  const asked = Array.from({ length: 300 }, async () => {
    const reply = await gateway.plain({ path: "/x" });
    early.push(reply);
    return reply;
  });
  // Requests after the first responses of the service are accepted again.
  await until(() => held.length === 64 && early.length === 44);
  expect(early.map((reply) => [reply.status, reply.header("retry-after")])).toEqual(early.map(() => [503, "1"]));
  service.response = says("200 OK");
  for (const release of held) release();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 503).length,
  ]).toEqual([256, 44]);
});
