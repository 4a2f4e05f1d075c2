/**
 * Echoes WebSocket messages through a proxy, one in flight on each connection, and prints its results as JSON: `PORT
 * CONNECTIONS BYTES SECONDS`. It compares each byte of the echo, and exits with code 1 if one is wrong.
 */
import { newWebSocketKey, webSocketAccept } from "../../src/lib/http/websocket-handshake.ts";
import { type Load } from "../support/wrk.ts";

const [port = 0, connections = 0, bytes = 0, seconds = 0] = process.argv.slice(2).map(Number);
const HANDSHAKE_MS = 5000;
/** The width of a bucket in the latency histogram. */
const BUCKET_MS = 0.01;
const BUCKETS = 1_000_000;

/** A final binary frame (RFC 6455 §5.2). */
function frame(payload: Buffer, mask: Buffer | undefined): Buffer {
  const maskBit = mask === undefined ? 0 : 0x80;
  const { length } = payload;
  const head = length < 126 ? [0x82, maskBit | length] : [0x82, maskBit | 126, length >> 8, length & 0xff];
  if (mask === undefined) return Buffer.concat([Buffer.from(head), payload]);
  return Buffer.concat([Buffer.from(head), mask, payload.map((byte, i) => byte ^ (mask[i & 3] ?? 0))]);
}

const message = Buffer.alloc(bytes, "turnpike ");
const request = frame(message, Buffer.from([0x1b, 0xad, 0xca, 0xfe]));
const echo = frame(message, undefined);
const latencies = new Uint32Array(BUCKETS);
let messages = 0;
let isRunning = true;

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

class Connection {
  readonly socket: Bun.Socket<Connection | undefined>;
  readonly isOpen = Promise.withResolvers<void>();
  readonly #key = newWebSocketKey();
  #head: string | undefined = "";
  /** Bytes of the request that were sent, and of its echo that arrived. */
  #sent = request.length;
  #got = echo.length;
  #since = 0;

  constructor(socket: Bun.Socket<Connection | undefined>) {
    this.socket = socket;
    const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${this.#key}`;
    socket.write(`GET /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${fields}\r\n\r\n`);
  }

  send(): void {
    this.#sent = 0;
    this.#got = 0;
    this.#since = performance.now();
    this.flush();
  }

  flush(): void {
    if (this.#sent === request.length) return;
    this.#sent += Math.max(0, this.socket.write(this.#sent === 0 ? request : request.subarray(this.#sent)));
  }

  data(chunk: Buffer): void {
    if (this.#head !== undefined) {
      this.#handshake(chunk);
      return;
    }
    let at = 0;
    while (at < chunk.length) {
      const length = Math.min(echo.length - this.#got, chunk.length - at);
      if (length === 0 || echo.compare(chunk, at, at + length, this.#got, this.#got + length) !== 0) {
        fail("what came back is not what was sent");
      }
      at += length;
      this.#got += length;
      if (this.#got === echo.length) this.#complete();
    }
  }

  #complete(): void {
    if (!isRunning) return;
    messages++;
    const bucket = Math.min(BUCKETS - 1, Math.floor((performance.now() - this.#since) / BUCKET_MS));
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
    this.send();
  }

  #handshake(chunk: Buffer): void {
    this.#head += chunk.toString("latin1");
    if (this.#head?.endsWith("\r\n\r\n") !== true) return;
    const isRight = this.#head.startsWith("HTTP/1.1 101 ") && this.#head.includes(webSocketAccept(this.#key));
    if (!isRight) fail(`the handshake failed: ${JSON.stringify(this.#head.slice(0, 200))}`);
    this.#head = undefined;
    this.isOpen.resolve();
  }
}

async function open(): Promise<Connection> {
  const socket = await Bun.connect<Connection | undefined>({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (opened) => {
        opened.data = new Connection(opened);
      },
      data: (opened, chunk) => opened.data?.data(chunk),
      drain: (opened) => opened.data?.flush(),
      close: () => {
        if (isRunning) fail("a connection was closed");
      },
      error: (_, error) => fail(error.message),
    },
  });
  if (socket.data === undefined) fail("a connection did not open");
  await socket.data.isOpen.promise;
  return socket.data;
}

/** The latency in milliseconds that this share of the messages did not exceed. */
function percentile(share: number): number {
  let seen = 0;
  const bucket = latencies.findIndex((count) => (seen += count) >= share * messages);
  return (bucket + 0.5) * BUCKET_MS;
}

const patience = setTimeout(() => fail("some handshakes have no response"), HANDSHAKE_MS);
const all = await Promise.all(Array.from({ length: connections }, open));
clearTimeout(patience);
const began = performance.now();
for (const connection of all) connection.send();
await Bun.sleep(seconds * 1000);
isRunning = false;
const requestsPerSecond = (messages * 1000) / (performance.now() - began);
const load: Load = {
  requests: messages,
  requestsPerSecond,
  p50: percentile(0.5),
  p99: percentile(0.99),
  non2xx: 0,
  socketErrors: 0,
};
console.log(JSON.stringify(load));
process.exit(0);
