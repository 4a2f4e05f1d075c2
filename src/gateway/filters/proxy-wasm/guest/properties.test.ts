import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../../test/flow/testing/flow.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { SetProperties } from "../../runtime/set-properties.ts";
import { testSettings } from "../../testing/test-runtime.ts";
import { type Context } from "./context.ts";
import { MAP } from "./enums.ts";
import { FieldList } from "./field-list.ts";
import { type Plugin } from "./plugin.ts";
import { propertyOf, propertyPath } from "./properties.ts";

const HEADERS = "User-Agent: probe\r\nReferer: /before\r\nX-Tag: one\r\nX-Tag: two\r\n";
const PSEUDO = [
  [":path", "/a?b=c?d"],
  [":method", "PUT"],
  [":authority", "a.test"],
  [":scheme", "https"],
] as const;

interface Told {
  readonly exchange?: Partial<Exchange>;
  readonly response?: string;
  readonly trailers?: string;
  readonly head?: { bodyLength?: number; fields?: string };
}

/** Reads properties of a stream. Numbers of 8 bytes are numbers. */
function reader({ exchange = {}, response = "", trailers = "", head = {} }: Told = {}) {
  const whole = Object.assign(new ClientExchange(new Consumer(), { bodyLength: 0, ...head }), exchange) as Exchange;
  const kept = new Set<string>();
  const lists = new Map([
    [MAP.requestHeaders as number, new FieldList({ fields: HEADERS, pseudo: PSEUDO, kept })],
    [MAP.responseHeaders, new FieldList({ fields: response, pseudo: [[":status", "203"]], kept })],
    [MAP.responseTrailers, new FieldList({ fields: trailers, kept })],
  ]);
  const properties = new SetProperties();
  const settings = testSettings({ name: "n\u00e4me", route: "/r", rootId: "root", vmId: "vm", upstream: "up" });
  // Properties use no other members.
  const context = { exchange: whole, fields: (kind: number) => lists.get(kind) } as unknown as Context;
  const plugin = { settings, properties } as unknown as Plugin;
  const read = (path: string, of = context): unknown => {
    const value = propertyOf(path.replaceAll(" ", "\0"), { context: of, plugin });
    if (value === undefined || typeof value === "string") return value;
    return value.length === 8 ? Number(Buffer.from(value).readBigInt64LE()) : Buffer.from(value).toString("hex");
  };
  return { read, properties, exchange: whole, plugin };
}

test.each([
  ["request path", "/a?b=c?d"],
  ["request url_path", "/a"],
  ["request query", "b=c?d"],
  ["request host", "a.test"],
  ["request method", "PUT"],
  ["request scheme", "https"],
  ["request referer", "/before"],
  ["request useragent", "probe"],
  ["request id", "id"],
  ["request protocol", "HTTP/2"],
  ["request size", 0],
  ["request headers_bytes", 96],
  ["request total_size", 96],
  ["request headers X-Tag", "one,two"],
  ["request headers x none", undefined],
  ["request trailers", undefined],
  ["response code", 203],
  ["response flags", 0],
  ["response size", 0],
  ["response headers_bytes", 10],
  ["response total_size", 10],
  ["response grpc_status", undefined],
  ["response headers none", undefined],
  ["plugin_name", "n\u00c3\u00a4me"],
  ["plugin_root_id", "root"],
  ["plugin_vm_id", "vm"],
  ["plugin_vm_id more", undefined],
  ["listener_direction", 1],
  ["xds listener_direction", 1],
  ["xds plugin_name", undefined],
  ["xds route_name more", undefined],
  ["route_name", "/r"],
  ["xds route_name", "/r"],
  ["cluster_name", "up"],
  ["source address", "192.0.2.1:0"],
  ["source port", 0],
  ["destination address", undefined],
  ["destination port", undefined],
  ["connection id", undefined],
  ["connection_id", undefined],
  ["connection mtls", "00"],
  ["connection subject_peer_certificate", undefined],
  ["connection tls_version", undefined],
  ["connection requested_server_name", undefined],
  ["upstream address", undefined],
  ["upstream port", undefined],
  ["request path more", undefined],
  ["none such", undefined],
  ["", undefined],
])("%s is %j", (path, value) => {
  expect(reader().read(path)).toBe(value as string);
});

