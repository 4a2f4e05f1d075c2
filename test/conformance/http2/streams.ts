/** RFC 9113 §5: stream states, numbers, concurrency, errors. */
import { expect } from "bun:test";
import { fieldOf, get, type Http2Client, post, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block } from "../../support/http2-hpack.ts";
import { type Case, connectionError, HOLD, ignored, script, served, streamError } from "./case.ts";

/** Concurrent streams that the gateway under test allows. */
export const MAX_STREAMS = 20;

/** Stream 1 has a response and is closed by both sides. */
async function closedStream(client: Http2Client): Promise<void> {
  client.send(get(1));
  expect((await client.response(1)).status).toBe(200);
}

/** Frames on stream 1 after it was closed. */
function onClosed(rule: string, codes: number | readonly number[], ...frames: readonly Buffer[]): Case {
  return script(["9113 §5.1", rule], async (client) => {
    await closedStream(client);
    client.send(...frames);
    expect([codes].flat()).toContain(await client.goawayCode());
    await client.closed();
  });
}

/** Frames on stream 1 after the client has reset it. */
function onReset(rule: string, codes: number | readonly number[], ...frames: readonly Buffer[]): Case {
  return connectionError(["9113 §5.1", rule], codes, post(1, HOLD), h2.reset(1), ...frames);
}

