import { afterEach, beforeEach, expect, test } from "bun:test";
import { type FieldSection } from "node:quic";
import { type ServerHost } from "../exchange/server-host.ts";
import { Host } from "../http2/testing/scripted-client.ts";
import { Outgoing } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { ClientPackets } from "./client-packets.ts";
import { AwaitedHeads, RequestStream, type StreamOwner } from "./request-stream.ts";
import { ScriptedStream } from "./testing/scripted-stream.ts";

const NO_ERROR = "stop 100";
const CANCELLED = ["stop 10c", "reset 10c"];
const MALFORMED = ["stop 10e", "reset 10e"];
const MIB = 1_048_576;

/** A connection that records what its stream reports. */
class Owner implements StreamOwner {
  readonly peerAddress = "192.0.2.1";
  readonly transport = {} as StreamOwner["transport"];
  readonly reports: string[] = [];
  readonly host: ServerHost;
  readonly heads = new AwaitedHeads();
  readonly packets: ClientPackets;
  otherBytes = 0;
  bodyBytes = 0;
  constructor(host: ServerHost) {
    this.host = host;
    this.packets = new ClientPackets(host.wheel, () => 0n);
  }
  countBody(bytes: number): void {
    this.bodyBytes += bytes;
  }
  overwhelmed = (): void => void this.reports.push("overwhelmed");
  ended = (hasResponse: boolean): void => void this.reports.push(`ended ${hasResponse}`);
  malformed = (): void => void this.reports.push("malformed");
  violated = (): void => void this.reports.push("violated");
  streamClosed = (): void => void this.reports.push("closed");
  onError = (error: unknown): void => void this.reports.push(String(error));
}

let host: Host;
let owner: Owner;
let stream: ScriptedStream;
let requestStream: RequestStream;
/** The bytes and the end that a reader of the request's body gets. */
let read: string[];

beforeEach(() => {
  host = new Host();
  owner = new Owner(host);
  stream = new ScriptedStream();
  read = [];
  requestStream = new RequestStream(stream.quic, owner);
});

afterEach(() => host.wheel.close());

function head(fields: FieldSection = {}): void {
  stream.onheaders?.({ ":method": "GET", ":scheme": "https", ":authority": "a.example", ":path": "/p?q", ...fields });
}

function readBody(): void {
  host.exchanges[0]?.body.readTo({
    data: (bytes, start = 0, end = bytes.length) => {
      read.push(Buffer.from(bytes.subarray(start, end)).toString());
      return true;
    },
    end: (trailers) => void read.push(`end ${trailers}`),
    abort: ({ code }) => void read.push(`abort ${code}`),
  });
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a GET whose stream ends behind its head has no body", async () => {
  head();
  await settle();
  expect(host.exchanges).toHaveLength(0);
  await stream.end();
  expect(host.exchanges[0]?.head).toMatchObject({ method: "GET", path: "/p", query: "?q", bodyLength: 0 });
  readBody();
  expect(read).toEqual(["end "]);
  host.clock.advance(60_000);
  expect(stream.events).toEqual([]);
});

test("a POST is handled in the next turn, and its body and trailers follow", async () => {
  head({ ":method": "POST" });
  expect(host.exchanges).toHaveLength(0);
  await settle();
  expect(host.exchanges[0]?.head.bodyLength).toBe(-1);
  expect(host.exchanges[0]?.session).toBe(owner);
  readBody();
  await stream.data("ab", "c");
  await stream.data("d");
  expect([read, owner.bodyBytes]).toEqual([["ab", "c", "d"], 4]);
  await stream.end({ "x-t": "1" });
  expect(read).toEqual(["ab", "c", "d", "end x-t: 1\r\n"]);
  await stream.close();
  expect(owner.reports).toEqual(["ended false", "closed"]);
});

test("bytes that the reader of a body writes leave at once", async () => {
  const wire = new FakeWire();
  const outgoing = new Outgoing(wire, { onBlocked() {} }, host.buffers);
  head({ ":method": "POST" });
  await settle();
  host.exchanges[0]?.body.readTo({
    data: () => {
      outgoing.text("read");
      return true;
    },
    end() {},
    abort() {},
  });
  await stream.data("ab");
  expect(wire.text).toBe("read");
});

