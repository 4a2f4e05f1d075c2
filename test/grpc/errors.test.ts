/** The errors that clients get for failed calls, whether client, gateway or server caused them. */
/* oxlint-disable eslint/no-await-in-loop -- what is tested comes one after the other */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { fieldOf, Http2Client, post } from "../support/http2-client.ts";
import { until } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { type OriginRequest } from "../proxy/testing/http2-origin.ts";
import { Rig } from "../proxy/testing/rig.ts";
import { response, begin, end, GRPC_TYPE, message, type Told, told, unary, WireRig } from "./testing/wire.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let wire: WireRig | undefined;

afterEach(async () => {
  await wire?.rig.settled();
  expect([wire?.rig.logged ?? [], wire?.origin.faults ?? []]).toEqual([[], []]);
  await wire?.stop();
  wire = undefined;
});

async function serve(
  options: Parameters<typeof WireRig.start>[0] = {},
): Promise<{ wire: WireRig; client: Http2Client }> {
  wire = await WireRig.start(options);
  return { wire, client: await wire.client() };
}

function outlineOf({ status, grpcStatus, trailersOnly, body }: Told): unknown[] {
  return [status, grpcStatus, trailersOnly, body];
}

describe.each([false, true])("the gateway's own errors, preencoded: %p", (preencoded) => {
  const server = { address: "127.0.0.1", port: 0, preencoded, allowed_hosts: ["a.test"] };
  const limits = { max_body_bytes: 1000, max_header_bytes: 8192 };

  test("are trailers alone, with HTTP status 200", async () => {
    const { wire: rig, client } = await serve({ more: { server, limits } });
    const cases: readonly (readonly [
      path: string,
      more: readonly (readonly [string, string])[],
      status: string,
      text: string,
    ])[] = [
      ["/nowhere", [], "12", "no route serves this path"],
      ["/metrics", [], "12", "GET"],
      ["/test.Echo/a%2Fb", [], "3", "the path holds"],
      ["/test.Echo/Call", [["content-length", "2000"]], "8", "the body is larger than 1000 bytes"],
      ["/test.Echo/Call", [["expect", "something"]], "3", "100-continue"],
      ["/test.Echo/Call", [["x-large", "x".repeat(9000)]], "8", "larger than this server allows"],
    ];
    for (const [index, [path, more, status, text]] of cases.entries()) {
      const id = index * 2 + 1;
      begin(client, id, more, path);
      const outcome = await told(client, id);
      expect([path, ...outlineOf(outcome)]).toEqual([path, "200", status, true, ""]);
      expect(outcome.message).toContain(text);
      expect(fieldOf(outcome.head, "content-type")).toBe("application/grpc");
      expect(fieldOf(outcome.head, "content-length")).toBe(undefined);
      expect(fieldOf(outcome.head, "x-request-id")).not.toBe(undefined);
      expect(rig.origin.requests.length).toBe(0);
    }
  });

  test("are problem documents for all other clients", async () => {
    const { client } = await serve({ more: { server, limits } });
    client.send(post(1, "/nowhere", [["content-type", "application/grpc-web"]]), h2.data(1, "", h2.END_STREAM));
    const found = await client.response(1);
    expect([found.status, fieldOf(found.fields, "content-type")]).toEqual([404, "application/problem+json"]);
  });

  test("end a call with RESOURCE_EXHAUSTED if one of its messages is too large", async () => {
    const { wire: rig, client } = await serve({ more: { server, limits } });
    begin(client, 1);
    const request = await rig.request();
    client.send(h2.data(1, message("x".repeat(600))), h2.data(1, message("x".repeat(1001))));
    expect(outlineOf(await told(client, 1))).toEqual(["200", "8", true, ""]);
    await rig.origin.until("the reset", () => request.resetCode);
  });
});

test("an unreachable upstream is UNAVAILABLE, and 502 for all other clients", async () => {
  const { wire: rig, client } = await serve();
  await rig.origin.stop();
  unary(client, 1);
  const outcome = await told(client, 1);
  expect([...outlineOf(outcome), outcome.message]).toEqual([
    "200",
    "14",
    true,
    "",
    "the upstream refused the connection",
  ]);
  client.send(post(3, "/test.Echo/Call"), h2.data(3, "", h2.END_STREAM));
  expect((await client.response(3)).status).toBe(502);
});

