import { expect, test } from "bun:test";
import { type Pairs } from "./call.ts";
import { callHead, callTrailers } from "./call-head.ts";
import { grpcHead } from "./grpc-head.ts";

const GET: Pairs = [
  [":method", "GET"],
  [":path", "/a/b?c=d?e"],
  [":authority", "a.example"],
];

function replaced(name: string, value: string): Pairs {
  return GET.map((pair) => (pair[0] === name ? [name, value] : pair));
}

test("a head has the parts of the filter's fields", () => {
  const fields: Pairs = [
    [":scheme", "https"],
    ["X-A", "1"],
    ["x-b", "2"],
  ];
  expect(callHead([...GET, ...fields], 7)).toMatchObject({
    method: "GET",
    scheme: "http",
    authority: "a.example",
    path: "/a/b",
    query: "?c=d?e",
    fields: "x-a: 1\r\nx-b: 2\r\n",
    bodyLength: 7,
    isGrpc: false,
  });
  expect(callHead(replaced(":path", "/a"), 0)).toMatchObject({ path: "/a", query: "" });
});

test("the host is the authority if there is no other, and an empty one is allowed", () => {
  const host: Pairs = [
    [":method", "GET"],
    [":path", "/"],
    ["Host", "b.example:80"],
  ];
  expect(callHead(host, 0)).toMatchObject({ authority: "b.example:80", fields: "" });
  expect(callHead([...GET, ["host", "b.example"]], 0)).toMatchObject({ authority: "a.example" });
  expect(callHead(replaced(":authority", ""), 0)).toMatchObject({ authority: "" });
});

test("fields of the connection, and those that the gateway sets, are left out in every spelling", () => {
  const left: Pairs = ["Connection", "transfer-encoding", "x_request_id", "X-Forwarded-Host", "via", "x-named"].map(
    (name) => [name, name === "Connection" ? "close, X-Named" : "x"] as const,
  );
  expect(callHead([...GET, ...left, ["x-kept", "1"]], 0)).toMatchObject({ fields: "x-kept: 1\r\n" });
});

test.each<readonly [string, Pairs]>([
  ["no method", GET.slice(1)],
  ["no path", GET.filter(([name]) => name !== ":path")],
  ["no authority", GET.slice(0, 2)],
  ["CONNECT", replaced(":method", "CONNECT")],
  ["a path that is a URL", replaced(":path", "http://a/")],
  ["a path with a fragment", replaced(":path", "/a#b")],
  ["a wrong authority", replaced(":authority", "u@a")],
  ["an unknown pseudo-header", [...GET, [":status", "200"]]],
  ["a pseudo-header twice", [...GET, [":path", "/"]]],
  ["an invalid name", [...GET, ["a b", "1"]]],
  ["a value with a line break", [...GET, ["a", "1\r\nb: 2"]]],
])("a head with %s is refused", (_, pairs) => {
  expect(callHead(pairs, 0)).toBe("bad-request");
});

test("256 fields and 65,536 bytes of them are allowed", () => {
  const many: Pairs = Array.from({ length: 256 - GET.length }, () => ["a", "1"] as const);
  expect(typeof callHead([...GET, ...many], 0)).toBe("object");
  expect(callHead([...GET, ...many, ["a", "1"]], 0)).toBe("too-large");
  const used = GET.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  expect(typeof callHead([...GET, ["a", "x".repeat(65_536 - used - 1)]], 0)).toBe("object");
  expect(callHead([...GET, ["a", "x".repeat(65_536 - used)]], 0)).toBe("too-large");
});

test("trailers have no pseudo-headers", () => {
  expect(callTrailers([["X-A", "1"]])).toEqual({ trailers: "x-a: 1\r\n" });
  expect([callTrailers([[":path", "/"]]), callTrailers([["host", "a"]])]).toEqual(["bad-request", "bad-request"]);
  expect(callTrailers(Array.from({ length: 257 }, () => ["a", "1"] as const))).toBe("too-large");
});

const REQUEST = { upstream: "a", service: "pkg.Service", method: "Do", metadata: [] as Pairs };

test("the head of a gRPC call has the path of its method, and its timeout", () => {
  expect(grpcHead(REQUEST, undefined)).toMatchObject({
    method: "POST",
    path: "/pkg.Service/Do",
    query: "",
    authority: "",
    fields: "content-type: application/grpc\r\n",
    bodyLength: -1,
    isGrpc: true,
  });
  const metadata: Pairs = [
    ["grpc-timeout", "1S"],
    ["User-Agent", "a"],
    ["grpc-trace-bin", "x"],
    [":authority", "a.b"],
  ];
  expect(grpcHead({ ...REQUEST, metadata }, 1.2)).toMatchObject({
    authority: "a.b",
    fields: "content-type: application/grpc\r\ngrpc-timeout: 2m\r\ngrpc-trace-bin: x\r\n",
  });
});

test.each([
  [{ service: "" }, "bad-request"],
  [{ service: "-a" }, "bad-request"],
  [{ method: "a/b" }, "bad-request"],
  [{ method: "x".repeat(257) }, "bad-request"],
  [{ metadata: [["a b", "1"]] as Pairs }, "bad-request"],
  [{ metadata: [[":authority", "u@a"]] as Pairs }, "bad-request"],
  [{ metadata: Array.from({ length: 257 }, () => ["a", "1"] as const) }, "too-large"],
] as const)("a gRPC call with %j is refused: %s", (changes, refusal) => {
  expect(grpcHead({ ...REQUEST, ...changes }, undefined)).toBe(refusal);
});

test("a name has at most 256 characters", () => {
  expect(grpcHead({ ...REQUEST, method: "x".repeat(256) }, undefined)).toMatchObject({ method: "POST" });
});