test.each([{ "content-length": "5" }, { expect: "100-continue" }])("a GET with %j is handled at once", (fields) => {
  head(fields);
  expect(host.exchanges.length).toBe(1);
});

test("a GET with data has a body", async () => {
  head();
  await stream.data("a");
  readBody();
  await stream.end();
  expect(read).toEqual(["a", "end "]);
  expect(host.exchanges).toHaveLength(1);
});

test("a head that does not arrive in time gets 408, and the stream is reset if its client does not take it", async () => {
  host.clock.advance(host.current.headerMs - 20);
  expect(stream.events).toEqual([]);
  host.clock.advance(60);
  const [{ ":status": status, "content-type": type, "content-length": length } = {}] = stream.sections;
  expect([status, type]).toEqual(["408", "application/problem+json"]);
  expect(stream.events).toEqual(["head 408", `body ${Number(length)}`, NO_ERROR]);
  expect(host.refusals).toMatchObject([
    {
      protocol: "HTTP/3.0",
      head: { method: "", path: "", scheme: "https" },
      clientAddress: "192.0.2.1",
      status: 408,
      bytesReceived: 0,
      bytesSent: Number(length),
    },
  ]);
  head();
  await stream.end();
  expect(host.exchanges).toHaveLength(0);
  host.clock.advance(host.current.writeMs - 100);
  expect(stream.events).toHaveLength(3);
  host.clock.advance(120);
  expect(stream.events.slice(3)).toEqual(CANCELLED);
  await stream.close();
  expect(owner.reports).toEqual(["ended true", "closed"]);
});

function openStreams(count: number): ScriptedStream[] {
  return Array.from({ length: count }, () => {
    const another = new ScriptedStream();
    requestStream = new RequestStream(another.quic, owner);
    return another;
  });
}

test("16 heads may be late by 250 ms, and a further one ends the connection of the oldest", async () => {
  const [first, second, third] = openStreams(15);
  const { waiting, late } = owner.heads;
  host.clock.advance(200);
  expect([waiting.size, late.size]).toEqual([16, 0]);
  host.clock.advance(100);
  expect([waiting.size, late.size]).toEqual([16, 16]);
  openStreams(1);
  host.clock.advance(200);
  expect(owner.reports).toEqual([]);
  host.clock.advance(100);
  expect(owner.reports).toContain("overwhelmed");
  expect(late.size).toBe(16);
  first?.onheaders?.({ ":method": "GET", ":scheme": "https", ":authority": "a.example", ":path": "/" });
  second?.onreset?.();
  await third?.close();
  expect(waiting.size).toBe(14);
  host.clock.advance(10_000);
  expect([waiting.size, late.size]).toEqual([0, 0]);
});

test("of 1,025 heads that are incomplete at one time, the last is rejected", () => {
  const streams = openStreams(1024);
  expect(owner.heads.waiting.size).toBe(1024);
  expect(streams.pop()?.events).toEqual(["stop 10b", "reset 10b"]);
  expect(streams.flatMap(({ events }) => events)).toEqual([]);
});

test("a head that is too large is refused when it arrives, although the end of its stream is still to come", async () => {
  const fields = { "x-a": "v".repeat(host.current.maxHeaderBytes) };
  head(fields);
  expect(stream.sections[0]?.[":status"]).toBe("431");
  await settle();
  await stream.end();
  expect(stream.sections).toHaveLength(1);
  expect(host.exchanges).toHaveLength(0);
});

test("a head that is too large gets no second response if it arrives after the 408", () => {
  host.clock.advance(host.current.headerMs + 40);
  head({ "x-a": "v".repeat(host.current.maxHeaderBytes) });
  expect(stream.sections.map((section) => section[":status"])).toEqual(["408"]);
});

