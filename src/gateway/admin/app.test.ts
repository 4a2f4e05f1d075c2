import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { MAX_BODY_BYTES } from "./http/body.ts";
import { AdminRig, FULL_KEY, READ_ONLY_KEY } from "./testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

const UPSTREAM = { name: "a", servers: [{ address: "127.0.0.1", port: 9 }] };

let rig: AdminRig;

beforeAll(async () => {
  rig = await AdminRig.start({ upstreams: [UPSTREAM], routes: [{ path_prefix: "/a", upstream: "a" }] });
});
afterAll(() => rig[Symbol.asyncDispose]());

/** The whole response to raw text, after which the client ends its side. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(rig.server.url ?? "").port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(text);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

const get = (target: string, ...fields: string[]): Promise<string> =>
  raw([`GET ${target} HTTP/1.1`, "Connection: close", ...fields, "", ""].join("\r\n"));

test("every response has the fields that protect a browser, and the id of the request", async () => {
  for (const path of ["/v1/status", "/v1/none", "/", "/v1/routes//"]) {
    const { headers } = await rig.call("GET", path, { headers: { "x-request-id": "own-id_1" } });
    expect([path, headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual([
      path,
      "nosniff",
      "no-referrer",
    ]);
    expect(headers.get("x-request-id")).toBe("own-id_1");
    expect(headers.get("cache-control")).toBe(path === "/" ? "no-cache" : "no-store");
  }
  const { headers, body } = await rig.call("GET", "/v1/none", { headers: { "x-request-id": "no id" } });
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(body.instance).toBe(headers.get("x-request-id"));
});

const PATHS: readonly (readonly [method: string, path: string, key: string, status: number, allow?: string])[] = [
  ["GET", "/v1/none", FULL_KEY, 404],
  ["GET", "/v1/none", "", 401],
  ["GET", "/v1", "", 401],
  ["GET", "/v1none", "", 404],
  ["GET", "/v1/routes/", FULL_KEY, 404],
  ["GET", "/v1//routes", FULL_KEY, 404],
  ["DELETE", "/v1/routes//a", FULL_KEY, 404],
  ["DELETE", "/v1/routes//", FULL_KEY, 404],
  ["PATCH", "/v1//routes/a", FULL_KEY, 404],
  ["GET", "/v1/status/", FULL_KEY, 404],
  ["GET", "/console.js/", "", 404],
  ["PUT", "/v1/routes", FULL_KEY, 405, "DELETE, GET, HEAD, OPTIONS, POST"],
  ["PUT", "/v1/routes", "", 401],
  ["GET", "/v1/routes/%2Fa", FULL_KEY, 405, "DELETE, OPTIONS, PATCH"],
  ["POST", "/", "", 405, "GET, HEAD, OPTIONS"],
  ["POST", "/console.js", "", 405, "GET, HEAD, OPTIONS"],
  ["GET", "/consolexjs", "", 404],
  ["OPTIONS", "/v1/routes", "", 204, "DELETE, GET, HEAD, OPTIONS, POST"],
  ["OPTIONS", "/v1/none", "", 401],
  ["OPTIONS", "/none", "", 404],
  ["GET", "/v1/routes/%2", FULL_KEY, 400],
  ["DELETE", "/v1/routes/%ff", FULL_KEY, 400],
];

for (const [method, path, key, status, allow = null] of PATHS) {
  test(`${method} ${path} with the key ${JSON.stringify(key)}: ${status}`, async () => {
    const { status: got, headers, text } = await rig.call(method, path, { key });
    expect([got, headers.get("allow")]).toEqual([status, allow]);
    if (status === 204) expect(text).toBe("");
  });
}

test("a target may have 4096 characters with the interface's own origin", async () => {
  const path = "/v1/status?";
  const longest = path + "x".repeat(4096 - "http://admin".length - path.length);
  expect((await rig.call("GET", longest)).status).toBe(200);
  expect((await rig.call("GET", `${longest}x`)).body).toMatchObject({ status: 414, code: "uri_too_long" });
});

describe("the host of a request", () => {
  const key = `X-API-Key: ${FULL_KEY}`;

  test.each<[string, readonly string[], string]>([
    ["/v1/status", ["Host: localhost"], '"status":"ok"'],
    ["/v1/status", ["Host: other.test"], "host_not_allowed"],
    ["/v1/status", [], "bad_request"],
    ["/v1/status", ["Host: localhost", "Host: localhost"], "bad_request"],
    ["http://localhost/v1/status", ["Host: localhost"], '"status":"ok"'],
    ["http://other.test/v1/status", ["Host: localhost"], "host_not_allowed"],
    ["//v1/status", ["Host: localhost"], "not_found"],
  ])("%s with %j: %s", async (target, hosts, text) => {
    expect(await get(target, ...hosts, key)).toContain(text);
  });
});

test("an error without a code is logged, and its text stays in the log", async () => {
  const before = rig.errors.length;
  rig.tenants = new Proxy([], {
    get() {
      throw new Error("a secret of the disk");
    },
  });
  const { body, text } = await rig.call("GET", "/v1/tenants");
  rig.tenants = [];
  expect(body).toMatchObject({ status: 500, code: "internal", detail: "Cannot serve the request: see the log" });
  expect(text).not.toContain("secret");
  expect(String(rig.errors.at(before))).toContain("Cannot serve an admin request: a secret of the disk");
  rig.errors.length = before;
});

test("an address with too many wrong keys must wait, and learns for how long", async () => {
  await using own = await AdminRig.start();
  // The connection has proved the key before.
  let refused = await own.call("GET", "/v1/status", { key: "wrong-key-0" });
  for (let i = 1; i < 30 && refused.status === 401; i++)
    refused = await own.call("GET", "/v1/status", { key: `wrong-key-${i}` });
  expect(refused.body).toMatchObject({ status: 429, code: "rate_limited" });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
});

describe("the body of a request", () => {
  test.each<[string, string, number]>([
    ["application/json; charset=utf-8", "{}", 400],
    ['application/json; charset="UTF-8"', "{}", 400],
    ["application/json; charset=latin1", "{}", 415],
    ["text/plain", "{}", 415],
    ["application/merge-patch+json", "{}", 415],
    ["application/json", "{}".padEnd(MAX_BODY_BYTES), 400],
    ["application/json", "{}".padEnd(MAX_BODY_BYTES + 1), 413],
  ])("as %s is read: %#", async (type, body, status) => {
    const headers = { "content-type": type };
    expect((await rig.call("POST", "/v1/upstreams", { body, headers })).status).toBe(status);
  });

  test("that is too long for its announced length or in chunks is refused before its end", async () => {
    const head = ["POST /v1/session HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
    const announced = await raw([...head, "Content-Length: 8193", "", ""].join("\r\n"));
    expect(announced).toStartWith("HTTP/1.1 413 ");
    expect(announced.toLowerCase()).toContain("connection: close");
    const chunk = "x".repeat(8193);
    const chunked = await raw([...head, "Transfer-Encoding: chunked", "", "2001", chunk, ""].join("\r\n"));
    expect(chunked).toStartWith("HTTP/1.1 413 ");
  });

  test("of a whole configuration is read for four requests at a time", async () => {
    const head = ["POST /v1/config/check HTTP/1.1", "Host: localhost", `X-API-Key: ${FULL_KEY}`];
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(Number(new URL(rig.server.url ?? "").port), "127.0.0.1");
      // The rest of the body never comes.
      socket.write([...head, "Content-Type: application/json", "Content-Length: 2", "", "{"].join("\r\n"));
      return socket;
    });
    const refusals: string[] = [];
    for (const socket of sockets) socket.on("data", (chunk) => void refusals.push(String(chunk)));
    await Promise.race(sockets.map((socket) => once(socket, "data")));
    // Each operation has its own places.
    expect((await rig.call("PUT", "/v1/config", { body: "{" })).status).toBe(400);
    expect(refusals).toEqual([expect.stringMatching(/^HTTP\/1\.1 503 .*retry-after: 2\r\n.*"code":"overloaded"/s)]);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await rig.call("POST", "/v1/config/check", { body: {} })).status === 200);
  });
});

test("requests of an operation without a whole configuration have no such places", async () => {
  const head = ["POST /v1/upstreams HTTP/1.1", "Host: localhost", `X-API-Key: ${FULL_KEY}`, "Connection: close"];
  const sent = [...head, "Content-Type: application/json", "Content-Length: 2", "", "{"].join("\r\n");
  const sockets = Array.from({ length: 5 }, () => {
    const socket = connect(Number(new URL(rig.server.url ?? "").port), "127.0.0.1");
    socket.write(sent);
    return socket;
  });
  const heads: string[] = [];
  for (const socket of sockets) socket.on("data", (chunk) => void heads.push(String(chunk).slice(0, 13)));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  // Later requests are served while the others wait for the rest of their bodies.
  for (let later = 0; later < 5; later += 1)
    expect((await rig.call("POST", "/v1/upstreams", { body: {} })).status).toBe(400);
  expect(heads).toEqual([]);
  for (const socket of sockets) socket.write("}");
  await Promise.all(sockets.map((socket) => once(socket, "close")));
  expect(heads).toEqual(Array<string>(5).fill("HTTP/1.1 400 "));
});

test("HEAD has the fields of GET and no body", async () => {
  const head = await rig.call("HEAD", "/v1/routes", { key: READ_ONLY_KEY });
  const whole = await rig.call("GET", "/v1/routes");
  expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", whole.headers.get("etag")]);
  expect(head.headers.get("content-length")).toBe(String(whole.text.length));
});
