/** RFC 9113 §3 and §4: preface, frame format, frame size, field sections. */
import { expect } from "bun:test";
import { get, Http2Client, post, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block } from "../../support/http2-hpack.ts";
import { bytesOf, type Case, connectionError, HOLD, ignored, raw, script, served } from "./case.ts";

const UNKNOWN = 0x16;
const MAX_FRAME = 16_384;
const GET_BLOCK = block(requestFields());

async function withClient(port: number, run: (client: Http2Client) => Promise<void>): Promise<void> {
  const client = await Http2Client.open(port);
  try {
    await run(client);
  } finally {
    client.destroy();
  }
}

function prefaceFails(rule: string, bytes: string | Buffer): Case {
  return raw(["9113 §3.4", rule], (port) =>
    withClient(port, async (client) => {
      client.send(bytes);
      await client.closed();
      expect(client.frames.some(({ type }) => type === h2.HEADERS)).toBe(false);
    }),
  );
}

export const FRAME_CASES: readonly Case[] = [
  raw(["9113 §3.4", "the server's first frame is SETTINGS without ACK"], (port) =>
    withClient(port, async (client) => {
      client.send(h2.PREFACE, h2.settings());
      await client.sees("SETTINGS", ({ type }) => type === h2.SETTINGS);
      expect([client.frames[0]?.type, client.frames[0]?.flags, client.frames[0]?.streamId]).toEqual([
        h2.SETTINGS,
        0,
        0,
      ]);
    }),
  ),
  raw(["9113 §3.4", "a client need not wait for it"], (port) =>
    withClient(port, async (client) => {
      client.send(h2.PREFACE, h2.settings(), get(1));
      expect((await client.response(1)).status).toBe(200);
    }),
  ),
  raw(["9113 §3.4", "a preface in single bytes is accepted"], (port) =>
    withClient(port, async (client) => {
      client.polite = false;
      for (const byte of Buffer.concat([h2.PREFACE, h2.settings(), get(1)])) {
        client.send(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      expect((await client.response(1)).status).toBe(200);
    }),
  ),
  prefaceFails("a preface that continues with other bytes ends the connection", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"),
  raw(["9113 §3.4", "a first frame other than SETTINGS is a connection error"], (port) =>
    withClient(port, async (client) => {
      client.send(h2.PREFACE, h2.ping());
      expect(await client.goawayCode()).toBe(h2.PROTOCOL_ERROR);
      await client.closed();
    }),
  ),
  raw(["9113 §3.4", "so is an acknowledgement in place of SETTINGS"], (port) =>
    withClient(port, async (client) => {
      client.send(h2.PREFACE, h2.SETTINGS_ACK);
      expect(await client.goawayCode()).toBe(h2.PROTOCOL_ERROR);
      await client.closed();
    }),
  ),
  raw(["9113 §3.4", "SETTINGS are acknowledged"], (port) =>
    withClient(port, async (client) => {
      client.send(h2.PREFACE, h2.settings());
      await client.sees("the acknowledgement", ({ type, flags }) => type === h2.SETTINGS && flags === h2.ACK);
    }),
  ),

  ignored(["9113 §4.1", "a frame of an unknown type"], h2.frame(UNKNOWN, 0xff, 0, "12345678")),
  ignored(["9113 §4.1", "one on a stream that was never opened"], h2.frame(UNKNOWN, 0, 77, "12345678")),
  ignored(["9113 §4.1", "an empty one"], h2.frame(UNKNOWN, 0, 0)),
  ignored(["9113 §4.1", "undefined flags"], h2.ping("pingpong", 0xfe & ~h2.ACK)),
  ignored(["9113 §4.1", "the reserved bit of a stream's number"], h2.frame(h2.PING, 0, 0x8000_0000, "pingpong")),
  served(["9113 §4.1", "nor does it belong to that number"], h2.frame(h2.HEADERS, h2.END_BOTH, 0x8000_0001, GET_BLOCK)),
  ignored(["9113 §5.5", "an unknown frame of the largest size"], h2.frame(0xfe, 0, 0, "x".repeat(MAX_FRAME))),
  connectionError(
    ["9113 §5.5", "but no other frame is allowed inside a field section"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    h2.frame(UNKNOWN, 0, 0, "12345678"),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),

  served(["9113 §4.2", "DATA of 2^14 bytes"], post(1), h2.data(1, "x".repeat(MAX_FRAME), h2.END_STREAM)),
  connectionError(
    ["9113 §4.2", "DATA over SETTINGS_MAX_FRAME_SIZE"],
    h2.FRAME_SIZE_ERROR,
    post(1),
    h2.data(1, "x".repeat(MAX_FRAME + 1)),
  ),
  connectionError(
    ["9113 §4.2", "HEADERS over it"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, Buffer.concat([GET_BLOCK, Buffer.alloc(MAX_FRAME, 0x40)])),
  ),
  connectionError(
    ["9113 §4.2", "an unknown frame above it"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(UNKNOWN, 0, 0, "x".repeat(MAX_FRAME + 1)),
  ),
  connectionError(
    ["9113 §4.2", "SETTINGS over it"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.SETTINGS, 0, 0, "\0".repeat(MAX_FRAME + 2)),
  ),
  script(["9113 §4.2", "the server's frames obey the client's SETTINGS_MAX_FRAME_SIZE"], async (client) => {
    client.opensWindows = true;
    client.send(get(1, bytesOf(100_000)));
    expect((await client.response(1)).body).toHaveLength(100_000);
    expect(Math.max(...client.frames.map(({ payload }) => payload.length))).toBeLessThanOrEqual(MAX_FRAME);
  }),

  connectionError(
    ["9113 §4.3", "a block that cannot be decompressed"],
    h2.COMPRESSION_ERROR,
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, "\xff\xff\xff\xff\xff\x0f"),
  ),
  connectionError(
    ["9113 §4.3", "PRIORITY inside a field section"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    h2.frame(h2.PRIORITY, 0, 1, h2.priority(0)),
  ),
  connectionError(
    ["9113 §4.3", "PING inside a field section"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, 0, 1, GET_BLOCK),
    h2.ping(),
  ),
  connectionError(
    ["9113 §4.3", "HEADERS of another stream inside a field section"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    get(3),
  ),
  script(["9113 §4.3", "a block is decompressed even if its stream is refused"], async (client) => {
    // Stream 1 adds a field to the table and is malformed; stream 3 uses the field by its index.
    const field = Buffer.concat([Buffer.from([0x40]), Buffer.from("\x05x-tab\x05value", "latin1")]);
    client.send(
      h2.frame(h2.HEADERS, h2.END_BOTH, 1, field),
      h2.frame(h2.HEADERS, h2.END_BOTH, 3, Buffer.concat([GET_BLOCK, Buffer.from([0x80 | 62])])),
    );
    expect(await client.resetCode(1)).toBe(h2.PROTOCOL_ERROR);
    expect((await client.response(3)).status).toBe(200);
  }),

  connectionError(
    ["9113 §6.10", "CONTINUATION without HEADERS before it"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, GET_BLOCK),
  ),
  connectionError(
    ["9113 §6.10", "CONTINUATION on stream 0"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 0),
  ),
  connectionError(
    ["9113 §6.10", "CONTINUATION of another stream"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 3),
  ),
  connectionError(
    ["9113 §6.10", "CONTINUATION behind HEADERS with END_HEADERS"],
    h2.PROTOCOL_ERROR,
    get(1, HOLD),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  connectionError(
    ["9113 §6.10", "CONTINUATION behind CONTINUATION with END_HEADERS"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, block(requestFields(HOLD))),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  connectionError(
    ["9113 §6.10", "CONTINUATION behind DATA"],
    h2.PROTOCOL_ERROR,
    post(1, HOLD),
    h2.data(1, "x"),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  connectionError(
    ["9113 §6.10", "DATA inside a field section"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, 0, 1, GET_BLOCK),
    h2.data(1, "x"),
  ),
  served(
    ["9113 §6.10", "any number of CONTINUATION frames, even empty ones, form one block"],
    h2.frame(h2.HEADERS, h2.END_STREAM, 1, GET_BLOCK.subarray(0, 5)),
    h2.frame(h2.CONTINUATION, 0, 1),
    ...Array.from({ length: 10 }, (_, i) => h2.frame(h2.CONTINUATION, 0, 1, GET_BLOCK.subarray(5 + i, 6 + i))),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, GET_BLOCK.subarray(15)),
  ),
];