test("a head whose stream does not end in time gets 408 for its own request, whatever other streams have sent", async () => {
  head();
  const other = new ScriptedStream();
  new RequestStream(other.quic, owner); // oxlint-disable-line no-new -- the stream keeps it
  other.onheaders?.({
    ":method": "HEAD",
    ":scheme": "https",
    ":authority": "a.example",
    ":path": "/other",
    "content-type": "application/grpc",
  });
  await other.end();
  expect(host.exchanges.map(({ head: { path } }) => path)).toEqual(["/other"]);
  host.clock.advance(host.current.headerMs + 40);
  expect(stream.events.map((event) => event.replace(/\d+$/, ""))).toEqual(["head ", "body ", "stop "]);
  expect(stream.sections[0]?.[":status"]).toBe("408");
  expect(host.refusals).toMatchObject([{ head: { method: "GET", path: "/p" }, status: 408 }]);
});

test("a connection may send a MiB beside bodies while a head is incomplete", () => {
  owner.otherBytes = 5000;
  host.clock.advance(60);
  owner.otherBytes += MIB;
  host.clock.advance(60);
  expect(owner.reports).toEqual([]);
  owner.otherBytes += 1;
  host.clock.advance(60);
  expect(owner.reports).toEqual(["overwhelmed"]);
});

test("a stream that closes before its head is left alone", async () => {
  await stream.close();
  owner.otherBytes = 2 * MIB;
  host.clock.advance(60_000);
  expect([owner.reports, stream.events]).toEqual([["ended false", "closed"], []]);
  head();
  await settle();
  expect(host.exchanges).toHaveLength(0);
});

/** A field with which a head has this size. */
function filled(bytes: number): FieldSection {
  const sizes = [
    [":method", "GET"],
    [":scheme", "https"],
    [":authority", "a.example"],
    [":path", "/p?q"],
    ["x", ""],
  ];
  const used = sizes.reduce((sum, [name = "", value = ""]) => sum + name.length + value.length + 32, 0);
  return { x: "x".repeat(bytes - used) };
}

test("the size of a head is limited, with 32 bytes for each field", async () => {
  const { maxHeaderBytes } = host.current;
  head(filled(maxHeaderBytes));
  await stream.end();
  expect(host.exchanges).toHaveLength(1);
  const other = new ScriptedStream();
  new RequestStream(other.quic, owner); // oxlint-disable-line no-new -- the stream keeps and calls it
  stream = other;
  head(filled(maxHeaderBytes + 1));
  await stream.end();
  expect(host.exchanges).toHaveLength(1);
  expect(stream.events[0]).toBe("head 431");
});

test.each([
  ["GET", {}, ["head 400", "body", NO_ERROR], true],
  ["HEAD", {}, ["last head 400", NO_ERROR], false],
  ["POST", { "content-type": "application/grpc", te: "trailers" }, ["last head 200", NO_ERROR], false],
] as const)(
  "a refused %s with %j gets its error in the form of its protocol",
  async (method, fields, events, hasBody) => {
    head({ ":method": method, ":path": "/%zz", ...fields });
    await stream.end();
    expect(stream.events.map((event) => event.replace(/^(body) .*/, "$1"))).toEqual([...events]);
    const [block = {}] = stream.sections;
    expect("content-length" in block).toBe(method !== "POST");
    expect("grpc-status" in block).toBe(method === "POST");
    const bytes = hasBody ? Number(block["content-length"]) : 0;
    expect(host.refusals).toMatchObject([{ head: { method, path: "/%zz" }, bytesSent: bytes }]);
  },
);

test("a stream that is gone gets no response", async () => {
  stream.destroyed = true;
  head({ ":path": "/%zz" });
  await stream.end();
  expect([stream.events, host.refusals.length]).toEqual([[], 1]);
});

test.each([{ "X-A": "1" }, { ":authority": [] as string[] }])(
  "a malformed head %j resets the stream",
  async (fields) => {
    head(fields);
    await stream.end();
    await stream.close();
    expect(stream.events).toEqual(MALFORMED);
    expect(owner.reports).toEqual(["malformed", "ended false", "closed"]);
  },
);

