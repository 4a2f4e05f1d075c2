/** Authentication of long-lived exchanges: WebSockets and gRPC calls. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { serverAt, startGateway } from "../support/gateway.ts";
import { fieldOf, type Http2Client } from "../support/http2-client.ts";
import { valuesOf } from "../support/message.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { Rig } from "../proxy/testing/rig.ts";
import { response, told, unary, WireRig } from "../grpc/testing/wire.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";
import { bearer, SECRET, token } from "./testing/tokens.ts";

const KEY = { type: "api_key", keys: [{ key: "the key", name: "alice" }] };
const JWT = { type: "jwt", secret: SECRET };

let service: RawOrigin;

beforeAll(async () => {
  service = await RawOrigin.start();
  service.response = (request, connection) => {
    const isAlice = valuesOf(request, "cookie").join() === "user=alice";
    const status = isAlice ? "200 OK\r\nX-Consumer-Name: alice" : "302 Found\r\nLocation: /login";
    connection.send(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  };
});

afterAll(async () => {
  await service.stop();
});

function asking(): object {
  return { type: "forward_auth", url: `http://127.0.0.1:${service.port}/`, headers_forward: ["Cookie"] };
}

test("a WebSocket opens only for authenticated clients", async () => {
  const origin = await TunnelOrigin.start();
  const rig = await Rig.start({
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      { path_prefix: "/ws", upstream: "origin", auth: { type: "chain", methods: [KEY, JWT] } },
      { path_prefix: "/asked", upstream: "origin", auth: asking() },
    ],
  });
  try {
    for (const kind of ["HTTP/1.1", "HTTP/2"] as const) {
      const open = kind === "HTTP/1.1" ? 101 : 200;
      for (const [path, fields, status] of [
        ["/ws", {}, 401],
        ["/ws", { "x-api-key": "wrong" }, 401],
        ["/ws?api_key=the%20key", {}, open],
        ["/ws", { "x-api-key": "the key" }, open],
        ["/ws", bearer(token({ sub: "alice" })), open],
        ["/ws", bearer(token({ sub: "alice", exp: 1 })), 401],
        ["/asked", {}, 302],
        ["/asked", { cookie: "user=alice" }, open],
      ] as const) {
        const opened = await openTunnel(kind, rig, { path, fields });
        expect([kind, path, fields, opened.status]).toEqual([kind, path, fields, status]);
        opened.destroy();
      }
    }
  } finally {
    await rig.stop();
    await origin.stop();
  }
});

test("disable_middleware does not turn off authentication", async () => {
  const origin = await RawOrigin.start();
  const gateway = await startGateway({
    server: { disable_middleware: true },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [{ path_prefix: "/", upstream: "origin", auth: KEY }],
  });
  try {
    const url = `http://127.0.0.1:${gateway.port}/x`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { "x-api-key": "the key" } })).status).toBe(200);
    expect(origin.summaries).toEqual(["GET /x"]);
  } finally {
    await gateway.stop();
    await origin.stop();
  }
});

test("a gRPC call passes for authenticated clients, and ends UNAUTHENTICATED for others", async () => {
  for (const [auth, fields, good] of [
    [KEY, ["x-api-key", "the key"], true],
    [KEY, ["x-api-key", "wrong"], false],
    [JWT, ["authorization", `Bearer ${token({ sub: "alice" })}`], true],
    [JWT, ["authorization", `Bearer ${token({ sub: "alice", nbf: 1e10 })}`], false],
    [asking(), ["cookie", "user=alice"], true],
    [asking(), ["cookie", "user=eve"], false],
  ] as const) {
    const wire = await WireRig.start({ route: { auth } });
    try {
      const client: Http2Client = await wire.client();
      unary(client, 1, [fields]);
      if (good) {
        const request = await wire.request();
        expect(fieldOf(request.fields, "x-consumer-name")).toBe("alice");
        response(request);
      }
      const { status, grpcStatus } = await told(client, 1);
      expect([auth, good, status, grpcStatus]).toEqual([auth, good, "200", good ? "0" : "16"]);
    } finally {
      await wire.stop();
    }
  }
});