test("a response that is not gRPC gets a status by gRPC's table, and its rest is not read", async () => {
  const { wire: rig, client } = await serve();
  const cases = [
    [400, "13"],
    [401, "16"],
    [403, "7"],
    [404, "12"],
    [418, "2"],
    [429, "14"],
    [500, "2"],
    [502, "14"],
    [503, "14"],
    [504, "14"],
    [200, "2"],
    [302, "2"],
  ] as const;
  for (const [index, [status, expected]] of cases.entries()) {
    const id = index * 2 + 1;
    unary(client, id, [], `/test.Echo/${status}`);
    const request = await rig.request(`/test.Echo/${status}`);
    request.head(status, [
      ["content-type", "text/html"],
      ["content-encoding", "br"],
      ["www-authenticate", "Basic"],
    ]);
    request.data("<html>");
    const outcome = await told(client, id);
    expect([status, ...outlineOf(outcome)]).toEqual([status, "200", expected, true, ""]);
    expect(outcome.message).toContain(String(status));
    const kept = ["content-type", "content-encoding", "www-authenticate"].map((name) => fieldOf(outcome.head, name));
    expect(kept).toEqual(["application/grpc", undefined, "Basic"]);
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
  }
});

/** Policies that see the response to every call. */
const EDITING = {
  route: { headers: { response: { set: [{ name: "x-rule", value: "seen" }], add: [], remove: ["server"] } } },
  more: {
    security_headers: { csp: "default-src 'self'" },
    cors: { allow_origins: ["https://app.example.com"] },
    compression: { enabled: true },
  },
};

test("with policies that edit responses, a trailers-only error stays trailers-only, and the rest of a response that is not gRPC is not read", async () => {
  const { wire: rig, client } = await serve(EDITING);
  const asked = [["accept-encoding", "gzip"]] as const;
  unary(client, 1, asked);
  (await rig.request()).head(200, [GRPC_TYPE, ["grpc-status", "9"], ["grpc-message", "why"]], h2.END_STREAM);
  const failed = await told(client, 1);
  expect([...outlineOf(failed), failed.message]).toEqual(["200", "9", true, "", "why"]);
  expect(fieldOf(failed.head, "x-rule")).toBe("seen");
  for (const [id, type] of [
    [3, "text/html"],
    [5, "image/png"],
  ] as const) {
    const path = `/test.Echo/${id}`;
    unary(client, id, asked, path);
    const request = await rig.request(path);
    request.head(503, [["content-type", type]]);
    request.data("x".repeat(2000));
    expect(outlineOf(await told(client, id))).toEqual(["200", "14", true, ""]);
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
  }
});

test("a trailers-only response with an HTTP status other than 200 is still a gRPC error", async () => {
  const { wire: rig, client } = await serve();
  unary(client, 1);
  (await rig.request()).head(400, [GRPC_TYPE, ["grpc-status", "13"], ["grpc-message", "bad frame"]], h2.END_STREAM);
  const outcome = await told(client, 1);
  expect([...outlineOf(outcome), outcome.message]).toEqual(["200", "13", true, "", "bad frame"]);
});

const RESETS = [
  [0x0, "13"],
  [0x1, "13"],
  [0x2, "13"],
  [0x3, "13"],
  [0x8, "1"],
  [0xb, "8"],
  [0xc, "7"],
  [0xd, "13"],
] as const;

/** A server that resets streams has failures counted, and would leave the rotation without a response in between. */
async function succeed(rig: WireRig, client: Http2Client, id: number): Promise<void> {
  unary(client, id, [], `/test.Echo/${id}`);
  response(await rig.request(`/test.Echo/${id}`));
  await told(client, id);
}

test("a stream that the server resets before its response has the status of gRPC's table", async () => {
  const { wire: rig, client } = await serve();
  for (const [index, [code, expected]] of RESETS.entries()) {
    const id = index * 4 + 1;
    unary(client, id, [], `/test.Echo/reset${code}`);
    (await rig.request(`/test.Echo/reset${code}`)).reset(code);
    expect([code, ...outlineOf(await told(client, id))]).toEqual([code, "200", expected, true, ""]);
    await succeed(rig, client, id + 2);
  }
});

test("a stream that the server resets during its response ends with trailers", async () => {
  const { wire: rig, client } = await serve();
  for (const [index, [code, expected]] of ([...RESETS, [h2.REFUSED_STREAM, "14"]] as const).entries()) {
    const id = index * 4 + 1;
    unary(client, id, [], `/test.Echo/cut${code}`);
    const request = await rig.request(`/test.Echo/cut${code}`);
    request.head(200, [GRPC_TYPE]);
    request.data(message("half"));
    await client.sees("the message", ({ type, streamId }) => type === h2.DATA && streamId === id);
    request.reset(code);
    const outcome = await told(client, id);
    expect([code, ...outlineOf(outcome)]).toEqual([code, "200", expected, false, message("half").toString("latin1")]);
    expect(outcome.message).toContain("the upstream gave the request up");
    await succeed(rig, client, id + 2);
  }
});

