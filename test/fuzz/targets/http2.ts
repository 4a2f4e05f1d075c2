/**
 * The server side of HTTP/2: frames, streams, heads. However the input is cut, the requests and errors are the same.
 */
import fc from "fast-check";
import { FakeWire } from "../../../src/gateway/wire/testing/fake-wire.ts";
import { Http2ServerConnection } from "../../../src/gateway/http2/server-connection.ts";
import { get, post } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block } from "../../support/http2-hpack.ts";
import { FuzzHost } from "../host.ts";
import { type Random } from "../random.ts";
import { type Target } from "../target.ts";

/** Sent data that must not depend on how the input is cut: resets and the end. */
function errorsIn(bytes: Buffer): string[] {
  const errors: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    const type = bytes.readUInt8(at + 3);
    const payload = bytes.subarray(at + 9, at + 9 + length);
    if (payload.length < length) throw new Error("a frame of the server's own is cut short");
    if (type === h2.RST_STREAM) errors.push(`reset ${bytes.readUInt32BE(at + 5)} ${payload.readUInt32BE(0)}`);
    if (type === h2.GOAWAY) errors.push(`goaway ${payload.readUInt32BE(0)} ${payload.readUInt32BE(4)}`);
    at += 9 + length;
  }
  return errors;
}

function play(input: Buffer, sizes: readonly number[]): string {
  const host = new FuzzHost();
  const wire = new FakeWire();
  const connection = new Http2ServerConnection(wire, host);
  wire.onClose = () => connection.onClose();
  let at = 0;
  for (const size of sizes) {
    if (wire.closed) break;
    connection.onData(input.subarray(at, at + size));
    at += size;
  }
  const summary = [...host.requests.map((request) => request.summary), ...errorsIn(wire.bytes), host.refusals.join()];
  wire.terminate();
  host.checkEnds();
  if (connection.streams.size > 0) throw new Error(`${connection.streams.size} streams are left`);
  return summary.join("\n");
}

function check(frames: Buffer, random: Random): undefined {
  // Mutations of the preface would only find that it is refused.
  const input = Buffer.concat([h2.PREFACE, h2.settings(), frames]);
  const whole = play(input, [input.length]);
  const parts = play(input, random.cuts(input.length, 300));
  if (whole !== parts) throw new Error(`whole:\n${whole}\nin parts:\n${parts}`);
}

const FRAMES = [
  get(1),
  post(1),
  h2.data(1, "hello"),
  h2.data(1, "", h2.END_STREAM),
  h2.data(1, h2.padded("hello", 5), h2.PADDED),
  h2.frame(h2.HEADERS, h2.END_BOTH, 1, block([["x-sum", "1"]])),
  h2.frame(h2.HEADERS, h2.END_STREAM, 3, block([[":method", "GET"]])),
  h2.frame(
    h2.CONTINUATION,
    h2.END_HEADERS,
    3,
    block([
      [":path", "/x"],
      [":scheme", "http"],
      [":authority", "a.test"],
    ]),
  ),
  h2.settings([h2.INITIAL_WINDOW_SIZE, 1]),
  h2.settings([h2.INITIAL_WINDOW_SIZE, 65_535], [h2.MAX_FRAME_SIZE, 20_000]),
  h2.SETTINGS_ACK,
  h2.ping(),
  h2.ping("pingpong", h2.ACK),
  h2.windowUpdate(0, 1000),
  h2.windowUpdate(1, 1),
  h2.windowUpdate(1, h2.MAX_WINDOW),
  h2.reset(1),
  h2.frame(h2.PRIORITY, 0, 1, h2.priority(0)),
  h2.frame(h2.GOAWAY, 0, 0, h2.words(0, 0)),
  h2.frame(0x16, 0, 9, "unknown"),
];

const stream = fc.constantFrom(0, 1, 2, 3, 5, 7, 9, 11);
/** A frame, moved to another stream, with other flags. */
const moved = fc
  .tuple(fc.constantFrom(...FRAMES), fc.option(stream), fc.option(fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d)))
  .map(([original, streamId, flags]) => {
    const bytes = Buffer.from(original);
    if (streamId !== null) bytes.writeUInt32BE(streamId, 5);
    if (flags !== null) bytes.writeUInt8(flags, 4);
    return bytes;
  });

export const HTTP2: Target = {
  name: "http2",
  seeds: [
    Buffer.concat([get(1), get(3), get(5)]),
    Buffer.concat([
      post(1),
      h2.data(1, "hello"),
      post(3),
      h2.data(3, "a"),
      h2.data(1, "", h2.END_STREAM),
      h2.data(3, "b", h2.END_STREAM),
    ]),
    Buffer.concat(FRAMES.slice(1, 6)),
    Buffer.concat(FRAMES.slice(6)),
    Buffer.concat(FRAMES),
  ],
  words: FRAMES,
  structured: fc.array(moved, { minLength: 1, maxLength: 20 }).map((frames) => Buffer.concat(frames)),
  check,
};