test("a client that resets its request stops it", async () => {
  head({ ":method": "POST" });
  await settle();
  let gone = 0;
  const [exchange] = host.exchanges;
  if (exchange !== undefined) exchange.onGone = () => void (gone += 1);
  readBody();
  stream.onreset?.();
  expect([gone, stream.events, read]).toEqual([1, CANCELLED, ["abort bad-request"]]);
});

test("a stream that the engine has closed is not reset", () => {
  head({ "content-length": "5" });
  stream.destroyed = true;
  stream.onreset?.();
  stream.ontrailers?.({ "X-A": "1" });
  expect([stream.events, host.exchanges.length]).toEqual([[], 1]);
});

test("a request that is reset before its end is not handled", async () => {
  head();
  stream.onreset?.();
  await stream.end();
  expect([stream.events, host.exchanges.length]).toEqual([CANCELLED, 0]);
});

test("a stream whose reading fails is reset", async () => {
  head();
  await stream.fail();
  expect(stream.events).toEqual(CANCELLED);
  await stream.end();
  expect(host.exchanges).toHaveLength(0);
});

const NAMES = Array.from({ length: 200 }, (_, i) => `x-${i}`);

test.each([
  ["an invalid name", { "X-A": "1" }],
  ["too many bytes", { "x-a": "x".repeat(65_536) }],
  ["too many fields", Object.fromEntries(NAMES.map((name) => [name, ""]))],
])("trailers with %s make the request malformed", async (_, trailers) => {
  head({ ":method": "POST" });
  await settle();
  readBody();
  await stream.data("a");
  await stream.end(trailers);
  expect(stream.events).toEqual(MALFORMED);
  expect(owner.reports).toEqual(["malformed"]);
  expect(read).toEqual(["a", "abort bad-request"]);
});

test("trailers may have as many bytes and fields as a head", async () => {
  head({ ":method": "POST" });
  await settle();
  readBody();
  const { maxHeaderBytes, maxHeaderCount } = host.current;
  const small = Object.fromEntries(NAMES.slice(0, maxHeaderCount - 1).map((name) => [name, ""]));
  const used = Object.keys(small).reduce((sum, name) => sum + name.length + 32, 0);
  await stream.end({ ...small, large: "x".repeat(maxHeaderBytes - used - 32 - 5) });
  expect(owner.reports).toEqual([]);
  expect(read).toHaveLength(1);
});

test("trailers after trailers break the connection", async () => {
  head({ ":method": "POST" });
  await settle();
  await stream.end({ a: "1" }, { b: "2" });
  expect(owner.reports).toEqual(["violated"]);
});

test("what the handler of a request throws is reported, and cuts off its response", async () => {
  host.onExchange = () => {
    throw new Error("broken");
  };
  head();
  await stream.end();
  expect([owner.reports, stream.events]).toEqual([["Error: broken"], ["reset 102"]]);
});

test("what the reader of a body throws is reported, and cuts off its response", async () => {
  head({ ":method": "POST" });
  await settle();
  host.exchanges[0]?.body.readTo({
    data() {
      throw new Error("broken");
    },
    end() {},
    abort() {},
  });
  await stream.data("a");
  expect([owner.reports, stream.events]).toEqual([["Error: broken"], ["reset 102", "stop 102"]]);
});

test("a closed stream keeps no deadline, whether its request was refused or never came", async () => {
  expect(requestStream.due).toBeLessThan(Number.POSITIVE_INFINITY);
  head({ "x-large": "x".repeat(host.current.maxHeaderBytes) });
  await stream.end();
  expect([stream.events[0], host.exchanges.length, host.refusals.length]).toEqual(["head 431", 0, 1]);
  expect(requestStream.due).toBeLessThan(Number.POSITIVE_INFINITY);
  await stream.close();
  expect(requestStream.due).toBe(Number.POSITIVE_INFINITY);
  const other = new ScriptedStream();
  const silent = new RequestStream(other.quic, owner);
  await other.close();
  expect(silent.due).toBe(Number.POSITIVE_INFINITY);
});
