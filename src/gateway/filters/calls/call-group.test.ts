/** Calls of filters by http_call to real servers: working, slow, broken and hostile ones. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type CallGroup, type HttpCallOutcome, type Pairs } from "./call.ts";
import { until } from "../../../lib/testing/until.ts";
import { RawOrigin } from "../../../../test/support/raw-origin.ts";
import { type CallRig, get, post, startCallRig } from "../../../../test/filters/testing/call-rig.ts";

const MAX_CALL_BODY_BYTES = 1_048_576;
const MAX_CALL_FIELD_BYTES = 65_536;
const MAX_CALL_FIELDS = 256;
const MAX_CALLS_A_FILTER = 512;
const MAX_CALLS_A_STREAM = 32;
const MAX_CALLS_A_WORKER = 2048;

const NOTHING = new Uint8Array(0);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

let origin: RawOrigin;
let rig: CallRig;

beforeAll(async () => {
  origin = await RawOrigin.start();
  // A port that refuses connections: it was in use until now.
  const gone = await RawOrigin.start();
  await gone.stop();
  rig = startCallRig({ raw: [origin.port, "http1"], gone: [gone.port, "http1"] });
});

afterAll(async () => {
  rig.stop();
  await origin.stop();
});

afterEach(async () => {
  await until(() => rig.held === 0 && rig.calls.size === 0, 5000, "calls that hold nothing once they are over");
  expect(rig.errors).toEqual([]);
  expect(origin.errors).toEqual([]);
  origin.reset();
});

interface Asked {
  readonly fields: Pairs;
  readonly upstream?: string;
  readonly body?: Uint8Array;
  readonly trailers?: Pairs;
  readonly timeoutMs?: number;
}

/** Makes a call, and waits for its result. */
function call(asked: Asked, group: CallGroup = rig.group): Promise<HttpCallOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpCallOutcome>();
  let isInside = true;
  const made = group.http({ upstream: "raw", body: NOTHING, trailers: [], timeoutMs: 5000, ...asked }, (outcome) =>
    isInside ? reject(new Error("told from within")) : resolve(outcome),
  );
  isInside = false;
  if (typeof made === "string") reject(new Error(made));
  return promise;
}

function refusal(asked: Asked, group: CallGroup = rig.group): unknown {
  return group.http({ upstream: "raw", body: NOTHING, trailers: [], timeoutMs: 5000, ...asked }, () => {
    throw new Error("told of a call that was refused");
  });
}

function failure(outcome: HttpCallOutcome): string {
  return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
}

test("a call returns the whole response: status, fields, body and trailers", async () => {
  origin.response = (_request, connection) =>
    connection.send(
      "HTTP/1.1 201 Created\r\nX-One: 1\r\nX-One: 2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n",
    );
  const outcome = await call({ fields: post("/check?deep=1", ["x-user", "ann"]), body: Buffer.from("the body") });
  if (outcome.kind === "failed") throw outcome.error;
  // The client connection adds a missing Date.
  expect(outcome.fields.filter(([name]) => name !== "date")).toEqual([
    [":status", "201"],
    ["x-one", "1"],
    ["x-one", "2"],
  ]);
  expect(text(outcome.body)).toBe("abcde");
  expect(outcome.trailers).toEqual([["x-sum", "5"]]);
  const [request] = origin.requests;
  expect(request?.startLine).toBe("POST /check?deep=1 HTTP/1.1");
  expect(request?.body).toBe("the body");
  expect(request?.raw).toContain("\r\nHost: auth.example\r\n");
  expect(request?.raw).toContain("\r\nx-user: ann\r\n");
});

test("a call for a request carries its id, and no address of its client", async () => {
  await call({ fields: get("/") }, rig.stream());
  const [request] = origin.requests;
  expect(request?.raw).toContain("X-Request-Id: the-request\r\n");
  expect(request?.raw).not.toContain("192.0.2.1");
});

test("fields for framing and hop-by-hop fields come from the gateway, not from a filter", async () => {
  const smuggled: Pairs = [
    ["Content-Length", "0"],
    ["transfer-encoding", "chunked"],
    ["Transfer_Encoding", "chunked"],
    ["connection", "close, X-Hop"],
    ["x-hop", "1"],
    ["te", "trailers"],
    ["upgrade", "websocket"],
    ["expect", "100-continue"],
    ["keep-alive", "1"],
    ["trailer", "x"],
    ["proxy-connection", "x"],
    ["x-request-id", "mine"],
    ["via", "1.1 nobody"],
    ["x-kept", "yes"],
  ];
  const outcome = await call({ fields: post("/", ...smuggled), body: Buffer.from("GET /second HTTP/1.1\r\n\r\n") });
  expect(outcome.kind).toBe("response");
  expect(origin.requests).toHaveLength(1);
  const head = origin.requests[0]?.raw.toLowerCase() ?? "";
  expect(head).toContain("content-length: 24\r\n");
  expect(head).toContain("x-kept: yes\r\n");
  for (const name of ["transfer", "x-hop", "te:", "upgrade", "expect", "keep-alive", "trailer", "proxy-", "mine"]) {
    expect(head).not.toContain(name);
  }
});