export const STREAM_CASES: readonly Case[] = [
  connectionError(
    ["9113 §5.1", "DATA on an idle stream"],
    [h2.PROTOCOL_ERROR, h2.STREAM_CLOSED],
    h2.data(1, "x", h2.END_STREAM),
  ),
  connectionError(["9113 §5.1", "RST_STREAM on an idle stream"], h2.PROTOCOL_ERROR, h2.reset(1)),
  connectionError(["9113 §5.1", "WINDOW_UPDATE on an idle stream"], h2.PROTOCOL_ERROR, h2.windowUpdate(1, 100)),
  connectionError(
    ["9113 §5.1", "CONTINUATION on an idle stream"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block(requestFields())),
  ),
  connectionError(
    ["9113 §5.1", "RST_STREAM on a stream above those that are open"],
    h2.PROTOCOL_ERROR,
    get(1, HOLD),
    h2.reset(3),
  ),
  ignored(["9113 §5.1", "PRIORITY on an idle stream"], h2.frame(h2.PRIORITY, 0, 1, h2.priority(0))),

  streamError(
    ["9113 §5.1", "DATA on a stream that the client has ended"],
    h2.STREAM_CLOSED,
    get(1, HOLD),
    h2.data(1, "x", h2.END_STREAM),
  ),
  streamError(
    ["9113 §5.1", "HEADERS on a stream that the client has ended"],
    h2.STREAM_CLOSED,
    get(1, HOLD),
    get(1, HOLD),
  ),
  connectionError(
    ["9113 §5.1", "CONTINUATION on a stream that the client has ended"],
    [h2.PROTOCOL_ERROR, h2.STREAM_CLOSED],
    get(1, HOLD),
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  ignored(["9113 §5.1", "WINDOW_UPDATE on a stream that the client has ended"], get(1, HOLD), h2.windowUpdate(1, 100)),
  ignored(
    ["9113 §5.1", "PRIORITY on a stream that the client has ended"],
    get(1, HOLD),
    h2.frame(h2.PRIORITY, 0, 1, h2.priority(0)),
  ),
  ignored(["9113 §5.1", "RST_STREAM on a stream that the client has ended"], get(1, HOLD), h2.reset(1)),

  onReset("DATA on a stream that the client has reset", h2.STREAM_CLOSED, h2.data(1, "x", h2.END_STREAM)),
  onReset("HEADERS on a stream that the client has reset", h2.STREAM_CLOSED, get(1)),
  onReset(
    "CONTINUATION on a stream that the client has reset",
    [h2.PROTOCOL_ERROR, h2.STREAM_CLOSED],
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  onClosed("DATA on a closed stream", h2.STREAM_CLOSED, h2.data(1, "x", h2.END_STREAM)),
  onClosed("HEADERS on a closed stream", [h2.STREAM_CLOSED, h2.PROTOCOL_ERROR], get(1)),
  onClosed(
    "CONTINUATION on a closed stream",
    [h2.PROTOCOL_ERROR, h2.STREAM_CLOSED],
    h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1),
  ),
  script(["9113 §5.1", "WINDOW_UPDATE, PRIORITY and RST_STREAM on a closed stream are ignored"], async (client) => {
    await closedStream(client);
    client.send(h2.windowUpdate(1, 1), h2.frame(h2.PRIORITY, 0, 1, h2.priority(0)), h2.reset(1), get(3));
    expect((await client.response(3)).status).toBe(200);
  }),
  script(["9113 §6.3", "PRIORITY of another length than 5 on a closed stream"], async (client) => {
    await closedStream(client);
    client.send(h2.frame(h2.PRIORITY, 0, 1, "\x80\0\0\x01"));
    expect(await client.goawayCode()).toBe(h2.FRAME_SIZE_ERROR);
    await client.closed();
  }),
  script(["9113 §5.1", "DATA on a stream that the server has reset, and then the client"], async (client) => {
    client.send(post(1, "/x", [["Upper", "x"]]));
    expect(await client.resetCode(1)).toBe(h2.PROTOCOL_ERROR);
    client.send(h2.reset(1), h2.data(1, "x", h2.END_STREAM));
    expect(await client.goawayCode()).toBe(h2.STREAM_CLOSED);
    await client.closed();
  }),
  script(["9113 §5.1", "frames in flight for a stream that the server has reset are ignored"], async (client) => {
    // Malformed, so the server resets it. The client continues with trailers and DATA anyway.
    client.send(
      post(1, "/x", [["Upper", "x"]]),
      h2.data(1, "late"),
      h2.frame(h2.HEADERS, h2.END_BOTH, 1, block([["t", "1"]])),
      get(3),
    );
    expect(await client.resetCode(1)).toBe(h2.PROTOCOL_ERROR);
    expect((await client.response(3)).status).toBe(200);
  }),
  script(["9113 §5.1", "an implicitly closed stream is closed"], async (client) => {
    client.send(get(5), h2.data(3, "x"));
    expect([h2.STREAM_CLOSED, h2.PROTOCOL_ERROR]).toContain(await client.goawayCode());
    await client.closed();
  }),

  connectionError(["9113 §5.1.1", "a client's stream with an even number"], h2.PROTOCOL_ERROR, get(2)),
  connectionError(
    ["9113 §5.1.1", "a number smaller than the last"],
    [h2.PROTOCOL_ERROR, h2.STREAM_CLOSED],
    get(5, HOLD),
    get(3),
  ),
  served(["9113 §5.1.1", "stream numbers can be skipped"], get(1), get(9), get(0x7fff_ffff)),
  script(["9113 §5.1.1", "the highest stream number can be used"], async (client) => {
    client.send(get(0x7fff_ffff));
    expect((await client.response(0x7fff_ffff)).status).toBe(200);
  }),

  script(["9113 §5.1.2", "a stream above the limit is refused, and the others continue"], async (client) => {
    for (let i = 0; i < MAX_STREAMS; i++) client.send(post(1 + 2 * i));
    const last = 1 + 2 * MAX_STREAMS;
    client.send(get(last));
    expect([h2.REFUSED_STREAM, h2.PROTOCOL_ERROR]).toContain(await client.resetCode(last));
    for (let i = 0; i < MAX_STREAMS; i++) client.send(h2.data(1 + 2 * i, "x", h2.END_STREAM));
    for (let i = 0; i < MAX_STREAMS; i++) expect((await client.response(1 + 2 * i)).status).toBe(200);
    client.send(get(last + 2));
    expect((await client.response(last + 2)).status).toBe(200);
  }),
  script(["9113 §5.1.2", "SETTINGS announces the limit"], async (client) => {
    const said = client.frames.find(({ type, flags }) => type === h2.SETTINGS && flags === 0);
    const payload = said?.payload ?? Buffer.alloc(0);
    const ids = Array.from({ length: payload.length / 6 }, (_, i) => [
      payload.readUInt16BE(i * 6),
      payload.readUInt32BE(i * 6 + 2),
    ]);
    expect(ids).toContainEqual([h2.MAX_CONCURRENT_STREAMS, MAX_STREAMS]);
  }),

  streamError(
    ["9113 §5.3.1", "HEADERS of a stream that depends on itself"],
    h2.PROTOCOL_ERROR,
    h2.frame(h2.HEADERS, h2.END_BOTH | h2.HAS_PRIORITY, 1, Buffer.concat([h2.priority(1), block(requestFields())])),
  ),
  streamError(
    ["9113 §5.3.1", "PRIORITY of a stream that depends on itself"],
    h2.PROTOCOL_ERROR,
    post(1, HOLD),
    h2.frame(h2.PRIORITY, 0, 1, h2.priority(1)),
  ),
  ...(
    [
      [0, 0, false],
      [0, 255, true],
      [99, 15, true],
    ] as const
  ).map(([dependency, weight, exclusive]) =>
    served(
      ["9113 §5.3.2", `a priority of ${dependency}/${weight}/${String(exclusive)} is taken and not followed`],
      h2.frame(
        h2.HEADERS,
        h2.END_BOTH | h2.HAS_PRIORITY,
        1,
        Buffer.concat([h2.priority(dependency, weight, exclusive), block(requestFields())]),
      ),
    ),
  ),

  script(["9113 §5.4.1", "GOAWAY names the last stream that was served"], async (client) => {
    client.send(get(1), get(3));
    await client.response(1);
    await client.response(3);
    client.send(h2.frame(h2.PING, 0, 0, "short"));
    const goaway = await client.sees("GOAWAY", ({ type }) => type === h2.GOAWAY);
    expect([goaway.streamId, goaway.payload.readUInt32BE(0), goaway.payload.readUInt32BE(4)]).toEqual([
      0,
      3,
      h2.FRAME_SIZE_ERROR,
    ]);
    await client.closed();
  }),
  script(["9113 §5.4.2", "RST_STREAM does not cause RST_STREAM"], async (client) => {
    client.send(get(1, HOLD), h2.reset(1));
    await client.fence();
    expect(client.frames.filter(({ type }) => type === h2.RST_STREAM)).toEqual([]);
  }),
  ignored(["9113 §7", "an unknown error code in RST_STREAM"], post(1, HOLD), h2.reset(1, 0xff)),
  script(["9113 §7", "an unknown error code in GOAWAY ends the connection like others"], async (client) => {
    client.send(h2.frame(h2.GOAWAY, 0, 0, h2.words(0, 0xff)));
    await client.closed();
  }),
  script(["9113 §5", "streams are served concurrently, fast ones before slow ones"], async (client) => {
    client.send(get(1, HOLD), get(3, "/quick"));
    const { status, fields } = await client.response(3);
    expect([status, fieldOf(fields, "content-type")]).toEqual([200, "text/plain"]);
  }),
];
