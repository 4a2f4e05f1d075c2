/**
 * Responds to each gRPC call over HTTP/2 without TLS with the call's own message and status 0; the argument is the
 * port. It reads only frames, since a complete server would use more CPU than the proxies before it.
 */
import {
  ACK,
  DATA,
  DEFAULT_WINDOW,
  END_HEADERS,
  END_STREAM,
  FRAME_HEADER_BYTES,
  HEADERS,
  numbersFrame,
  PADDED,
  payloadFrame,
  PING,
  PREFACE,
  readUint31,
  readUint32,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
  writeFrameHead,
} from "../../src/gateway/http2/frame.ts";

/** SETTINGS_HEADER_TABLE_SIZE and others (RFC 9113 §6.5.2). */
const HEADER_TABLE_SIZE = 1;
const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;
/** The usual limit of gRPC servers for one connection. */
const STREAMS = 100;
const STREAM_WINDOW = 1 << 20;
const CONNECTION_WINDOW = 1 << 30;

const literal = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const STATUS_200 = Buffer.from([0x88]);
const GRPC = literal("application/grpc");
const STATUS_OK = Buffer.concat([literal("grpc-status"), literal("0")]);

interface Blocks {
  readonly head: Buffer;
  readonly trailers: Buffer;
}

/** The field sections of the first response, which fill the peer's table (RFC 7541 §6.2.1), and of later ones. */
const FIRST: Blocks = {
  head: Buffer.concat([STATUS_200, Buffer.from([0x5f]), GRPC]),
  trailers: Buffer.concat([Buffer.from([0x40]), STATUS_OK]),
};
const LATER: Blocks = { head: Buffer.from([0x88, 0xbf]), trailers: Buffer.from([0xbe]) };
/** For a peer without a dynamic table: the first field section confirms its size (RFC 7541 §4.2, §6.2.2). */
const NO_TABLE = Buffer.from([0x20]);
const PLAIN: Blocks = {
  head: Buffer.concat([STATUS_200, Buffer.from([0x0f, 0x10]), GRPC]),
  trailers: Buffer.concat([Buffer.from([0]), STATUS_OK]),
};
const PLAIN_FIRST: Blocks = { ...PLAIN, head: Buffer.concat([NO_TABLE, PLAIN.head]) };