test("trailers follow the chunks, and fields that control HTTP are left out", async () => {
  const trailers: Pairs = [
    ["x-sum", "5"],
    ["content-length", "7"],
    ["authorization", "x"],
  ];
  await call({ fields: post("/"), body: Buffer.from("hello"), trailers });
  expect(origin.requests[0]?.raw).toEndWith("5\r\nhello\r\n0\r\nx-sum: 5\r\n\r\n");
});

test("a call with an empty :authority has the server's own name as its Host", async () => {
  const outcome = await call({ fields: [...WITHOUT(":authority"), [":authority", ""]] });
  expect(outcome.kind).toBe("response");
  expect(origin.requests[0]?.raw).toContain(`\r\nHost: 127.0.0.1:${origin.port}\r\n`);
});

const WITHOUT = (name: string): Pairs => get("/").filter(([one]) => one !== name);
const REFUSED: Readonly<Record<string, readonly [Partial<Asked>, string]>> = {
  "no :method": [{ fields: WITHOUT(":method") }, "bad-request"],
  "no :path": [{ fields: WITHOUT(":path") }, "bad-request"],
  "no :authority": [{ fields: WITHOUT(":authority") }, "bad-request"],
  "an unknown pseudo-header": [{ fields: get("/", [":protocol", "websocket"]) }, "bad-request"],
  "two paths": [{ fields: get("/", [":path", "/other"]) }, "bad-request"],
  CONNECT: [{ fields: [[":method", "CONNECT"], ...WITHOUT(":method")] }, "bad-request"],
  "a method with a space": [{ fields: [[":method", "GET /x HTTP/1.1\r\n"], ...WITHOUT(":method")] }, "bad-request"],
  "a path with a space": [{ fields: get("/a b") }, "bad-request"],
  "a path with a line end": [{ fields: get("/ HTTP/1.1\r\nX: y\r\n") }, "bad-request"],
  "a path that is a URL": [{ fields: get("http://other/") }, "bad-request"],
  "an authority with a path": [{ fields: [...WITHOUT(":authority"), [":authority", "a/b"] as const] }, "bad-request"],
  "a value with a line end": [{ fields: get("/", ["x", "a\r\nContent-Length: 5"]) }, "bad-request"],
  "a value with a NUL": [{ fields: get("/", ["x", "a\0b"]) }, "bad-request"],
  "a name with a colon": [{ fields: get("/", ["x: y\r\nz", "1"]) }, "bad-request"],
  "an empty name": [{ fields: get("/", ["", "1"]) }, "bad-request"],
  "a pseudo-header in trailers": [{ fields: get("/"), trailers: [[":path", "/"]] }, "bad-request"],
  "too many fields": [
    { fields: get("/", ...Array.from({ length: MAX_CALL_FIELDS }, (_, i) => [`x-${i}`, "1"] as const)) },
    "too-large",
  ],
  "too long fields": [{ fields: get("/", ["x", "y".repeat(MAX_CALL_FIELD_BYTES)]) }, "too-large"],
  "too long a body": [{ fields: post("/"), body: new Uint8Array(MAX_CALL_BODY_BYTES + 1) }, "too-large"],
  "an upstream that is not configured": [{ fields: get("/"), upstream: "other" }, "unknown-upstream"],
};

for (const [name, [asked, reason]] of Object.entries(REFUSED)) {
  test(`a call is refused at once for ${name}`, () => {
    expect(refusal({ fields: get("/"), ...asked })).toBe(reason);
    expect(origin.connections.every(({ received }) => received === "")).toBe(true);
  });
}

test("a call ends when its time is up, and its connection is closed", async () => {
  origin.response = () => {};
  expect(failure(await call({ fields: get("/"), timeoutMs: 60 }))).toBe("upstream-timeout");
  await until(() => origin.connections.at(-1)?.closed === true);
});

test("a slow endless response ends with the timeout of the call", async () => {
  origin.response = (_request, connection) => {
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    const drip = setInterval(() => (connection.closed ? clearInterval(drip) : connection.send("x")), 5);
  };
  expect(failure(await call({ fields: get("/"), timeoutMs: 100 }))).toBe("upstream-timeout");
});

