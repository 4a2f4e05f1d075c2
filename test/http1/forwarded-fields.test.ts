/** The fields that are forwarded, and those that Turnpike sets itself. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const otel = { service_name: "bridge" };
  gateway = await startGateway({ otel, access_log: { enabled: false }, ...everythingTo(origin.port) });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

afterEach(() => origin.reset());

/** The values of a field in each request that reached the origin. */
function told(name: string): string[] {
  return origin.requests.map((request) => valuesOf(request, name).join(", "));
}

/** The request that reached the origin, and the response that came back. */
async function exchange(...fields: readonly string[]): Promise<{ request: Message; response: Message }> {
  const hasHost = fields.some((line) => line.startsWith("Host:"));
  const lines = ["GET /x HTTP/1.1", ...(hasHost ? [] : ["Host: a.test:81"]), ...fields];
  const response = await once(gateway.port, `${lines.join("\r\n")}\r\n\r\n`);
  const request = origin.requests[0];
  if (request === undefined) throw new Error(`Nothing reached the origin: ${response.raw}`);
  return { request, response };
}

describe("forwarded fields", () => {
  test("a request carries X-Forwarded-*, X-Real-IP, Via and a request id", async () => {
    const { request } = await exchange();
    expect(valuesOf(request, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "x-forwarded-proto")).toEqual(["http"]);
    expect(valuesOf(request, "x-forwarded-host")).toEqual(["a.test:81"]);
    expect(valuesOf(request, "x-real-ip")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "via")).toEqual(["1.1 bridge"]);
    expect(valuesOf(request, "host")).toHaveLength(1);
  });

  test("X-Forwarded-For and Via are appended to", async () => {
    const { request } = await exchange("X-Forwarded-For: 127.0.0.9", "Via: 1.0 ferry");
    expect(valuesOf(request, "x-forwarded-for").join(", ")).toBe("127.0.0.9, 127.0.0.1");
    expect(valuesOf(request, "via").join(", ")).toBe("1.0 ferry, 1.1 bridge");
  });

  test("each request of a connection has its own forwarded fields", async () => {
    const client = await RawClient.open(gateway.port);
    const heads = ["Host: a.test", "Host: a.test", "Host: b.test", "Host: b.test\r\nVia: 1.0 ferry", "Host: b.test"];
    for (const head of heads) {
      client.send(`GET /x HTTP/1.1\r\n${head}\r\n\r\n`);
      expect(statusOf(await client.response())).toBe(200);
    }
    client.destroy();
    expect(told("host")).toEqual(["a.test", "a.test", "b.test", "b.test", "b.test"]);
    expect(told("x-forwarded-host")).toEqual(["a.test", "a.test", "b.test", "b.test", "b.test"]);
    expect(told("via")).toEqual(["1.1 bridge", "1.1 bridge", "1.1 bridge", "1.0 ferry, 1.1 bridge", "1.1 bridge"]);
    expect(new Set(told("x-request-id")).size).toBe(heads.length);
  });

  test("several X-Forwarded-For lines keep their order", async () => {
    const { request } = await exchange("X-Forwarded-For: 127.0.0.7", "x-forwarded-for: 127.0.0.8");
    expect(valuesOf(request, "x-forwarded-for").join(", ")).toBe("127.0.0.7, 127.0.0.8, 127.0.0.1");
  });

  test("the client's claims about its address, host and protocol are replaced", async () => {
    const { request } = await exchange(
      "X-Real-IP: 127.0.0.9",
      "X-Forwarded-Host: evil.test",
      "X-Forwarded-Proto: https",
    );
    expect(valuesOf(request, "x-real-ip")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "x-forwarded-host")).toEqual(["a.test:81"]);
    expect(valuesOf(request, "x-forwarded-proto")).toEqual(["http"]);
  });

  test("the host of an absolute target wins over Host", async () => {
    await once(gateway.port, "GET http://b.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    const request = origin.requests[0];
    if (request === undefined) throw new Error("Nothing reached the origin");
    expect(valuesOf(request, "x-forwarded-host")).toEqual(["b.test"]);
    expect(valuesOf(request, "host")).not.toContain("a.test");
  });

  test("a client cannot remove the forwarded fields by naming them in Connection", async () => {
    const { request } = await exchange(
      "Connection: X-Forwarded-For, X-Forwarded-Host, X-Real-IP, Via, Host, X-Request-Id",
    );
    expect(valuesOf(request, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "x-forwarded-host")).toEqual(["a.test:81"]);
    expect(valuesOf(request, "x-real-ip")).toEqual(["127.0.0.1"]);
    expect(valuesOf(request, "via")).toEqual(["1.1 bridge"]);
    expect(valuesOf(request, "host")).toHaveLength(1);
    expect(valuesOf(request, "x-request-id")).toHaveLength(1);
  });

  test("Connection: Content-Length does not remove the framing of the body", async () => {
    const bytes = "POST /x HTTP/1.1\r\nHost: a.test\r\nConnection: Content-Length\r\nContent-Length: 5\r\n\r\nhello";
    const response = await once(gateway.port, bytes);
    expect([200, 400]).toContain(statusOf(response));
    expect(origin.errors).toEqual([]);
    expect(origin.summaries).toEqual(statusOf(response) === 200 ? ["POST /x hello"] : []);
  });
});

