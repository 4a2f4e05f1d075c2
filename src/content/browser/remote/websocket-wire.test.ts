import { expect, test } from "bun:test";
import { Duplex } from "node:stream";
import { type Socket } from "node:net";
import { WebSocketWire } from "./websocket-wire.ts";

/** A socket whose peer is the test. */
function open() {
  const sent: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      sent.push(chunk);
      done();
    },
  });
  // The wire uses what a socket shares with every stream.
  const wire = new WebSocketWire(socket as Socket, Buffer.alloc(0));
  const seen: string[] = [];
  const closed = Promise.withResolvers<void>();
  wire.read({
    message: (text) => void seen.push(text),
    oversized: (head) => void seen.push(`too long: ${head}`),
    closed: () => closed.resolve(),
  });
  const receive = async (bytes: Buffer, step = bytes.length) => {
    for (let at = 0; at < bytes.length; at += step) {
      socket.push(bytes.subarray(at, at + step));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { wire, sent, seen, closed: closed.promise, receive };
}

/** A frame of a server (RFC 6455 §5.2). */
function frame(first: number, payload: Buffer | string): Buffer {
  const body = Buffer.from(payload);
  const short = Buffer.from([first, body.length]);
  const medium = Buffer.from([first, 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([body.length < 126 ? short : medium, body]);
}

/** The payload of a client's frame. */
function payloadOf(bytes: Buffer): string {
  const length = (bytes[1] ?? 0) & 0x7f;
  const start = length < 126 ? 2 : length === 126 ? 4 : 10;
  const mask = bytes.subarray(start, start + 4);
  const body = bytes.subarray(start + 4);
  return Buffer.from(body.map((byte, i) => byte ^ (mask[i & 3] ?? 0))).toString();
}

const long = "ä".repeat(10_000);

test.each([1, 3, 100_000])("messages are put together from frames that arrive %d bytes at a time", async (step) => {
  const { seen, receive } = open();
  const parts = [frame(0x01, "{"), frame(0x89, "between"), frame(0x00, ""), frame(0x80, "}"), frame(0x81, long)];
  await receive(Buffer.concat(parts), step);
  expect(seen).toEqual(["{}", long]);
});

test("pings get pongs, and messages are masked whole frames", async () => {
  const { wire, sent, receive } = open();
  await receive(frame(0x89, "are you there"));
  for (const text of ["short", "x".repeat(200), long, "y".repeat(70_000)]) wire.write(text);
  expect(sent.map((bytes) => bytes[0])).toEqual([0x8a, 0x81, 0x81, 0x81, 0x81]);
  expect(sent.every((bytes) => ((bytes[1] ?? 0) & 0x80) !== 0)).toBe(true);
  expect(sent.map(payloadOf)).toEqual(["are you there", "short", "x".repeat(200), long, "y".repeat(70_000)]);
});

test.each([
  ["a masked frame", Buffer.from([0x81, 0x80, 0, 0, 0, 0])],
  ["a compressed frame", frame(0xc1, "x")],
  ["a binary message", frame(0x82, "x")],
  ["a continuation of nothing", frame(0x80, "x")],
  ["a new message within another", Buffer.concat([frame(0x01, "x"), frame(0x81, "y")])],
  ["a control frame in parts", frame(0x09, "x")],
  ["a long control frame", frame(0x89, "x".repeat(126))],
  ["an unknown control frame", frame(0x8b, "")],
  ["a closing frame", frame(0x88, "")],
])("%s closes the connection", async (_what, bytes) => {
  const { seen, closed, receive, wire, sent } = open();
  await receive(bytes);
  await closed;
  wire.write("late");
  expect([seen, sent]).toEqual([[], []]);
});

test("a message that is too long is discarded, whatever length it claims", async () => {
  const { seen, receive } = open();
  const head = Buffer.alloc(10);
  head.set([0x01, 127]);
  const chunk = Buffer.alloc(16 * 1024 * 1024, "a");
  head.writeBigUInt64BE(BigInt(5 * chunk.length), 2);
  await receive(head);
  for (let i = 0; i < 5; i++) await receive(chunk);
  await receive(Buffer.concat([frame(0x80, "end"), frame(0x81, "next")]));
  expect(seen).toEqual([`too long: ${"a".repeat(64)}`, "next"]);
});