test("a connection that is lost during a response ends the call UNAVAILABLE, in trailers", async () => {
  const { wire: rig, client } = await serve();
  unary(client, 1);
  const request = await rig.request();
  request.head(200, [GRPC_TYPE]);
  request.data(message("half"));
  await client.sees("the message", ({ type, streamId }) => type === h2.DATA && streamId === 1);
  request.connection.reset();
  expect(outlineOf(await told(client, 1))).toEqual(["200", "14", false, message("half").toString("latin1")]);
});

test("a response with a message above max_response_bytes ends with RESOURCE_EXHAUSTED", async () => {
  const { wire: rig, client } = await serve({ route: { max_response_bytes: 1000 } });
  unary(client, 1);
  const request = await rig.request();
  request.head(200, [GRPC_TYPE]);
  request.data(message("x".repeat(600)));
  request.data(message("x".repeat(1001)));
  const outcome = await told(client, 1);
  expect([outcome.status, outcome.grpcStatus, outcome.trailersOnly]).toEqual(["200", "8", false]);
  expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
});

test("a failed call of a client without gRPC has the HTTP status for its gRPC status", async () => {
  const { wire: rig, client } = await serve();
  const cases = [
    ["0", 200],
    ["1", 499],
    ["3", 400],
    ["4", 504],
    ["5", 404],
    ["7", 403],
    ["8", 429],
    ["12", 501],
    ["13", 500],
    ["14", 503],
    ["16", 401],
    ["77", 500],
  ] as const;
  for (const [index, [status, expected]] of cases.entries()) {
    const id = index * 2 + 1;
    client.send(
      post(id, `/test.Echo/${status}`, [["content-type", "application/json"]]),
      h2.data(id, "{}", h2.END_STREAM),
    );
    const request = await rig.request(`/test.Echo/${status}`);
    request.head(200, [GRPC_TYPE, ["grpc-status", status]], h2.END_STREAM);
    const found = await client.response(id);
    expect([status, found.status, fieldOf(found.fields, "grpc-status")]).toEqual([status, expected, status]);
  }
});

test("an upstream with HTTP/1.1 gets a call like any request, and the client gets a gRPC status for its response", async () => {
  const origin = await RawOrigin.start();
  const rig = await Rig.start({
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  });
  const client = await Http2Client.ready(rig.port);
  try {
    origin.response = (_request, { socket }) => {
      socket.write("HTTP/1.1 415 Unsupported Media Type\r\nContent-Length: 3\r\n\r\nno!");
    };
    unary(client, 1);
    expect(outlineOf(await told(client, 1))).toEqual(["200", "2", true, ""]);
    origin.response = (_request, { socket }) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n");
      socket.write("7\r\n\0\0\0\0\x02hi\r\n0\r\ngrpc-status: 5\r\n\r\n");
    };
    unary(client, 3);
    expect(outlineOf(await told(client, 3))).toEqual(["200", "5", false, message("hi").toString("latin1")]);
  } finally {
    client.destroy();
    await rig.stop();
    await origin.stop();
  }
});

