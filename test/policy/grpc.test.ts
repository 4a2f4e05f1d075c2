/** Policies that edit responses leave gRPC calls unchanged, except for the rules of the route. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { status } from "@grpc/grpc-js";
import { EchoClient, EchoServer } from "../grpc/testing/echo-service.ts";
import { TEST_CA } from "../support/certificates.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const HEADERS = {
  request: { set: [{ name: "x-echo", value: "rule" }], add: [], remove: [] },
  response: {
    set: [{ name: "Content-Type", value: "text/html" }],
    add: [{ name: "x-rule", value: "seen" }],
    remove: ["x-server", "x-trailer-bin"],
  },
};

let server: EchoServer;
let gateway: ProtocolGateway;
let client: EchoClient;

beforeAll(async () => {
  server = await EchoServer.start({ name: "one" });
  gateway = await startProtocols({
    security_headers: { csp: "default-src 'self'" },
    cors: { allow_origins: ["https://app.example.com"] },
    upstreams: [{ name: "echo", protocol: "h2c", servers: [{ address: "127.0.0.1", port: server.port }] }],
    routes: [{ path_prefix: "/", upstream: "echo", headers: HEADERS }],
  });
  client = new EchoClient(gateway.tlsPort, TEST_CA.cert);
});

afterAll(async () => {
  client.close();
  server.stop();
  await gateway.stop();
});

/** Names that no response to a call has. */
function strangers(names: Iterable<string>): string[] {
  return [...names].filter((name) => /^(?:vary|access-control-|strict-|content-security|x-frame|referrer)/.test(name));
}

test("a call has its type, its trailers and its status, and the fields of header rules", async () => {
  const bytes = Buffer.from([0, 1, 0xff]);
  const metadata = { origin: "https://app.example.com", "x-echo-bin": [bytes] };
  const outcome = await client.unary("hello", { metadata }).outcome;
  expect([outcome.code, outcome.messages.map(String)]).toEqual([status.OK, ["hello"]]);
  expect(server.calls[0]?.metadata.get("x-echo")).toEqual(["rule"]);
  expect(outcome.metadata.get("x-rule")).toEqual(["seen"]);
  expect(outcome.metadata.get("x-server")).toEqual([]);
  // The trailers are the server's own.
  expect(outcome.trailers.get("x-trailer-bin")).toEqual([bytes]);
  expect(strangers(Object.keys(outcome.metadata.getMap()))).toEqual([]);
});

test("a failed call keeps its status and its details", async () => {
  const outcome = await client.unary("fail 9 why").outcome;
  expect([outcome.code, outcome.details]).toEqual([status.FAILED_PRECONDITION, "why"]);
  expect(strangers(Object.keys(outcome.trailers.getMap()))).toEqual([]);
});

for (const protocol of PROTOCOLS.slice(1)) {
  test(`over ${protocol} a response to a call has no fields for browsers`, async () => {
    const headers = { "content-type": "application/grpc", te: "trailers", origin: "https://app.example.com" };
    const body = Buffer.from([0, 0, 0, 0, 0]);
    const reply = await gateway.request(protocol, { method: "POST", path: "/absent.Service/Call", headers, body });
    expect([reply.status, reply.header("content-type"), reply.header("x-rule")]).toEqual([
      200,
      "application/grpc+proto",
      "seen",
    ]);
    expect(strangers(reply.headers.map(([name]) => name))).toEqual([]);
    const codes = [...reply.headers, ...reply.trailers].filter(([name]) => name === "grpc-status");
    expect(codes.map(([, value]) => value)).toEqual([String(status.UNIMPLEMENTED)]);
  });
}
