/** RFC 9113 §5.2 and §6.9: windows in both directions. */
import { expect } from "bun:test";
import { get, type Http2Client, post } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { bytesOf, type Case, connectionError, HOLD, script, streamError } from "./case.ts";

/** The window for each stream of the gateway under test. */
export const STREAM_WINDOW = 100_000;
const FRAME = 16_384;

async function seesBytes(client: Http2Client, streamId: number, count: number): Promise<void> {
  await client.sees(`${count} bytes on stream ${streamId}`, () => client.received(streamId) >= count);
  await client.fence();
  expect(client.received(streamId)).toBe(count);
}

export const FLOW_CASES: readonly Case[] = [
  script(["9113 §6.9.1", "no more than a stream's window is sent"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 1]), get(1));
    await seesBytes(client, 1, 1);
    client.send(h2.windowUpdate(1, 2));
    await seesBytes(client, 1, 3);
  }),
  script(["9113 §6.9.1", "nor more than the connection's window, for any stream windows"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, h2.MAX_WINDOW]), get(1, bytesOf(200_000)));
    await seesBytes(client, 1, 65_535);
    client.send(h2.windowUpdate(0, 10));
    await seesBytes(client, 1, 65_545);
    client.send(h2.windowUpdate(0, 1_000_000));
    expect((await client.response(1)).body).toHaveLength(200_000);
  }),
  script(["9113 §6.9.1", "a response without a body needs no window"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 0]), get(1, bytesOf(0)));
    expect((await client.response(1)).status).toBe(200);
  }),
  script(["9113 §6.9.1", "a stream without a window delays no other stream"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 0]), get(1), get(3));
    await client.fence();
    client.send(h2.windowUpdate(3, 100));
    expect((await client.response(3)).body.toString()).toBe("GET /x");
    expect(client.received(1)).toBe(0);
  }),
  connectionError(
    ["9113 §6.9.1", "the connection's window above 2^31-1"],
    h2.FLOW_CONTROL_ERROR,
    h2.windowUpdate(0, h2.MAX_WINDOW),
    h2.windowUpdate(0, h2.MAX_WINDOW),
  ),
  streamError(
    ["9113 §6.9.1", "a stream's window above 2^31-1"],
    h2.FLOW_CONTROL_ERROR,
    get(1, HOLD),
    h2.windowUpdate(1, h2.MAX_WINDOW),
    h2.windowUpdate(1, h2.MAX_WINDOW),
  ),
  connectionError(
    ["9113 §6.9.2", "SETTINGS that lift an open stream's window above 2^31-1"],
    h2.FLOW_CONTROL_ERROR,
    get(1, HOLD),
    h2.windowUpdate(1, h2.MAX_WINDOW - 65_535),
    h2.settings([h2.INITIAL_WINDOW_SIZE, 65_536]),
  ),
  script(["9113 §6.9.2", "a new initial window moves the windows of open streams"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 0]), get(1));
    await client.fence();
    expect(client.received(1)).toBe(0);
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 1]));
    await seesBytes(client, 1, 1);
  }),
  script(["9113 §6.9.2", "and can make them negative; new window first fills the deficit"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 3]), get(1));
    await seesBytes(client, 1, 3);
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 2]));
    await client.fence();
    client.send(h2.windowUpdate(1, 1));
    await client.fence();
    expect(client.received(1)).toBe(3);
    client.send(h2.windowUpdate(1, 1));
    await seesBytes(client, 1, 4);
  }),
  script(["9113 §6.9.2", "SETTINGS leave the connection's window alone"], async (client) => {
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 500_000]), get(1, bytesOf(100_000)));
    await seesBytes(client, 1, 65_535);
    client.send(h2.settings([h2.INITIAL_WINDOW_SIZE, 1_000_000]));
    await client.fence();
    expect(client.received(1)).toBe(65_535);
  }),

  script(["9113 §5.2", "a body larger than any window arrives, since the server opens its own"], async (client) => {
    let room = { stream: STREAM_WINDOW, connection: 65_535 };
    let read = 0;
    const take = (): void => {
      for (; read < client.frames.length; read++) {
        const frame = client.frames[read];
        if (frame?.type !== h2.WINDOW_UPDATE) continue;
        const by = frame.payload.readUInt32BE(0);
        if (frame.streamId === 0) room = { ...room, connection: room.connection + by };
        else room = { ...room, stream: room.stream + by };
      }
    };
    client.send(post(1, "/count"));
    const total = 3 * STREAM_WINDOW;
    for (let sent = 0; sent < total; ) {
      take();
      const size = Math.min(FRAME, total - sent, room.stream, room.connection);
      if (size > 0) {
        client.send(h2.data(1, "x".repeat(size), sent + size === total ? h2.END_STREAM : 0));
        room = { stream: room.stream - size, connection: room.connection - size };
        sent += size;
      } else {
        const before = client.frames.length;
        await client.sees("WINDOW_UPDATE", () =>
          client.frames.slice(before).some(({ type }) => type === h2.WINDOW_UPDATE),
        );
      }
    }
    expect((await client.response(1)).body.toString()).toBe(String(total));
  }),
  script(["9113 §5.2", "a client that sends more than a stream's window gets an error"], async (client) => {
    // The origin reads nothing, so no window is reopened after the kernel's buffers are full.
    client.send(post(1, "/deaf"));
    for (let sent = 0; sent <= 24_000_000; sent += FRAME) client.send(h2.data(1, "x".repeat(FRAME)));
    const error = await client.sees("an error", ({ type }) => type === h2.RST_STREAM || type === h2.GOAWAY);
    const code = error.payload.readUInt32BE(error.type === h2.GOAWAY ? 4 : 0);
    expect(code).toBe(h2.FLOW_CONTROL_ERROR);
  }),
  script(["9113 §6.9", "padding counts, and its window is returned"], async (client) => {
    client.send(post(1, "/count"));
    const frames = Math.ceil((2 * STREAM_WINDOW) / 256);
    for (let i = 0; i < frames; i++) {
      client.send(h2.data(1, h2.padded("", 255), h2.PADDED));
      if (i % 100 === 99) await client.fence();
    }
    client.send(h2.data(1, "end", h2.END_STREAM));
    expect((await client.response(1)).body.toString()).toBe("3");
  }),
  script(
    ["9113 §6.9", "DATA on a closed stream counts for the connection's window, which is returned"],
    async (client) => {
      // Each stream is malformed and is reset. Without window updates, the connection's window would be used up by the
      // tenth stream.
      for (let i = 0; i < 60; i++) {
        const streamId = 1 + 2 * i;
        client.send(post(streamId, "/x", [["Upper", "x"]]), h2.data(streamId, "x".repeat(FRAME)));
        await client.fence();
      }
      client.send(post(201), h2.data(201, "hello", h2.END_STREAM));
      expect((await client.response(201)).body.toString()).toBe("POST /x hello");
    },
  ),
];