test("a connection has its addresses, its TLS and a number of its own", () => {
  const transport = {
    remoteAddress: "::ffff:192.0.2.1",
    remotePort: 4000,
    localAddress: "::1",
    localPort: 443,
    getTLSVersion: () => "TLSv1.3",
    getServername: () => "a.test",
  };
  const fields = "X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-Subject: CN=a\r\n";
  const { read } = reader({
    exchange: { transport, triedServer: "[::1]:8080", triedUpstream: "\u00fcp" },
    head: { fields },
  });
  const names = ["source address", "source port", "destination address", "destination port"];
  expect(names.map((name) => read(name))).toEqual(["192.0.2.1:4000", 4000, "[::1]:443", 443]);
  expect(
    ["mtls", "subject_peer_certificate", "tls_version", "requested_server_name"].map((name) =>
      read(`connection ${name}`),
    ),
  ).toEqual(["01", "CN=a", "TLSv1.3", "a.test"]);
  expect([read("upstream address"), read("upstream port"), read("cluster_name")]).toEqual([
    "[::1]:8080",
    8080,
    "\u00c3\u00bcp",
  ]);
  const id = Number(read("connection id"));
  expect([read("connection_id"), reader({ exchange: { transport } }).read("connection id")]).toEqual([id, id]);
  expect(reader({ exchange: { transport: { ...transport } } }).read("connection id")).toBe(id + 1);
  const bare = {
    remoteAddress: "10.0.0.1",
    remotePort: 5,
    localAddress: "10.0.0.2",
    getTLSVersion: () => "",
    getServername: () => null,
  };
  const other = reader({ exchange: { transport: bare, triedServer: "/run/a.sock" } });
  // Another proxy has told the client's address, without the port.
  expect(["source port", "destination address", "destination port"].map((name) => other.read(name))).toEqual([
    0,
    "10.0.0.2:0",
    undefined,
  ]);
  expect(
    ["connection tls_version", "connection requested_server_name", "upstream port"].map((name) => other.read(name)),
  ).toEqual([undefined, undefined, undefined]);
});

function sizes(bodyLength: number) {
  const { read } = reader({
    exchange: { bytesReceived: 5, bytesSent: 7 },
    head: { bodyLength },
    response: "a: b\r\n",
    trailers: "c: de\r\n",
  });
  return ["request size", "request total_size", "response size", "response headers_bytes", "response total_size"].map(
    (name) => read(name),
  );
}

test("sizes count what has arrived and what was sent, and a body of unknown length what has arrived", () => {
  expect(sizes(-1)).toEqual([5, 101, 7, 12, 22]);
  expect(sizes(9)).toEqual([9, 101, 7, 12, 22]);
  expect(sizes(0)[0]).toBe(0);
});

test.each([
  ["HTTP/1.0", "HTTP/1.0"],
  ["HTTP/1.1", "HTTP/1.1"],
  ["HTTP/2.0", "HTTP/2"],
  ["HTTP/3.0", "HTTP/3"],
] as const)("the protocol %s is %s, as in Envoy", (protocol, told) => {
  expect(reader({ exchange: { protocol } }).read("request protocol")).toBe(told);
});

test("the time of a request and its duration are in nanoseconds", () => {
  const { read } = reader({ exchange: { beganAt: performance.now() - 2000 } });
  const [time, duration] = [Number(read("request time")), Number(read("request duration"))];
  expect(Math.abs(time / 1e6 - (Date.now() - 2000))).toBeLessThan(1000);
  expect(duration).toBeGreaterThanOrEqual(2e9);
  expect(duration).toBeLessThan(60e9);
});

test("the status of a response is that which was sent, and that of a call is in its trailers or its head", () => {
  expect(reader({ exchange: { status: 418 } }).read("response code")).toBe(418);
  const [head, trailers] = ["grpc-status: 5\r\n", "grpc-status: 7\r\n"];
  expect(reader({ response: head }).read("response grpc_status")).toBe(5);
  expect(reader({ response: head, trailers }).read("response grpc_status")).toBe(7);
  expect(reader({ response: "grpc-status: x\r\n" }).read("response grpc_status")).toBeUndefined();
});

test("properties that filters have set belong to their request, or to the filter outside of requests", () => {
  const { read, properties, exchange, plugin } = reader();
  properties.set(exchange, "a", Buffer.from("A"));
  properties.set(plugin, "b", Buffer.from("B"));
  // Properties use no other members.
  const root = { exchange: undefined, fields: () => undefined } as unknown as Context;
  expect([read("a"), read("filter_state wasm.a"), read("b")]).toEqual(["41", "41", undefined]);
  expect([read("b", root), read("a", root), read("request path", root), read("plugin_name", root)]).toEqual([
    "42",
    undefined,
    undefined,
    "n\u00c3\u00a4me",
  ]);
});

test("a path may end with a separator", () => {
  expect([propertyPath("a\0b\0"), propertyPath("a\0b"), propertyPath("\0"), propertyPath("")]).toEqual([
    "a\0b",
    "a\0b",
    "",
    "",
  ]);
});
