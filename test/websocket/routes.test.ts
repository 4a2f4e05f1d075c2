/** Handshakes on routes with further policies, and HTTP/2 frame by frame. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Rig } from "../proxy/testing/rig.ts";
import { serverAt } from "../support/gateway.ts";
import { get, Http2Client } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block, type HeaderList } from "../support/http2-hpack.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { handshakeHead, openTunnel } from "./testing/tunnel-client.ts";
import { TunnelOrigin } from "./testing/tunnel-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const BOTH = ["HTTP/1.1", "HTTP/2"] as const;
const ENABLE_CONNECT_PROTOCOL = 8;
const WINDOW = 65_535;

let origin: TunnelOrigin;
let plain: RawOrigin;
let rig: Rig;

beforeAll(async () => {
  origin = await TunnelOrigin.start();
  plain = await RawOrigin.start();
  const gone = await RawOrigin.start();
  await gone.stop();
  rig = await Rig.start({
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "plain", servers: [serverAt(plain.port)] },
      { name: "h2c", protocol: "h2c", servers: [serverAt(origin.port)] },
      { name: "half", servers: [serverAt(gone.port), serverAt(origin.port)] },
    ],
    routes: [
      { path_prefix: "/ws", upstream: "origin" },
      { path_prefix: "/cached", upstream: "origin", cache: { ttl_s: 60 } },
      { path_prefix: "/mirrored", upstream: "origin", mirror: "plain" },
      { path_prefix: "/h2c", upstream: "h2c" },
      { path_prefix: "/half", upstream: "half", retry: { max_retries: 1 } },
    ],
    http2: { initial_window_size: WINDOW },
  });
});
afterEach(async () => {
  origin.reset();
  plain.reset();
  await rig.settled();
  expect(rig.logged).toEqual([]);
});
afterAll(async () => {
  await rig.stop();
  await origin.stop();
  await plain.stop();
});

describe.each(BOTH)("a handshake by %s", (client) => {
  const switched = client === "HTTP/1.1" ? 101 : 200;
  const ask = (path: string): ReturnType<typeof openTunnel> =>
    openTunnel(client, { port: rig.port, tlsPort: 0 }, { path });

  test("bypasses a cache, and never gets a response from it", async () => {
    for (let i = 0; i < 2; i++) {
      const opened = await ask("/cached/a");
      expect(opened.status).toBe(switched);
      const there = await origin.tunnel(i);
      opened.end.send("hello");
      await there.sees(5);
      opened.destroy();
      await there.over();
    }
  });

  test("is not copied to a mirror", async () => {
    const opened = await ask("/mirrored");
    expect(opened.status).toBe(switched);
    opened.destroy();
    await (await origin.tunnel()).over();
    expect(plain.requests).toEqual([]);
  });

  test("does not reach an upstream over HTTP/2", async () => {
    const opened = await ask("/h2c");
    expect(opened.status).toBe(501);
    opened.destroy();
    expect((await rig.counts("h2c")).failures).toBe(0);
  });

  test("goes to another server if one refuses the connection", async () => {
    for (let i = 0; i < 4; i++) {
      const opened = await ask("/half");
      expect(opened.status).toBe(switched);
      opened.destroy();
      await (await origin.tunnel(i)).over();
    }
  });
});

describe("a tunnel by HTTP/2, frame by frame", () => {
  const CONNECT: HeaderList = [
    [":method", "CONNECT"],
    [":protocol", "websocket"],
    [":scheme", "http"],
    [":path", "/ws"],
    [":authority", "a.test"],
    ["sec-websocket-version", "13"],
  ];

  async function begin(flags = h2.END_HEADERS, list = CONNECT): Promise<Http2Client> {
    const client = await Http2Client.ready(rig.port);
    client.send(h2.frame(h2.HEADERS, flags, 1, block(list)));
    return client;
  }
  const replaced = (name: string, value: string): HeaderList =>
    CONNECT.map((field) => (field[0] === name ? [name, value] : field));

  test("is announced in SETTINGS", async () => {
    const client = await Http2Client.ready(rig.port);
    const settings = client.frames.find(({ type, flags }) => type === h2.SETTINGS && flags === 0);
    const pairs = Array.from({ length: (settings?.payload.length ?? 0) / 6 }, (_, i) => [
      settings?.payload.readUInt16BE(i * 6),
      settings?.payload.readUInt32BE(i * 6 + 2),
    ]);
    expect(pairs).toContainEqual([ENABLE_CONNECT_PROTOCOL, 1]);
    client.destroy();
  });

  test("has a window that a slow upstream keeps shut, and that opens when the upstream reads again", async () => {
    const client = await begin();
    const there = await origin.tunnel();
    there.stream.pause();
    // Far more than all buffers on the way: the client must wait for window updates that do not arrive.
    const updates = (): number =>
      client.frames
        .filter(({ type, streamId }) => type === h2.WINDOW_UPDATE && streamId === 1)
        .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
    let sent = 0;
    for (let stalled = 0; stalled < 20; ) {
      const room = Math.min(WINDOW + updates() - sent, 16_384);
      if (room > 0) {
        client.send(h2.data(1, Buffer.alloc(room, "x")));
        sent += room;
        stalled = 0;
      } else {
        stalled++;
        await client.fence();
        await Bun.sleep(10);
      }
    }
    expect(sent).toBeLessThan(32 * 1_048_576);
    // The paused data is at most the window.
    const before = updates();
    there.stream.resume();
    await there.sees(sent);
    await client.sees("a window update", () => updates() > before);
    client.destroy();
  });

  test("is a stream among others: requests pass while it is stalled", async () => {
    const client = await begin();
    const there = await origin.tunnel();
    there.stream.pause();
    client.send(h2.data(1, Buffer.alloc(16_384)));
    client.send(get(3, "/.healthz"));
    expect((await client.response(3)).status).toBe(200);
    client.destroy();
    there.stream.resume();
  });

  test("ends at the upstream if its client ends it with its header section", async () => {
    const client = await begin(h2.END_HEADERS | h2.END_STREAM);
    const there = await origin.tunnel();
    await there.until("its end", () => there.ended);
    there.stream.end("bye");
    expect(await client.response(1)).toMatchObject({ status: 200, body: Buffer.from("bye") });
    client.destroy();
  });

  test("is closed at the upstream if its client resets it", async () => {
    const client = await begin();
    const there = await origin.tunnel();
    client.send(h2.reset(1));
    await there.over();
    await client.fence();
    client.destroy();
  });

  test.each([
    ["another protocol", replaced(":protocol", "connect-udp"), 501],
    ["a path that hides a slash", replaced(":path", "/ws%2f"), 400],
    ["a path that no route takes", replaced(":path", "/nowhere"), 404],
  ])("for %s has a response", async (_name, list, status) => {
    const client = await begin(h2.END_HEADERS, list);
    expect((await client.response(1)).status).toBe(status);
    client.destroy();
  });

  test.each([
    ["without :scheme", CONNECT.filter(([name]) => name !== ":scheme")],
    ["without :path", CONNECT.filter(([name]) => name !== ":path")],
    ["by GET", replaced(":method", "GET")],
    ["with a length", [...CONNECT, ["content-length", "5"]] satisfies HeaderList],
    ["with a field of HTTP/1", [...CONNECT, ["upgrade", "websocket"]] satisfies HeaderList],
  ])("%s is malformed", async (_name, list) => {
    const client = await begin(h2.END_HEADERS, list);
    expect(await client.resetCode(1)).toBe(h2.PROTOCOL_ERROR);
    client.destroy();
  });

  test("does not exist over plain CONNECT", async () => {
    const client = await begin(h2.END_HEADERS, [
      [":method", "CONNECT"],
      [":authority", "a.test:80"],
    ]);
    expect((await client.response(1)).status).toBe(501);
    client.destroy();
  });
});

test("a hundred refused handshakes leave an HTTP/1.1 connection usable", async () => {
  const client = await RawClient.open(rig.port);
  origin.reply = (_request, socket) => socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
  client.send(handshakeHead("/ws").repeat(100));
  for (let i = 0; i < 100; i++) expect(statusOf(await client.response())).toBe(404);
  client.destroy();
});
