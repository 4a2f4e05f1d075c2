/** The flow of a call's messages: which parts pass, and when. */
/* oxlint-disable eslint/no-await-in-loop -- what is tested comes one after the other */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { Http3Client } from "../support/http3-client.ts";
import { fieldOf, post } from "../support/http2-client.ts";
import { Rig } from "../proxy/testing/rig.ts";
import { response, begin, end, GRPC_TYPE, message, told, unary, WireRig } from "./testing/wire.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let wire: WireRig;

beforeEach(async () => {
  wire = await WireRig.start();
});

afterEach(async () => {
  await wire.rig.settled();
  expect([wire.rig.logged, wire.origin.faults]).toEqual([[], []]);
  await wire.stop();
});

test("the server learns that the client accepts trailers, and gets the call's fields unchanged", async () => {
  const client = await wire.client();
  const own = [
    ["grpc-timeout", "5S"],
    ["grpc-encoding", "identity"],
    ["x-key", "a"],
    ["x-key", "b"],
    ["x-key-bin", "AAEC/w"],
    ["user-agent", "grpc-test/1"],
  ] as const;
  unary(client, 1, own);
  const request = await wire.request();
  expect(request.fields.filter(([name]) => name === "te")).toEqual([["te", "trailers"]]);
  expect(request.fields.filter(([name]) => own.some(([mine]) => mine === name))).toEqual([...own]);
  expect(request.field("content-type")).toBe("application/grpc");
  response(request);
  await told(client, 1);
});

test("te is sent for every content type of gRPC, and for no other", async () => {
  const client = await wire.client();
  const types = [
    ["application/grpc", "trailers"],
    ["application/grpc+proto", "trailers"],
    ["application/grpc;charset=utf-8", "trailers"],
    ["Application/GRPC", "trailers"],
    ["application/grpc-web", ""],
    ["application/grpc-web+proto", ""],
    ["application/grpcx", ""],
    ["application/json", ""],
  ] as const;
  wire.origin.onRequest = (request) => request.response(200, "");
  for (const [index, [type]] of types.entries()) {
    client.send(post(index * 2 + 1, `/test.Echo/${index}`, [["content-type", type]]));
    client.send(h2.data(index * 2 + 1, "", h2.END_STREAM));
  }
  const requests = await Promise.all(types.map((_, index) => wire.request(`/test.Echo/${index}`)));
  expect(requests.map((request) => [request.field("content-type"), request.field("te")])).toEqual(
    types.map(([type, te]) => [type, te]),
  );
});

test("messages pass at once in both directions, before either side has ended", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  request.head(200, [GRPC_TYPE]);
  for (let i = 0; i < 5; i++) {
    client.send(h2.data(1, message(`up ${i}`)));
    await wire.origin.until(`message ${i}`, () => (request.body.includes(`up ${i}`) ? true : undefined));
    request.data(message(`down ${i}`));
    await client.sees(`message ${i}`, ({ type, payload }) => type === h2.DATA && payload.includes(`down ${i}`));
  }
  client.send(h2.data(1, "", h2.END_STREAM));
  await wire.origin.until("the end", () => (request.ended ? true : undefined));
  end(request, "0", [["x-trailer-bin", "AAEC"]]);
  const { status, grpcStatus, trailersOnly } = await told(client, 1);
  expect([status, grpcStatus, trailersOnly]).toEqual(["200", "0", false]);
  expect(fieldOf((await client.response(1)).trailers, "x-trailer-bin")).toBe("AAEC");
});

test("the server's header section arrives before any message", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  request.head(200, [GRPC_TYPE, ["x-first", "1"]]);
  const head = await client.sees("the head", ({ type }) => type === h2.HEADERS);
  expect(fieldOf(head.fields, "x-first")).toBe("1");
  client.send(h2.data(1, "", h2.END_STREAM));
  end(request);
  await told(client, 1);
});

test("a trailers-only response stays so, without a content-length", async () => {
  const client = await wire.client();
  unary(client, 1);
  const request = await wire.request();
  request.head(200, [GRPC_TYPE, ["grpc-status", "7"], ["grpc-message", "no%20way"], ["x-more", "1"]], h2.END_STREAM);
  const { head, ...rest } = await told(client, 1);
  expect(rest).toEqual({ status: "200", grpcStatus: "7", message: "no%20way", trailersOnly: true, body: "" });
  expect([fieldOf(head, "x-more"), fieldOf(head, "content-length")]).toEqual(["1", undefined]);
});