function settings(pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(pairs.length * 6);
  for (const [i, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return payloadFrame({ type: SETTINGS, flags: 0, streamId: 0 }, payload);
}

const HELLO = Buffer.concat([
  settings([
    [MAX_CONCURRENT_STREAMS, STREAMS],
    [INITIAL_WINDOW_SIZE, STREAM_WINDOW],
  ]),
  numbersFrame({ type: WINDOW_UPDATE, flags: 0, streamId: 0 }, [CONNECTION_WINDOW - DEFAULT_WINDOW]),
]);
const NOTHING = Buffer.alloc(0);

class Connection {
  readonly #socket: Bun.Socket<Connection | undefined>;
  readonly #bodies = new Map<number, Buffer>();
  /** Calls whose responses wait for the peer's window. */
  readonly #waiting: [streamId: number, message: Buffer][] = [];
  #unread: Buffer = NOTHING;
  #unsent: Buffer = NOTHING;
  #out: Buffer[] = [HELLO];
  #greeted = false;
  #window = DEFAULT_WINDOW;
  #received = 0;
  #hasTable = true;
  #hasResponded = false;

  constructor(socket: Bun.Socket<Connection | undefined>) {
    this.#socket = socket;
  }

  data(bytes: Buffer): void {
    const input = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    let at = 0;
    if (!this.#greeted && input.length >= PREFACE.length) {
      this.#greeted = true;
      at = PREFACE.length;
    }
    while (this.#greeted && input.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + input.readUIntBE(at, 3);
      if (end > input.length) break;
      this.#frame(input, at, end);
      at = end;
    }
    // The rest is copied, because the runtime can reuse the chunk.
    this.#unread = at === input.length ? NOTHING : Buffer.from(input.subarray(at));
    this.flush();
  }

  #frame(input: Buffer, at: number, end: number): void {
    const type = input[at + 3] ?? 0;
    const flags = input[at + 4] ?? 0;
    const streamId = readUint31(input, at + 5);
    const payload = input.subarray(at + FRAME_HEADER_BYTES, end);
    if (type === DATA) this.#message(streamId, flags, payload);
    else if (type === SETTINGS && (flags & ACK) === 0) this.#settings(payload);
    else if (type === PING && (flags & ACK) === 0) {
      this.#out.push(payloadFrame({ type: PING, flags: ACK, streamId: 0 }, payload));
    } else if (type === WINDOW_UPDATE && streamId === 0) {
      this.#window += readUint31(payload, 0);
      for (const [id, message] of this.#waiting.splice(0)) this.#response(id, message);
    } else if (type === RST_STREAM) this.#bodies.delete(streamId);
  }

  #settings(payload: Buffer): void {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === HEADER_TABLE_SIZE && readUint32(payload, at + 2) === 0) this.#hasTable = false;
    }
    this.#out.push(payloadFrame({ type: SETTINGS, flags: ACK, streamId: 0 }, NOTHING));
  }

  #message(streamId: number, flags: number, payload: Buffer): void {
    this.#received += payload.length;
    if (this.#received > CONNECTION_WINDOW / 2) {
      this.#out.push(numbersFrame({ type: WINDOW_UPDATE, flags: 0, streamId: 0 }, [this.#received]));
      this.#received = 0;
    }
    const part = (flags & PADDED) === 0 ? payload : payload.subarray(1, payload.length - (payload[0] ?? 0));
    const before = this.#bodies.get(streamId);
    const body = before === undefined ? part : Buffer.concat([before, part]);
    if ((flags & END_STREAM) === 0) {
      this.#bodies.set(streamId, Buffer.from(body));
      return;
    }
    this.#bodies.delete(streamId);
    this.#response(streamId, body);
  }

  #response(streamId: number, message: Buffer): void {
    if (message.length > this.#window) {
      this.#waiting.push([streamId, Buffer.from(message)]);
      return;
    }
    this.#window -= message.length;
    const { head, trailers } = this.#blocks();
    const frames = Buffer.allocUnsafe(3 * FRAME_HEADER_BYTES + head.length + message.length + trailers.length);
    let at = writeFrameHead(frames, 0, head.length, { type: HEADERS, flags: END_HEADERS, streamId });
    frames.set(head, at);
    at = writeFrameHead(frames, at + head.length, message.length, { type: DATA, flags: 0, streamId });
    frames.set(message, at);
    const last = END_HEADERS | END_STREAM;
    at = writeFrameHead(frames, at + message.length, trailers.length, { type: HEADERS, flags: last, streamId });
    frames.set(trailers, at);
    this.#out.push(frames);
  }

  #blocks(): Blocks {
    const isFirst = !this.#hasResponded;
    this.#hasResponded = true;
    if (this.#hasTable) return isFirst ? FIRST : LATER;
    return isFirst ? PLAIN_FIRST : PLAIN;
  }

  /** Sends all waiting data in one write. Also called when the socket is writable again. */
  flush(): void {
    if (this.#out.length === 0 && this.#unsent.length === 0) return;
    const all = Buffer.concat([this.#unsent, ...this.#out]);
    this.#out = [];
    this.#unsent = all.subarray(Math.max(0, this.#socket.write(all)));
  }
}

Bun.listen<Connection | undefined>({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  socket: {
    open: (socket) => {
      socket.data = new Connection(socket);
    },
    data: (socket, bytes) => socket.data?.data(bytes),
    drain: (socket) => socket.data?.flush(),
    error: (socket) => socket.terminate(),
  },
});
console.log("ready");
