/** `routes[].headers`: header fields that are set, added and removed. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { valuesOf } from "../support/message.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const auth = { type: "api_key", keys: [{ key: "k", name: "n" }] };
  const headers = {
    request: {
      set: [
        { name: "X-Set", value: "ours" },
        { name: "X-Both", value: "rule" },
      ],
      add: [
        { name: "X-Added", value: "1" },
        { name: "X-Added", value: "2" },
      ],
      remove: ["Cookie", "x-gone"],
    },
    response: {
      set: [{ name: "Cache-Control", value: "no-store" }],
      add: [{ name: "X-Added", value: "ours" }],
      remove: ["Server", "X-Powered-By", "X-Frame-Options"],
    },
  };
  gateway = await startProtocols({
    security_headers: {},
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "nobody", servers: [serverAt(1)] },
    ],
    routes: [
      {
        path_prefix: "/a/",
        upstream: "origin",
        headers,
        upstream_headers: [{ name: "X-Both", value: "upstream_headers" }],
      },
      { path_prefix: "/guarded/", upstream: "origin", headers, auth },
      { path_prefix: "/dead/", upstream: "nobody", headers },
      { path_prefix: "/bare/", upstream: "origin" },
    ],
  });
});

beforeEach(() => origin.reset());

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

for (const protocol of PROTOCOLS) {
  test(`over ${protocol} the header rules apply to the upstream request`, async () => {
    await gateway.request(protocol, {
      path: "/a/x",
      headers: [
        ["x-set", "1"],
        ["X-SET".toLowerCase(), "2"],
        ["cookie", "a=b"],
        ["x-gone", "1"],
        ["x-gone-not", "1"],
        ["x-added", "0"],
      ],
    });
    const request = await origin.until("the request", () => origin.requests[0]);
    expect(valuesOf(request, "x-set")).toEqual(["ours"]);
    expect(valuesOf(request, "x-both")).toEqual(["upstream_headers"]);
    expect(valuesOf(request, "cookie")).toEqual([]);
    expect(valuesOf(request, "x-gone")).toEqual([]);
    expect(valuesOf(request, "x-gone-not")).toEqual(["1"]);
    expect(valuesOf(request, "x-added")).toEqual(["0", "1", "2"]);
  });

  test(`over ${protocol} the header rules apply to the response, after all other policies`, async () => {
    origin.response = (_, connection) =>
      connection.send(
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nx-powered-by: PHP\r\nX-POWERED-BY: more\r\nX-Frame-Options: DENY\r\n" +
          "Cache-Control: public\r\nX-Added: theirs\r\nX-Server: kept\r\nTransfer-Encoding: chunked\r\n\r\n" +
          "2\r\nok\r\n0\r\nServer: trailer\r\n\r\n",
      );
    const reply = await gateway.request(protocol, { path: "/a/x" });
    expect(reply.text).toBe("ok");
    expect(["server", "x-powered-by", "x-frame-options"].map((name) => reply.header(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([reply.all("cache-control"), reply.all("x-added"), reply.header("x-server")]).toEqual([
      ["no-store"],
      ["theirs", "ours"],
      "kept",
    ]);
    // The rules do not apply to trailers.
    expect(reply.trailers.length).toBe(1);
    const bare = await gateway.request(protocol, { path: "/bare/x" });
    expect([bare.header("server"), bare.header("cache-control")]).toEqual(["nginx", "public"]);
  });

  test(`over ${protocol} the rules apply to errors and to responses of policies`, async () => {
    const dead = await gateway.request(protocol, { path: "/dead/x" });
    expect([dead.status, dead.header("cache-control"), dead.header("x-added")]).toEqual([502, "no-store", "ours"]);
    const refused = await gateway.request(protocol, { path: "/guarded/x" });
    expect([refused.status, refused.header("cache-control"), refused.header("x-added")]).toEqual([
      401,
      "no-store",
      "ours",
    ]);
    expect(origin.requests).toEqual([]);
  });
}

test("a WebSocket handshake keeps its own fields, and gets the fields of the rules", async () => {
  origin.response = (request, connection) => {
    const key = valuesOf(request, "sec-websocket-key")[0] ?? "";
    const accept = Bun.SHA1.hash(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, "base64");
    connection.send(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nServer: s\r\n\r\n`,
    );
  };
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.plainPort}/a/ws`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("Cannot open the WebSocket")));
  });
  const request = await origin.until("the handshake", () => origin.requests[0]);
  expect(valuesOf(request, "x-set")).toEqual(["ours"]);
  socket.terminate();
});