describe("a paid route", () => {
  const { price, asset, network, pay_to } = TERMS;
  const paid = {
    route: { x402: { price, asset, network, pay_to } },
    more: { x402: { enabled: true, test_mode: true, mpp: {} } },
  };

  test("responds to a call with its payment requirements, as FAILED_PRECONDITION", async () => {
    const { wire: rig, client } = await serve(paid);
    unary(client, 1);
    const outcome = await told(client, 1);
    expect(outlineOf(outcome)).toEqual(["200", "9", true, ""]);
    expect(fieldOf(outcome.head, "payment-required")).not.toBe(undefined);
    expect(rig.origin.requests.length).toBe(0);
  });

  test("charges for successful calls, and for no failed call, whenever the call fails", async () => {
    const { wire: rig, client } = await serve(paid);
    const failures: readonly ((request: OriginRequest) => void)[] = [
      (request) => response(request, "5"),
      (request) => request.head(200, [GRPC_TYPE, ["grpc-status", "5"]], h2.END_STREAM),
      (request) => request.response(404, "no"),
      (request) => request.reset(h2.CANCEL),
      (request) => {
        request.head(200, [GRPC_TYPE]);
        request.data(message("half"));
        request.reset(h2.CANCEL);
      },
    ];
    const [name, value] = ["payment-signature", encodeHeader(signedPayment(Date.now() / 1000))] as const;
    for (const [index, fail] of failures.entries()) {
      const path = `/test.Echo/Failed${index}`;
      unary(client, index * 2 + 1, [[name, value]], path);
      fail(await rig.request(path));
      const outcome = await told(client, index * 2 + 1);
      expect(outcome.grpcStatus).not.toBe("0");
      expect(fieldOf(outcome.head, "payment-response")).toBe(undefined);
    }
    // The same payment can still be used.
    unary(client, 101, [[name, value]]);
    response(await rig.request());
    const outcome = await told(client, 101);
    expect([outcome.grpcStatus, outcome.body]).toEqual(["0", message("hi").toString("latin1")]);
    expect(fieldOf(outcome.head, "payment-response")).not.toBe(undefined);
  });

  test("refuses a payment with the status and the reason of the refusal", async () => {
    const { wire: rig, client } = await serve(paid);
    const name = "payment-signature";
    const payment = encodeHeader(signedPayment(Date.now() / 1000));
    unary(client, 1, [[name, payment]]);
    response(await rig.request());
    await told(client, 1);
    unary(client, 3, [[name, payment]], "/test.Echo/Other");
    const spent = await told(client, 3);
    expect([spent.grpcStatus, spent.message]).toEqual([
      "10",
      expect.stringContaining("made for a request with another"),
    ]);
    unary(client, 5, [[name, "none"]]);
    const unreadable = await told(client, 5);
    expect([unreadable.grpcStatus, unreadable.message]).toEqual(["3", expect.stringContaining("PAYMENT-SIGNATURE")]);
    unary(client, 7, [["authorization", "Payment none"]]);
    const malformed = await told(client, 7);
    expect([malformed.grpcStatus, malformed.message]).toEqual(["9", expect.stringContaining("credential")]);
    unary(client, 9);
    const unpaid = await told(client, 9);
    expect([unpaid.grpcStatus, unpaid.message]).toEqual(["9", expect.stringContaining("This costs")]);
  });
});

test("a call that its server ends without a status fails, and stays owed if it is paid for in advance", async () => {
  const { price, asset, network, pay_to } = TERMS;
  const { wire: rig, client } = await serve({
    route: { x402: { price, asset, network, pay_to, settle: "before" } },
    more: { x402: { enabled: true, test_mode: true } },
  });
  const payment = signedPayment(Date.now() / 1000);
  const accepted = { ...payment.accepted, extra: { ...payment.accepted.extra, paymentFlow: "upfront" } };
  const paid = [["payment-signature", encodeHeader({ ...payment, accepted })]] as const;
  unary(client, 1, paid);
  const first = await rig.request();
  first.head(200, [GRPC_TYPE]);
  first.data(message("half"), h2.END_STREAM);
  const { grpcStatus, message: why } = await told(client, 1);
  expect([grpcStatus, why]).toEqual(["2", "the upstream ended the call without a status"]);
  unary(client, 3, paid);
  (await rig.request("/test.Echo/Call", 1)).head(200, [GRPC_TYPE], h2.END_STREAM);
  const { head: _head, message: _why, ...second } = await told(client, 3);
  expect(second).toEqual({ status: "200", grpcStatus: "2", trailersOnly: true, body: "" });
  unary(client, 5, paid);
  response(await rig.request("/test.Echo/Call", 2));
  const again = await told(client, 5);
  expect([again.grpcStatus, again.body]).toEqual(["0", message("hi").toString("latin1")]);
});

test("calls are counted by their status", async () => {
  const { wire: rig, client } = await serve();
  unary(client, 1);
  response(await rig.request());
  await told(client, 1);
  unary(client, 3, [], "/test.Echo/Failed");
  response(await rig.request("/test.Echo/Failed"), "5");
  await told(client, 3);
  unary(client, 5, [], "/test.Echo/Odd");
  const odd = await rig.request("/test.Echo/Odd");
  odd.head(200, [GRPC_TYPE]);
  end(odd, "99");
  await told(client, 5);
  unary(client, 7, [], "/nowhere");
  await told(client, 7);
  const counts = async (): Promise<string[]> => {
    const page = await rig.rig.page();
    return [...page.matchAll(/^turnpike_grpc_responses_total{code="(\w+)"} ([1-9]\d*)$/gm)].map(
      ([, code, count]) => `${code}: ${count}`,
    );
  };
  await until("the counts", async () => ((await counts()).length === 4 ? true : undefined));
  expect(await counts()).toEqual(["0: 1", "5: 1", "12: 1", "other: 1"]);
});