test("an endless response is cut off at the limit", async () => {
  origin.response = (_request, connection) => {
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    const pour = (): void => {
      if (connection.closed) return;
      connection.send("x".repeat(65_536));
      setTimeout(pour, 1);
    };
    pour();
  };
  expect(failure(await call({ fields: get("/") }))).toBe("response-too-large");
  await until(() => origin.connections.at(-1)?.closed === true);
});

const BROKEN: Readonly<Record<string, string>> = {
  "no HTTP": "SSH-2.0-OpenSSH_9\r\n\r\n",
  "half a head": "HTTP/1.1 200 OK\r\nX: ",
  "half a body": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
  "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
  "a broken chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
};
for (const [name, bytes] of Object.entries(BROKEN)) {
  test(`a call fails if its upstream sends ${name}`, async () => {
    origin.response = (_request, connection) => connection.end(bytes);
    expect(failure(await call({ fields: post("/") }))).toBe("upstream-failed");
  });
}

test("a call fails if its connection is reset or refused", async () => {
  origin.response = (_request, connection) => connection.reset();
  expect(failure(await call({ fields: post("/") }))).toBe("upstream-failed");
  expect(failure(await call({ fields: get("/"), upstream: "gone" }))).toBe("upstream-failed");
});

test("a POST is sent once, whatever its outcome", async () => {
  origin.response = (_request, connection) => connection.reset();
  await call({ fields: post("/"), body: Buffer.from("x") });
  expect(origin.requests).toHaveLength(1);
});

test("a cancelled call reports nothing more, and its connection is closed", async () => {
  origin.response = () => {};
  let told = 0;
  const asked = { upstream: "raw", fields: get("/"), body: NOTHING, trailers: [], timeoutMs: 5000 };
  const made = rig.group.http(asked, () => told++);
  if (typeof made === "string") throw new Error(made);
  await until(() => origin.requests.length === 1);
  made.cancel();
  made.cancel();
  await until(() => origin.connections.at(-1)?.closed === true);
  expect(told).toBe(0);
  expect(rig.calls.size).toBe(0);
});

test("the calls of a request end with it, and are limited", async () => {
  origin.response = () => {};
  const stream = rig.stream();
  for (let i = 0; i < MAX_CALLS_A_STREAM; i++) void call({ fields: get("/") }, stream);
  expect(refusal({ fields: get("/") }, stream)).toBe("full");
  expect(stream.size).toBe(MAX_CALLS_A_STREAM);
  // Another request has its own calls.
  const other = rig.stream();
  void call({ fields: get("/") }, other);
  stream.close();
  expect(rig.calls.size).toBe(1);
  expect(refusal({ fields: get("/") }, stream)).toBe("full");
  other.close();
});

test("the calls of a filter are limited, those for requests and its own together", () => {
  origin.response = () => {};
  const streams = Array.from({ length: MAX_CALLS_A_FILTER / MAX_CALLS_A_STREAM }, () => rig.stream());
  for (const stream of streams) {
    for (let i = 0; i < MAX_CALLS_A_STREAM; i++) void call({ fields: get("/"), upstream: "gone" }, stream);
  }
  expect(rig.calls.size).toBe(MAX_CALLS_A_FILTER);
  expect(refusal({ fields: get("/") })).toBe("full");
  expect(refusal({ fields: get("/") }, rig.stream())).toBe("full");
  for (const stream of streams) stream.close();
  expect(rig.calls.size).toBe(0);
});

test("the calls of a worker are limited, those of all its filters together", () => {
  const filters = Array.from({ length: MAX_CALLS_A_WORKER / MAX_CALLS_A_FILTER }, () => rig.calls.filter());
  for (const { own } of filters) {
    for (let i = 0; i < MAX_CALLS_A_FILTER; i++) void call({ fields: get("/"), upstream: "gone" }, own);
  }
  expect(rig.calls.size).toBe(MAX_CALLS_A_WORKER);
  expect(refusal({ fields: get("/") })).toBe("full");
  for (const filter of filters) filter.close();
  expect(rig.calls.size).toBe(0);
});

test("bodies of calls share the memory for bodies, and a call without memory is refused", () => {
  origin.response = () => {};
  const stream = rig.stream();
  const body = new Uint8Array(MAX_CALL_BODY_BYTES);
  for (let i = 0; i < 8; i++) void call({ fields: post("/"), body }, stream);
  expect(refusal({ fields: post("/"), body }, stream)).toBe("full");
  stream.close();
  expect(rig.held).toBe(0);
});
