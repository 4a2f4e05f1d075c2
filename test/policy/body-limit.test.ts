/**
 * The response to a body that is longer than `limits.max_body_bytes`: it comes from the route's policies, so that
 * scripts can read it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { Http2Client, post } from "../support/http2-client.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";

const APP = "https://app.example.com";
const LIMIT = 10;
/** More than that, and far less than a connection would read and forget. */
const LONG = "a".repeat(20);

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  origin.response = () => {};
  const auth = { type: "api_key", keys: [{ key: "k", name: "n" }] };
  gateway = await startProtocols({
    limits: { max_body_bytes: LIMIT },
    cors: { allow_origins: [APP] },
    security_headers: {},
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      {
        path_prefix: "/guarded/",
        upstream: "origin",
        auth,
        rate_limit: { requests_per_second: 0.001, burst_size: 1 },
        headers: { response: { set: [{ name: "x-route", value: "guarded" }] } },
      },
      { path_prefix: "/bare/", upstream: "origin", cors: { allow_origins: [] }, security_headers: { enabled: false } },
      { path_prefix: "/open/", upstream: "origin" },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

function expectReadable(reply: Reply): void {
  expect([reply.status, reply.all("access-control-allow-origin"), reply.all("x-content-type-options")]).toEqual([
    413,
    [APP],
    ["nosniff"],
  ]);
  expect(reply.all("x-request-id").length).toBe(1);
  expect(reply.json).toMatchObject({ status: 413, detail: "the body is larger than 10 bytes" });
}

for (const protocol of PROTOCOLS) {
  const announced = { origin: APP, "content-length": String(LONG.length) };
  // The HTTP/1.1 client adds the length itself.
  const headers = protocol === "HTTP/1.1" ? { origin: APP } : announced;
  const send = (path: string): Promise<Reply> =>
    gateway.request(protocol, { method: "POST", path, headers, body: LONG });

  test(`over ${protocol} a script can read the response that its announced body is too long, with or without credentials`, async () => {
    // Twice: neither authentication nor the rate limit ran.
    for (let i = 0; i < 2; i++) {
      const reply = await send("/guarded/x");
      expectReadable(reply);
      expect(reply.header("x-route")).toBe("guarded");
    }
    expectReadable(await send("/nothing"));
    const bare = await send("/bare/x");
    expect([bare.status, bare.header("access-control-allow-origin")]).toEqual([413, undefined]);
    expect(origin.requests).toEqual([]);
  });
}

// For HTTP/1.1 with chunks see test/http1/rows/limits.ts.
for (const protocol of PROTOCOLS.slice(1)) {
  test(`over ${protocol} a script can read the response that its body of unknown length is too long`, async () => {
    const request = { method: "POST", path: "/open/x", headers: { origin: APP }, body: LONG };
    expectReadable(await gateway.request(protocol, request));
  });
}

test("over HTTP/1.1 a client that waits for 100 is refused before its body, and the connection ends", async () => {
  for (const expecting of ["Expect: 100-continue\r\n", ""]) {
    const client = await RawClient.open(gateway.plainPort);
    const head = `POST /open/x HTTP/1.1\r\nHost: localhost\r\nOrigin: ${APP}\r\nContent-Length: ${LONG.length}\r\n`;
    client.send(`${head}${expecting}\r\n`);
    const message = await client.response("POST");
    const told = Object.fromEntries(message.fields.map(([name, value]) => [name.toLowerCase(), value]));
    expect([statusOf(message), told["access-control-allow-origin"], told["connection"]]).toEqual([413, APP, "close"]);
    await client.closed();
    expect(client.rest()).toBe("");
  }
});

test("over HTTP/1.1 bytes within or after a refused body are not parsed as a request", async () => {
  const client = await RawClient.open(gateway.plainPort);
  const next = "GET /.healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send(`POST /open/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n${next}`);
  expect(statusOf(await client.response("POST"))).toBe(413);
  await client.closed();
  expect(client.rest()).toBe("");
});

test("over HTTP/2 the response comes before the body, and then the stream ends while others continue", async () => {
  const client = await Http2Client.ready(gateway.plainPort);
  client.send(
    post(1, "/open/x", [
      ["content-length", String(LONG.length)],
      ["origin", APP],
    ]),
  );
  const response = await client.response(1);
  expect([response.status, Object.fromEntries(response.fields)["access-control-allow-origin"]]).toEqual([413, APP]);
  client.send(post(3, "/open/x", [["content-length", String(LONG.length)]]));
  expect((await client.response(3)).status).toBe(413);
  client.destroy();
});
