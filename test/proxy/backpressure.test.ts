/**
 * A hundred megabytes through an HTTP/2 upstream, with one side slower than the other: paused, and with little memory.
 */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { connect as connectHttp2, createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MIB = 1024 * 1024;
const BODY = 100 * MIB;
/** Kernel buffers on both sides, the windows of HTTP/2, and the gateway's own limit. */
const HELD_BACK = 30 * MIB;
/** Bytes of a response whose client does not read, in memory and on disk: `buffer_pool.response_buffer_bytes`. */
const BUFFERED = 32 * MIB;
/** Allowed growth of the gateway's memory; most of it is garbage that is not collected yet. */
const GROWTH_KIB = 80 * 1024;
const PIECE = 64 * 1024;

let server: Http2Server;
let gateway: Gateway;
let onStream: (stream: ServerHttp2Stream) => void;

beforeEach(async () => {
  server = createServer({ settings: { initialWindowSize: 256 * 1024 } });
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    onStream(stream);
  });
  const port = await listenOnLoopback(server);
  gateway = await startGateway({
    access_log: { enabled: false },
    limits: { max_body_bytes: 2 * BODY },
    upstreams: [{ name: "origin", protocol: "h2c", servers: [{ address: "127.0.0.1", port }] }],
    routes: [{ path_prefix: "/", upstream: "origin", max_response_bytes: 2 * BODY }],
  });
});

afterEach(async () => {
  await gateway.stop();
  server.close();
});

interface Writer {
  write(piece: Buffer): boolean;
  once(event: "drain", listener: () => void): unknown;
  end(): unknown;
}

/** Counts and hashes bytes. */
class Tally {
  bytes = 0;
  readonly #hasher = new Bun.CryptoHasher("sha1");
  add(piece: Uint8Array): void {
    this.bytes += piece.length;
    this.#hasher.update(piece);
  }
  hash(): string {
    return this.#hasher.digest("hex");
  }
}

/** Writes the generated body as fast as it is accepted. */
function pour(writer: Writer, tally: Tally): void {
  while (tally.bytes < BODY) {
    const piece = Buffer.alloc(PIECE, tally.bytes / PIECE);
    piece.writeUInt32LE(tally.bytes);
    tally.add(piece);
    if (!writer.write(piece)) {
      writer.once("drain", () => pour(writer, tally));
      return;
    }
  }
  writer.end();
}

/** Resolves when no data moves any more, to the number of bytes so far. */
async function standstill(tally: Tally): Promise<number> {
  for (let before = -1; before !== tally.bytes || before === 0; ) {
    before = tally.bytes;
    await Bun.sleep(300);
  }
  return tally.bytes;
}

/** A client's socket, after it has sent `head`. */
async function opened(head: string): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1");
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(head);
  return socket;
}

/** The offset of the body, after the head has arrived. */
function bodyOf(received: Buffer): number {
  const end = received.indexOf("\r\n\r\n");
  return end === -1 ? -1 : end + 4;
}

test("a server is paused while an HTTP/1.1 client does not read its response, which arrives complete", async () => {
  const [sent, received] = [new Tally(), new Tally()];
  onStream = (stream) => {
    stream.respond({ ":status": 200, "content-length": BODY });
    pour(stream, sent);
  };
  const before = gateway.memoryKib("VmRSS");
  const socket = await opened("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
  socket.pause();
  expect(await standstill(sent)).toBeLessThan(HELD_BACK + BUFFERED);
  await new Promise<void>((resolve) => {
    let head: Buffer | undefined = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      if (head === undefined) received.add(chunk);
      else {
        head = Buffer.concat([head, chunk]);
        const start = bodyOf(head);
        if (start === -1) return;
        received.add(head.subarray(start));
        head = undefined;
      }
      if (received.bytes === BODY) resolve();
    });
    socket.resume();
  });
  expect(received.hash()).toBe(sent.hash());
  expect(gateway.memoryKib("VmHWM") - before).toBeLessThan(GROWTH_KIB);
  socket.destroy();
});

test("a server is paused while an HTTP/2 client does not read its response, which arrives complete", async () => {
  const [sent, received] = [new Tally(), new Tally()];
  onStream = (stream) => {
    stream.respond({ ":status": 200, "content-length": BODY });
    pour(stream, sent);
  };
  const before = gateway.memoryKib("VmRSS");
  const client = connectHttp2(`http://127.0.0.1:${gateway.port}`);
  const stream = client.request({ ":path": "/" });
  stream.pause();
  expect(await standstill(sent)).toBeLessThan(HELD_BACK + BUFFERED);
  await new Promise<void>((resolve) => {
    stream.on("data", (chunk: Buffer) => received.add(chunk));
    stream.on("end", resolve);
    stream.resume();
  });
  expect(received.hash()).toBe(sent.hash());
  expect(gateway.memoryKib("VmHWM") - before).toBeLessThan(GROWTH_KIB);
  client.destroy();
});

test.each(["HTTP/1.1", "HTTP/2"])(
  "a client is paused while the server does not read its request body by %s, which arrives complete",
  async (protocol) => {
    const [sent, received] = [new Tally(), new Tally()];
    const arrived = Promise.withResolvers<ServerHttp2Stream>();
    onStream = (stream) => {
      stream.pause();
      arrived.resolve(stream);
    };
    const before = gateway.memoryKib("VmRSS");
    let client: { destroy(): unknown };
    if (protocol === "HTTP/1.1") {
      const socket = await opened(`POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${BODY}\r\n\r\n`);
      pour({ write: (piece) => socket.write(piece), once: (event, then) => socket.once(event, then), end() {} }, sent);
      client = socket;
    } else {
      const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
      const request = session.request({ ":path": "/", ":method": "POST", "content-length": BODY });
      pour(request, sent);
      client = session;
    }
    const stream = await arrived.promise;
    expect(await standstill(sent)).toBeLessThan(HELD_BACK);
    await new Promise<void>((resolve) => {
      stream.on("data", (chunk: Buffer) => received.add(chunk));
      stream.on("end", resolve);
      stream.resume();
    });
    expect(received.hash()).toBe(sent.hash());
    expect(gateway.memoryKib("VmHWM") - before).toBeLessThan(GROWTH_KIB);
    client.destroy();
  },
);