test("a server that ends while the client still sends ends the call on both sides, with NO_ERROR", async () => {
  const client = await wire.client();
  begin(client, 1);
  client.send(h2.data(1, message("one")));
  const request = await wire.request();
  response(request);
  // RFC 9113 §8.1: the response is whole, and the server wants no more.
  request.reset(h2.NO_ERROR);
  expect((await told(client, 1)).grpcStatus).toBe("0");
  client.send(h2.data(1, message("two")));
  expect(await client.resetCode(1)).toBe(h2.NO_ERROR);
  unary(client, 3, [], "/test.Echo/Next");
  response(await wire.request("/test.Echo/Next"));
  expect((await told(client, 3)).grpcStatus).toBe("0");
  expect(wire.origin.connections.length).toBe(1);
});

test("a client's cancel resets the server's stream, and nothing else", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  unary(client, 3, [], "/test.Echo/Other");
  const other = await wire.request("/test.Echo/Other");
  client.send(h2.reset(1, h2.CANCEL));
  await wire.origin.until("the reset", () => request.resetCode);
  expect(request.resetCode).toBe(h2.CANCEL);
  response(other);
  expect((await told(client, 3)).grpcStatus).toBe("0");
  expect(await wire.rig.page()).toContain('turnpike_grpc_responses_total{code="1"} 1');
});

test("a header section above the server's limit is not sent, and the connection serves the other calls", async () => {
  const client = await wire.client();
  wire.origin.settings = [[h2.MAX_HEADER_LIST_SIZE, 2000]];
  unary(client, 1, [], "/test.Echo/First");
  response(await wire.request("/test.Echo/First"));
  expect((await told(client, 1)).grpcStatus).toBe("0");
  unary(client, 3, [["x-large", "x".repeat(2000)]]);
  const refused = await told(client, 3);
  expect([refused.status, refused.grpcStatus]).toEqual(["200", "8"]);
  unary(client, 5, [["x-small", "x".repeat(800)]], "/test.Echo/Next");
  response(await wire.request("/test.Echo/Next"));
  expect((await told(client, 5)).grpcStatus).toBe("0");
  expect([wire.origin.connections.length, wire.origin.requests.length]).toEqual([1, 2]);
  expect((await wire.rig.counts("origin")).failures).toBe(0);
});

test("a stream whose client opens no window pauses its server, and no other stream", async () => {
  const client = await wire.client([h2.INITIAL_WINDOW_SIZE, 16_384]);
  begin(client, 1);
  const slow = await wire.request();
  slow.head(200, [GRPC_TYPE]);
  slow.connection.opensWindows = true;
  const filling = message("x".repeat(16_379));
  // As much as the gateway's flow control allows: 256 KiB.
  for (let i = 0; i < 16; i++) slow.data(filling);
  await client.sees("the window's worth", () => client.received(1) === 16_384);
  for (let id = 3; id < 43; id += 2) unary(client, id, [], `/test.Echo/${id}`);
  for (let id = 3; id < 43; id += 2) {
    response(await wire.request(`/test.Echo/${id}`));
    expect((await told(client, id)).grpcStatus).toBe("0");
  }
  expect(client.received(1)).toBe(16_384);
  client.send(h2.windowUpdate(0, 1_000_000), h2.windowUpdate(1, 1_000_000), h2.data(1, "", h2.END_STREAM));
  end(slow);
  expect((await told(client, 1)).body.length).toBe(16 * 16_384);
});

test("calls over HTTP/3 have their messages, their trailers and their errors", async () => {
  const { origin } = wire;
  const rig = await Rig.start({
    quic: true,
    upstreams: [{ name: "origin", protocol: "h2c", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/test.Echo/", upstream: "origin" }],
  });
  const client = await Http3Client.connect(rig.quicPort);
  const call = async (path: string): Promise<unknown[]> => {
    const { headers, body, trailers } = await client.request("POST", path, message("hello"), {
      "content-type": "application/grpc",
    });
    const status = trailers?.["grpc-status"] ?? headers["grpc-status"];
    return [headers[":status"], body.toString("latin1"), trailers !== undefined, status];
  };
  try {
    origin.onRequest = (request) => response(request, "0");
    expect(await call("/test.Echo/Call")).toEqual(["200", message("hi").toString("latin1"), true, "0"]);
    const [request] = origin.requests;
    expect([request?.field("te"), request?.body]).toEqual(["trailers", message("hello")]);
    origin.onRequest = ({ connection }) => connection.reset();
    expect(await call("/test.Echo/Call")).toEqual(["200", "", false, "14"]);
    expect(await call("/nowhere")).toEqual(["200", "", false, "12"]);
    expect(await call("/test.Echo/a%2Fb")).toEqual(["200", "", false, "3"]);
    origin.onRequest = (cut) => {
      cut.head(200, [GRPC_TYPE]);
      cut.data(message("half"));
      cut.reset(h2.ENHANCE_YOUR_CALM);
    };
    expect(await call("/test.Echo/Call")).toEqual(["200", message("half").toString("latin1"), true, "8"]);
  } finally {
    client.close();
    await rig.stop();
  }
});