describe("end-to-end and hop-by-hop fields", () => {
  test("end-to-end fields pass unchanged, in order, with repeated lines and their case", async () => {
    const lines = ["Accept: a/b", "X-Two: 1", "x-TWO: 2", "Cookie: a=b; c=d", "Authorization: Bearer t", "X-Empty:"];
    const { request } = await exchange(...lines);
    const names = new Set(["accept", "x-two", "cookie", "authorization", "x-empty"]);
    const passed = request.fields.filter(([name]) => names.has(name.toLowerCase()));
    expect(passed).toEqual([
      ["Accept", "a/b"],
      ["X-Two", "1"],
      ["x-TWO", "2"],
      ["Cookie", "a=b; c=d"],
      ["Authorization", "Bearer t"],
      ["X-Empty", ""],
    ]);
  });

  test.each([
    ["Keep-Alive: timeout=5"],
    ["TE: trailers"],
    ["Trailer: X-Sum"],
    ["Upgrade: h2c"],
    ["Proxy-Connection: keep-alive"],
    ["Proxy-Authorization: Basic eDp5"],
    ["Proxy-Authenticate: Basic"],
    ["kEEp-aLIVE: timeout=5"],
  ])("a request's `%s` is not forwarded", async (line) => {
    const { request } = await exchange(line, "X-After: 1");
    expect(valuesOf(request, line.slice(0, line.indexOf(":")))).toEqual([]);
    expect(valuesOf(request, "x-after")).toEqual(["1"]);
  });

  test("fields that Connection names are not forwarded, in any case and from several lines", async () => {
    const { request } = await exchange(
      "Connection: X-Hop, keep-alive",
      "X-Hop: 1",
      "connection: x-SECOND",
      "X-Second: 2",
      "X-Third: 3",
    );
    expect(valuesOf(request, "x-hop")).toEqual([]);
    expect(valuesOf(request, "x-second")).toEqual([]);
    expect(valuesOf(request, "x-third")).toEqual(["3"]);
    expect(valuesOf(request, "connection").join().toLowerCase()).not.toContain("x-");
  });

  test("an upgrade to h2c is ignored, and its settings are not forwarded", async () => {
    const { request, response } = await exchange(
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
    );
    expect(statusOf(response)).toBe(200);
    expect(valuesOf(request, "upgrade")).toEqual([]);
    expect(valuesOf(request, "http2-settings")).toEqual([]);
  });

  test("hop-by-hop fields of a response are not forwarded", async () => {
    origin.response = (_, connection) =>
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\n" +
          "Proxy-Authenticate: Basic\r\nProxy-Connection: keep-alive\r\nTrailer: X-Sum\r\nTE: trailers\r\n" +
          "X-Kept: 1\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 2\r\n\r\nok",
      );
    const { response } = await exchange();
    for (const name of ["x-hop", "keep-alive", "upgrade", "proxy-authenticate", "proxy-connection", "te"]) {
      expect([name, ...valuesOf(response, name)]).toEqual([name]);
    }
    expect(valuesOf(response, "x-kept")).toEqual(["1"]);
    expect(valuesOf(response, "set-cookie")).toEqual(["a=1", "b=2"]);
  });

  test("a response keeps its status, its reason and bytes over 127 in its fields", async () => {
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 299 Fine By Me\r\nX-Name: caf\xe9\r\nContent-Length: 0\r\n\r\n");
    const { response } = await exchange();
    expect(response.startLine).toBe("HTTP/1.1 299 Fine By Me");
    expect(valuesOf(response, "x-name")).toEqual(["caf\xe9"]);
  });
});

describe("request ids", () => {
  test.each([["a"], ["~!@#,;\"'"], ["x".repeat(128)]])("a valid X-Request-Id is kept: %s", async (id) => {
    const { request, response } = await exchange(`X-Request-Id: ${id}`);
    expect(valuesOf(request, "x-request-id")).toEqual([id]);
    expect(valuesOf(response, "x-request-id")).toEqual([id]);
  });

  test.each([
    ["none", []],
    ["an empty one", ["X-Request-Id:"]],
    ["one with a space", ["X-Request-Id: a b"]],
    ["one with bytes over 127", ["X-Request-Id: caf\xe9"]],
    ["one of 129 characters", [`X-Request-Id: ${"x".repeat(129)}`]],
    ["two", ["X-Request-Id: a", "X-Request-Id: b"]],
  ])("with %s, a UUID of version 7 is created, forwarded and returned", async (_, lines) => {
    const { request, response } = await exchange(...lines);
    const [id = ""] = valuesOf(request, "x-request-id");
    expect(valuesOf(request, "x-request-id")).toHaveLength(1);
    expect(id).toMatch(UUID_V7);
    expect(valuesOf(response, "x-request-id")).toEqual([id]);
  });

  test("no two requests get the same id", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 20; i++) ids.add(valuesOf((await exchange()).response, "x-request-id").join());
    expect(ids.size).toBe(20);
  });

  test("a problem has the request id as its instance", async () => {
    const response = await once(gateway.port, "GET /a%2Fb HTTP/1.1\r\nHost: a.test\r\nX-Request-Id: mine\r\n\r\n");
    expect(statusOf(response)).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ instance: "mine" });
    expect(valuesOf(response, "x-request-id")).toEqual(["mine"]);
  });
});
