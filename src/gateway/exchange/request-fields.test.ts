import { describe, expect, test } from "bun:test";
import { type ListedRequest, RequestFields, requestField } from "./request-fields.ts";
import { type HeadError } from "./refusal.ts";

type Field = readonly [name: string, value: string];

const GET: readonly Field[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/a?b"],
];
const CONNECT: readonly Field[] = [
  [":method", "CONNECT"],
  [":protocol", "websocket"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/a?b"],
];
const LIMITS = { scheme: "https", maxCount: 4, extendedConnect: true } as const;

const fields = new RequestFields();

function read(list: readonly Field[], hasBody = false): ListedRequest | HeadError | undefined {
  fields.begin();
  for (const [name, value] of list) fields.add(requestField(name, value));
  return fields.finish(hasBody, LIMITS);
}

function headOf(list: readonly Field[], hasBody = false): ListedRequest["head"] {
  const request = read(list, hasBody);
  if (request === undefined || "code" in request) throw new Error(`Cannot read the request: ${fields.malformed}`);
  return request.head;
}

const without = (name: string): Field[] => GET.filter(([found]) => found !== name);

test("a request's head has its parts, and nothing of the request before it", () => {
  read([...GET, [":foo", "x"], ["cookie", "a=1"], ["x-request-id", "7"], ["via", "1.1 a"]]);
  expect(read(GET)).toEqual({
    head: {
      method: "GET",
      scheme: "https",
      authority: "example.com",
      path: "/a",
      query: "?b",
      fields: "",
      payment: "",
      bodyLength: 0,
      expectContinue: false,
      via: "",
      forwardedFor: "",
      isGrpc: false,
      upgrade: "",
    },
    requestId: "",
  });
});

test("fields keep their order; what the gateway sets itself is taken out or aside", () => {
  const list: Field[] = [
    ["b", "1"],
    ["via", "1.1 x"],
    ["x-forwarded-for", "10.0.0.1"],
    ["a", "2"],
  ];
  expect(headOf([...GET, ...list])).toMatchObject({
    fields: "b: 1\r\na: 2\r\n",
    via: "1.1 x",
    forwardedFor: "10.0.0.1",
    isGrpc: false,
  });
  for (const name of [
    "x-real-ip",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-client-cert-subject",
    "x-client-cert-verified",
    "x-consumer-name",
  ]) {
    expect(headOf([...GET, [name, "forged"]]).fields).toBe("");
  }
});

test("several lines of one field become one where they must", () => {
  const crumbs = headOf([...GET, ["cookie", "a=1"], ["x", "y"], ["cookie", "b=2"]]);
  expect(crumbs.fields).toBe("x: y\r\ncookie: a=1; b=2\r\n");
  expect(headOf([...GET, ["via", "a"], ["via", "b"]]).via).toBe("a, b");
  const types = headOf([...GET, ["content-type", "a/b"], ["x", "y"], ["content-type", "a/b"]]);
  expect(types.fields).toBe("content-type: a/b\r\nx: y\r\ncontent-type: a/b\r\n");
});

test("the body's length is what content-length says, and unknown where it says nothing", () => {
  expect(headOf([...GET, ["content-length", "5"]], true).bodyLength).toBe(5);
  expect(headOf([...GET, ["content-length", "5"], ["content-length", "5"]], true).bodyLength).toBe(5);
  expect(headOf([...GET, ["content-length", "0"]]).bodyLength).toBe(0);
  expect(headOf(GET, true).bodyLength).toBe(-1);
});

test("host stands in for :authority, and may say the same in other letters", () => {
  expect(headOf([...without(":authority"), ["host", "a.example"]]).authority).toBe("a.example");
  expect(headOf([...GET, ["host", "Example.com"]]).authority).toBe("example.com");
});

describe("malformed by RFC 9113 §8 and RFC 9114 §4", () => {
  const cases: readonly (readonly [string, readonly Field[], boolean?])[] = [
    ["no :method", without(":method")],
    ["no :scheme", without(":scheme")],
    ["no :path", without(":path")],
    ["a repeated :method", [...GET, [":method", "GET"]]],
    ["a repeated :scheme", [...GET, [":scheme", "https"]]],
    ["a repeated :authority", [...GET, [":authority", "example.com"]]],
    ["a repeated :path", [...GET, [":path", "/"]]],
    ["an unknown pseudo-header", [...GET, [":foo", "websocket"]]],
    ["a :protocol of another method than CONNECT", [...GET, [":protocol", "websocket"]]],
    ["a repeated :protocol", [...CONNECT, [":protocol", "websocket"]]],
    ["an extended CONNECT without :path", CONNECT.filter(([name]) => name !== ":path"), true],
    ["an extended CONNECT without :scheme", CONNECT.filter(([name]) => name !== ":scheme"), true],
    ["an extended CONNECT to *", [...CONNECT.filter(([name]) => name !== ":path"), [":path", "*"]], true],
    ["an extended CONNECT with a body", [...CONNECT, ["content-length", "1"]], true],
    ["a pseudo-header behind a field", [...without(":path"), ["a", "b"], [":path", "/"]]],
    ["a pseudo-header behind a field that is taken out", [...without(":path"), ["x-real-ip", "b"], [":path", "/"]]],
    ["a method that is not a token", [[":method", "G ET"], ...without(":method")]],
    ["an empty path", [...without(":path"), [":path", ""]]],
    ["a path that is a URL", [...without(":path"), [":path", "http://a/"]]],
    ["a path with a fragment", [...without(":path"), [":path", "/a#b"]]],
    ["* with another method than OPTIONS", [...without(":path"), [":path", "*"]]],
    [
      "CONNECT with a path",
      [
        [":method", "CONNECT"],
        [":authority", "a:1"],
        [":path", "/"],
      ],
    ],
    ["CONNECT without an authority", [[":method", "CONNECT"]]],
    ["a name with capitals", [...GET, ["X-A", "1"]]],
    ["an empty name", [...GET, ["", "1"]]],
    ["a name with a colon in it", [...GET, ["a:b", "1"]]],
    ["a value with a line break", [...GET, ["a", "1\r\nb: 2"]]],
    ["a value with NUL", [...GET, ["a", "1\0"]]],
    ["a value with white space at its end", [...GET, ["a", "1 "]]],
    ["connection", [...GET, ["connection", "close"]]],
    ["transfer-encoding", [...GET, ["transfer-encoding", "chunked"]], true],
    ["te other than trailers", [...GET, ["te", "gzip"]]],
    ["lengths that differ", [...GET, ["content-length", "1"], ["content-length", "2"]], true],
    ["a length that is not a number", [...GET, ["content-length", "1x"]], true],
    ["a length in octal", [...GET, ["content-length", "010"]], true],
    ["a length without a body", [...GET, ["content-length", "1"]]],
    ["host and :authority that differ", [...GET, ["host", "other.example"]]],
  ];
  for (const [name, list, hasBody] of cases) {
    test(name, () => {
      expect(read(list, hasBody)).toBeUndefined();
      expect(fields.malformed).not.toBe("");
    });
  }
});

describe("refused with a response", () => {
  const cases: readonly (readonly [string, readonly Field[], HeadError["code"]])[] = [
    ["no authority", without(":authority"), "bad-request"],
    ["an authority with userinfo", [...without(":authority"), [":authority", "u@a"]], "bad-request"],
    ["two hosts", [...without(":authority"), ["host", "a"], ["host", "a"]], "bad-request"],
    ["two content types", [...GET, ["content-type", "a/b"], ["content-type", "a/c"]], "bad-request"],
    [
      "CONNECT",
      [
        [":method", "CONNECT"],
        [":authority", "a:1"],
      ],
      "not-implemented",
    ],
    ["an unknown method", [[":method", "FROB"], ...without(":method")], "not-implemented"],
    ["a path that hides a slash", [...without(":path"), [":path", "/a%2fb"]], "bad-path"],
    ["an unknown expectation", [...GET, ["expect", "more"]], "expectation-failed"],
    ["too many fields", [...GET, ["a", "1"], ["b", "1"], ["c", "1"], ["d", "1"], ["e", "1"]], "head-too-large"],
  ];
  for (const [name, list, code] of cases) {
    test(name, () => {
      expect(read([...list, ["x-request-id", "7"]])).toMatchObject({ code, requestId: "7" });
    });
  }
});

test("an extended CONNECT for websocket is a GET that asks to go on in it, without a body and without a key", () => {
  const list: Field[] = [
    ...CONNECT,
    ["sec-websocket-version", "13"],
    ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ["sec-websocket-protocol", "chat"],
  ];
  expect(headOf(list, true)).toMatchObject({
    method: "GET",
    path: "/a",
    query: "?b",
    upgrade: "websocket",
    bodyLength: 0,
    fields: "sec-websocket-version: 13\r\nsec-websocket-protocol: chat\r\n",
  });
  expect(headOf(CONNECT, true).fields).toBe("sec-websocket-version: 13\r\n");
});

test("an extended CONNECT is malformed where the client was not told that it may send one", () => {
  fields.begin();
  for (const [name, value] of CONNECT) fields.add(requestField(name, value));
  expect(fields.finish(true, { ...LIMITS, extendedConnect: false })).toBeUndefined();
});

test("an extended CONNECT for another protocol, or another version of WebSocket, has a response", () => {
  const other = CONNECT.map((field): Field => (field[0] === ":protocol" ? [":protocol", "connect-udp"] : field));
  expect(read(other, true)).toMatchObject({ code: "not-implemented" });
  expect(read([...CONNECT, ["sec-websocket-version", "99"]], true)).toMatchObject({
    code: "bad-request",
    fields: "Sec-WebSocket-Version: 13\r\n",
  });
});

function trailersOf(list: readonly Field[]): string | undefined {
  fields.begin();
  for (const [name, value] of list) fields.add(requestField(name, value));
  return fields.finishTrailers();
}

test("trailers have no pseudo-header, and lose what frames or routes", () => {
  expect(
    trailersOf([
      ["x", "1"],
      ["content-length", "5"],
      ["host", "a"],
    ]),
  ).toBe("x: 1\r\n");
  expect(trailersOf([[":path", "/"]])).toBeUndefined();
  expect(trailersOf([["connection", "close"]])).toBeUndefined();
});
