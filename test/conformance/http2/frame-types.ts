/** RFC 9113 §6: each frame type's own rules. Windows are in `flow-control.ts`, CONTINUATION is in `frames.ts`. */
import { expect } from "bun:test";
import { get, Http2Client, post, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block } from "../../support/http2-hpack.ts";
import { type Case, connectionError, HOLD, ignored, script, served, streamError } from "./case.ts";

const GET_BLOCK = block(requestFields());

function setting(id: number, value: number): Buffer {
  return h2.settings([id, value]);
}

export const FRAME_TYPE_CASES: readonly Case[] = [
  connectionError(["9113 §6.1", "DATA on stream 0"], h2.PROTOCOL_ERROR, h2.data(0, "x", h2.END_STREAM)),
  connectionError(
    ["9113 §6.1", "padding as long as its frame"],
    h2.PROTOCOL_ERROR,
    post(1, HOLD),
    h2.data(1, "\x06hello", h2.PADDED),
  ),
  connectionError(
    ["9113 §6.1", "padding longer than its frame"],
    h2.PROTOCOL_ERROR,
    post(1, HOLD),
    h2.data(1, "\xffhello", h2.PADDED),
  ),
  connectionError(
    ["9113 §6.1", "a padded frame without its pad length"],
    [h2.FRAME_SIZE_ERROR, h2.PROTOCOL_ERROR],
    post(1, HOLD),
    h2.data(1, "", h2.PADDED),
  ),
  script(["9113 §6.1", "padding does not belong to the body"], async (client) => {
    client.send(
      post(1),
      h2.data(1, h2.padded("hel", 0), h2.PADDED),
      h2.data(1, h2.padded("lo", 200), h2.PADDED),
      h2.data(1, h2.padded("", 255), h2.PADDED | h2.END_STREAM),
    );
    expect((await client.response(1)).body.toString()).toBe("POST /x hello");
  }),
  script(["9113 §6.1", "a body may come in many frames, some of them empty"], async (client) => {
    client.send(post(1), h2.data(1, "he"), h2.data(1, ""), h2.data(1, "llo"), h2.data(1, "", h2.END_STREAM));
    expect((await client.response(1)).body.toString()).toBe("POST /x hello");
  }),

  connectionError(["9113 §6.2", "HEADERS on stream 0"], h2.PROTOCOL_ERROR, get(0)),
  connectionError(
    ["9113 §6.2", "padding longer than its frame"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.PADDED, 1, Buffer.concat([Buffer.from([GET_BLOCK.length + 1]), GET_BLOCK])),
  ),
  connectionError(
    ["9113 §6.2", "a padded frame without its pad length"],
    [h2.FRAME_SIZE_ERROR, h2.PROTOCOL_ERROR],
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.PADDED, 1),
  ),
  connectionError(
    ["9113 §6.2", "a priority that is cut short"],
    [h2.FRAME_SIZE_ERROR, h2.PROTOCOL_ERROR],
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.HAS_PRIORITY, 1, "\0\0\0"),
  ),
  served(["9113 §6.2", "padding"], h2.frame(h2.HEADERS, h2.END_BOTH | h2.PADDED, 1, h2.padded(GET_BLOCK, 77))),
  served(
    ["9113 §6.2", "padding and a priority"],
    h2.frame(
      h2.HEADERS,
      h2.END_BOTH | h2.PADDED | h2.HAS_PRIORITY,
      1,
      h2.padded(Buffer.concat([h2.priority(0), GET_BLOCK]), 9),
    ),
  ),
  served(
    ["9113 §6.2", "padding before CONTINUATION"],
    h2.frame(h2.HEADERS, h2.END_STREAM | h2.PADDED, 1, h2.padded(GET_BLOCK.subarray(0, 9), 50)),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, GET_BLOCK.subarray(9)),
  ),

  connectionError(
    ["9113 §6.3", "PRIORITY on stream 0"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.PRIORITY, 0, 0, h2.priority(0)),
  ),
  streamError(
    ["9113 §6.3", "PRIORITY of another length than 5"],
    h2.FRAME_SIZE_ERROR,
    post(1, HOLD),
    h2.frame(h2.PRIORITY, 0, 1, "\x80\0\0\x01"),
  ),

  connectionError(["9113 §6.4", "RST_STREAM on stream 0"], h2.PROTOCOL_ERROR, h2.reset(0)),
  connectionError(
    ["9113 §6.4", "RST_STREAM of another length than 4"],
    h2.FRAME_SIZE_ERROR,
    post(1, HOLD),
    h2.frame(h2.RST_STREAM, 0, 1, "\0\0\0"),
  ),

  connectionError(
    ["9113 §6.5", "SETTINGS on a stream"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.SETTINGS, 0, 1, "\0\x03\0\0\0\x64"),
  ),
  connectionError(
    ["9113 §6.5", "an acknowledgement with a payload"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.SETTINGS, h2.ACK, 0, "\0\x03\0\0\0\x64"),
  ),
  connectionError(
    ["9113 §6.5", "SETTINGS of a length that is not a multiple of 6"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.SETTINGS, 0, 0, "\0\x03\0"),
  ),
  ignored(["9113 §6.5", "an acknowledgement without SETTINGS"], h2.SETTINGS_ACK),
  connectionError(["9113 §6.5.2", "ENABLE_PUSH of 2"], h2.PROTOCOL_ERROR, setting(h2.ENABLE_PUSH, 2)),
  connectionError(
    ["9113 §6.5.2", "INITIAL_WINDOW_SIZE of 2^31"],
    h2.FLOW_CONTROL_ERROR,
    setting(h2.INITIAL_WINDOW_SIZE, 0x8000_0000),
  ),
  connectionError(["9113 §6.5.2", "MAX_FRAME_SIZE below 2^14"], h2.PROTOCOL_ERROR, setting(h2.MAX_FRAME_SIZE, 16_383)),
  connectionError(["9113 §6.5.2", "MAX_FRAME_SIZE of 2^24"], h2.PROTOCOL_ERROR, setting(h2.MAX_FRAME_SIZE, 0x100_0000)),
  ignored(["9113 §6.5.2", "an unknown setting"], setting(0xff, 1)),
  ignored(
    ["9113 §6.5.2", "every setting at its bounds"],
    h2.settings(
      [h2.HEADER_TABLE_SIZE, 0],
      [h2.HEADER_TABLE_SIZE, 0xffff_ffff],
      [h2.ENABLE_PUSH, 1],
      [h2.MAX_CONCURRENT_STREAMS, 0],
      [h2.INITIAL_WINDOW_SIZE, h2.MAX_WINDOW],
      [h2.MAX_FRAME_SIZE, 0xff_ffff],
      [h2.MAX_HEADER_LIST_SIZE, 0xffff_ffff],
    ),
  ),
  script(["9113 §6.5.3", "each SETTINGS frame is acknowledged, an empty one too"], async (client) => {
    client.send(h2.settings(), h2.settings(), h2.settings());
    await client.fence();
    expect(client.frames.filter(({ type, flags }) => type === h2.SETTINGS && flags === h2.ACK)).toHaveLength(4);
  }),
  script(["9113 §6.5.3", "of a setting that is repeated in one frame, the last value counts"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 100], [h2.INITIAL_WINDOW_SIZE, 1]), get(1));
    await client.sees("DATA", ({ type }) => type === h2.DATA);
    await client.fence();
    expect(client.received(1)).toBe(1);
  }),

  connectionError(
    ["9113 §6.6", "PUSH_PROMISE from a client"],
    h2.PROTOCOL_ERROR,
    get(1, HOLD),
    h2.frame(h2.PUSH_PROMISE, h2.END_HEADERS, 1, Buffer.concat([h2.words(2), GET_BLOCK])),
  ),

  script(["9113 §6.7", "the acknowledgement of PING has its content"], async (client) => {
    client.send(h2.ping("\x01\x02\x03\x04\0\xff\x07\x08"));
    const pong = await client.sees("PING's response", ({ type, flags }) => type === h2.PING && flags === h2.ACK);
    expect([pong.streamId, pong.payload.toString("latin1")]).toEqual([0, "\x01\x02\x03\x04\0\xff\x07\x08"]);
  }),
  script(["9113 §6.7", "an acknowledgement of PING gets no acknowledgement"], async (client) => {
    client.send(h2.ping("unasked!", h2.ACK));
    await client.fence();
    expect(client.frames.some(({ payload }) => payload.toString("latin1") === "unasked!")).toBe(false);
  }),
  connectionError(["9113 §6.7", "PING on a stream"], h2.PROTOCOL_ERROR, h2.frame(h2.PING, 0, 1, "pingpong")),
  connectionError(["9113 §6.7", "PING of another length than 8"], h2.FRAME_SIZE_ERROR, h2.frame(h2.PING, 0, 0, "ping")),
  connectionError(
    ["9113 §6.7", "a response to PING of another length than 8"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.PING, h2.ACK, 0, "pingpongs"),
  ),
  connectionError(
    ["9113 §6.7", "PING on a stream comes before its length"],
    [h2.PROTOCOL_ERROR, h2.FRAME_SIZE_ERROR],
    h2.frame(h2.PING, 0, 1, "ping"),
  ),

  connectionError(["9113 §6.8", "GOAWAY on a stream"], h2.PROTOCOL_ERROR, h2.frame(h2.GOAWAY, 0, 1, h2.words(0, 0))),
  connectionError(
    ["9113 §6.8", "GOAWAY that is cut short"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.GOAWAY, 0, 0, "\0\0\0\0"),
  ),
  script(
    ["9113 §6.8", "after GOAWAY, open requests get their responses, and then the connection closes"],
    async (client) => {
      client.send(post(1), h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.words(0, h2.NO_ERROR), Buffer.from("bye")])));
      await new Promise(setImmediate);
      client.send(h2.data(1, "hello", h2.END_STREAM));
      expect((await client.response(1)).body.toString()).toBe("POST /x hello");
      await client.closed();
    },
  ),

  connectionError(
    ["9113 §6.9", "WINDOW_UPDATE of another length than 4"],
    h2.FRAME_SIZE_ERROR,
    h2.frame(h2.WINDOW_UPDATE, 0, 0, "\0\0\x01"),
  ),
  connectionError(
    ["9113 §6.9", "also on a stream"],
    h2.FRAME_SIZE_ERROR,
    post(1, HOLD),
    h2.frame(h2.WINDOW_UPDATE, 0, 1, "\0\0\0\0\x01"),
  ),
  connectionError(["9113 §6.9", "WINDOW_UPDATE of 0 on the connection"], h2.PROTOCOL_ERROR, h2.windowUpdate(0, 0)),
  streamError(["9113 §6.9", "WINDOW_UPDATE of 0 on a stream"], h2.PROTOCOL_ERROR, get(1, HOLD), h2.windowUpdate(1, 0)),
  ignored(["9113 §6.9", "the reserved bit of an increment"], h2.windowUpdate(0, 0x8000_0001)),

  script(["9113 §9.1", "two connections are independent of each other"], async (client, port) => {
    const other = await Http2Client.ready(port);
    try {
      client.send(get(1));
      other.send(get(1, "/other"));
      expect([(await client.response(1)).body.toString(), (await other.response(1)).body.toString()]).toEqual([
        "GET /x",
        "GET /other",
      ]);
    } finally {
      other.destroy();
    }
  }),
];
