import { ClientConnection } from "../../../src/gateway/http1/client-connection.ts";
import { Http1ServerConnection } from "../../../src/gateway/http1/server-connection.ts";
import { Owner } from "../../../src/gateway/http1/testing/client-peers.ts";
import { Host, SETTINGS } from "../../../src/gateway/http1/testing/server-peers.ts";
import * as f from "../../../src/gateway/http2/frame.ts";
import { type Frame } from "../../../src/gateway/http2/testing/frame-log.ts";
import { type ScriptedPeer } from "../../../src/gateway/http2/testing/scripted-peer.ts";
import { GET, Host as Http2Host, POST, ScriptedClient } from "../../../src/gateway/http2/testing/scripted-client.ts";
import { GET as ASK, OK, POST as SEND, ScriptedServer } from "../../../src/gateway/http2/testing/scripted-server.ts";
import { type Exchange } from "../../../src/gateway/exchange/exchange.ts";
import { sendGathered } from "../../../src/gateway/wire/outgoing.ts";
import { FakeWire } from "../../../src/gateway/wire/testing/fake-wire.ts";
import { BROKEN, type Consumer, type Flow, type Producer } from "./flow.ts";

/** Longer than any list of writes in a test. */
const NO_WRITES = Array.from({ length: 10_000 }, () => 0);

/** A wire takes bytes as long as the consumer has room. */
export function valve(consumer: Consumer, wire: FakeWire, connection: { onDrain(): void }): void {
  consumer.onRoom = () => {
    wire.takes = [];
    connection.onDrain();
  };
  const setRoom = consumer.setRoom.bind(consumer);
  consumer.setRoom = (room) => {
    if (!room) wire.takes = [...NO_WRITES];
    setRoom(room);
  };
}

/** Passes what a wire has sent after its head to the consumer. */
export class WireReader {
  readonly #wire: FakeWire;
  readonly #consumer: Consumer;
  readonly #length: number;
  #at = 0;

  constructor(wire: FakeWire, consumer: Consumer, length: number) {
    this.#wire = wire;
    this.#consumer = consumer;
    this.#length = length;
    this.#at = this.#headEnd();
  }

  #headEnd(): number {
    sendGathered();
    return this.#wire.bytes.indexOf("\r\n\r\n") + 4;
  }

  read(): void {
    sendGathered();
    const { bytes, closed } = this.#wire;
    if (bytes.length > this.#at) this.#consumer.data(bytes, this.#at, bytes.length);
    this.#at = bytes.length;
    if (!this.#consumer.isOver && this.#consumer.length === this.#length) this.#consumer.end();
    if (!this.#consumer.isOver && closed) this.#consumer.abort();
  }
}

/** Runs `read` after each call of the producer, and each time that the consumer has room. */
export function reading(consumer: Consumer, read: () => void, producer: Producer): Producer {
  const { onRoom } = consumer;
  consumer.onRoom = () => {
    onRoom();
    read();
  };
  return {
    data(chunk, start, end) {
      const takesMore = producer.data(chunk, start, end);
      read();
      return takesMore;
    },
    end() {
      producer.end();
      read();
    },
    abort() {
      producer.abort();
      read();
    },
  };
}

function exchangeOf({ exchanges }: { readonly exchanges: readonly Exchange[] }): Exchange {
  const [exchange] = exchanges;
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

const HTTP1_RESPONSE: Flow = {
  name: "a response over HTTP/1.1",
  open(consumer, goOn, length) {
    const wire = new FakeWire();
    const host = new Host();
    const connection = new Http1ServerConnection(wire, host);
    connection.onData(Buffer.from("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    const exchange = exchangeOf(host);
    exchange.onDrain = goOn;
    exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: length });
    valve(consumer, wire, connection);
    const { response } = exchange;
    const reader = new WireReader(wire, consumer, length);
    return reading(consumer, () => reader.read(), {
      data: (chunk, start, end) => response.data(chunk, start, end),
      end: () => response.end(""),
      abort: () => response.abort(BROKEN),
    });
  },
};

/** Data that arrives on a wire, whose producer stops while the wire is paused. */
export function arriving(
  wire: FakeWire,
  goOn: () => void,
  connection: { onData(bytes: Buffer): void; onClose(): void },
) {
  const resume = wire.resume.bind(wire);
  wire.resume = () => {
    resume();
    goOn();
  };
  return {
    data(chunk: Uint8Array, start: number, end: number): boolean {
      connection.onData(Buffer.from(chunk.subarray(start, end)));
      return !wire.paused;
    },
    end() {},
    abort: () => connection.onClose(),
  };
}

const http1Request = (name: string, isLate: boolean): Flow => ({
  name,
  open(consumer, goOn, length) {
    const wire = new FakeWire();
    const host = new Host();
    host.current = { ...SETTINGS, maxBodyBytes: 10_000_000 };
    const connection = new Http1ServerConnection(wire, host);
    connection.onData(Buffer.from(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n`));
    const exchange = exchangeOf(host);
    consumer.onRoom = () => exchange.body.resume();
    if (isLate) setImmediate(() => exchange.body.readTo(consumer));
    else exchange.body.readTo(consumer);
    return arriving(wire, goOn, connection);
  },
});

const HTTP1_UPSTREAM_RESPONSE: Flow = {
  name: "an upstream's response over HTTP/1.1",
  open(consumer, goOn, length) {
    const wire = new FakeWire();
    const connection = new ClientConnection(new Owner());
    connection.attach(wire);
    connection.request("GET", "GET / HTTP/1.1\r\nHost: h\r\n", 0, consumer);
    connection.onData(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`));
    consumer.onRoom = () => connection.resume();
    return arriving(wire, goOn, connection);
  },
};

const HTTP1_UPSTREAM_REQUEST: Flow = {
  name: "an upstream request body over HTTP/1.1",
  hasNoAbort: true,
  open(consumer, goOn, length) {
    const wire = new FakeWire();
    const connection = new ClientConnection(new Owner());
    connection.attach(wire);
    const ignored = { start() {}, data: () => true, end() {}, abort() {} };
    connection.request("POST", "POST / HTTP/1.1\r\nHost: h\r\n", length, ignored);
    connection.onSendable = goOn;
    valve(consumer, wire, connection);
    const reader = new WireReader(wire, consumer, length);
    return reading(consumer, () => reader.read(), {
      data: (chunk, start, end) => connection.data(chunk, start, end),
      end: () => connection.end(""),
      abort() {},
    });
  },
};

/** Passes the DATA of stream 1 to the consumer, and opens the windows by it while the consumer has room. */
class FrameReader {
  readonly #peer: ScriptedPeer<never>;
  readonly #consumer: Consumer;
  #owed = 0;

  constructor(peer: unknown, consumer: Consumer) {
    // The connections of both sides are read alike.
    this.#peer = peer as ScriptedPeer<never>;
    this.#consumer = consumer;
    consumer.onRoom = () => this.read();
  }

  read(): void {
    let isNew = true;
    while (isNew) {
      isNew = false;
      for (const { type, flags, payload } of this.#peer.frames()) {
        isNew = true;
        if (type === f.DATA && payload.length > 0) this.#consumer.data(payload);
        if (type === f.DATA) this.#owed += payload.length;
        if (type === f.RST_STREAM) this.#consumer.abort();
        else if ((type === f.DATA || type === f.HEADERS) && (flags & f.END_STREAM) !== 0) this.#consumer.end();
      }
      if (!this.#consumer.room || this.#owed === 0) continue;
      const owed = this.#owed;
      this.#owed = 0;
      this.#peer.numbers(f.WINDOW_UPDATE, 0, owed);
      this.#peer.numbers(f.WINDOW_UPDATE, 1, owed);
      isNew = true;
    }
  }
}

interface Windowed {
  readonly openBody: () => void;
  /** The body is read only after its first data. */
  readonly isLate?: boolean;
  /** Bytes of stream 1 that the other side accepts at first. */
  readonly firstWindow: number;
}

/** The window of a new stream, from the SETTINGS of a connection. Call this before all else. */
function firstWindowOf(frames: readonly Frame[]): number {
  const payload = frames.find(({ type }) => type === f.SETTINGS)?.payload ?? Buffer.alloc(0);
  for (let at = 0; at < payload.length; at += 6)
    if (payload.readUInt16BE(at) === 4) return payload.readUInt32BE(at + 2);
  return 65_535;
}

/** Sends a body on stream 1 as far as the windows of the other side allow. */
function windowed(
  peer: unknown,
  consumer: Consumer,
  goOn: () => void,
  { openBody, firstWindow, isLate = false }: Windowed,
): Producer {
  const scripted = peer as ScriptedPeer<never>;
  // The whole connection has more room than a stream.
  const windows = [Number.POSITIVE_INFINITY, firstWindow];
  let waiting = Buffer.alloc(0);
  let isEnded = false;
  const pump = (): void => {
    for (;;) {
      for (const { type, streamId, payload } of scripted.frames()) {
        if (type === f.WINDOW_UPDATE) windows[streamId] = (windows[streamId] ?? 0) + payload.readUInt32BE(0);
      }
      const size = Math.min(windows[0] ?? 0, windows[1] ?? 0, waiting.length, 16_384);
      if (size === 0) break;
      const piece = waiting.subarray(0, size);
      waiting = waiting.subarray(size);
      for (const i of [0, 1]) windows[i] = (windows[i] ?? 0) - size;
      scripted.data(1, 0, piece);
    }
    if (waiting.length > 0) return;
    goOn();
    if (!isEnded) return;
    isEnded = false;
    scripted.data(1, f.END_STREAM, "");
  };
  if (isLate) {
    setImmediate(() => {
      openBody();
      pump();
    });
  } else openBody();
  const { onRoom } = consumer;
  consumer.onRoom = () => {
    onRoom();
    pump();
  };
  return {
    data(chunk, start, end) {
      waiting = Buffer.concat([waiting, chunk.subarray(start, end)]);
      pump();
      return waiting.length === 0;
    },
    end() {
      isEnded = true;
      pump();
    },
    abort: () => scripted.numbers(f.RST_STREAM, 1, f.CANCEL),
  };
}

const HTTP2_RESPONSE: Flow = {
  name: "a response over HTTP/2",
  open(consumer, goOn) {
    const client = new ScriptedClient().begin();
    client.head(1, f.END_STREAM, GET);
    const exchange = exchangeOf(client.host);
    exchange.onDrain = goOn;
    const { response } = exchange;
    response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
    const reader = new FrameReader(client, consumer);
    return reading(consumer, () => reader.read(), {
      data: (chunk, start, end) => response.data(chunk, start, end),
      end: () => response.end(""),
      abort: () => response.abort(BROKEN),
    });
  },
};

const http2Request = (name: string, isLate: boolean): Flow => ({
  name,
  open(consumer, goOn) {
    const host = new Http2Host();
    host.current = { ...host.current, maxBodyBytes: 10_000_000 };
    const client = new ScriptedClient(host);
    client.bytes(f.PREFACE);
    client.settings([]);
    const firstWindow = firstWindowOf(client.frames());
    client.head(1, 0, POST);
    const { body } = exchangeOf(client.host);
    consumer.onRoom = () => body.resume();
    return windowed(client, consumer, goOn, { firstWindow, isLate, openBody: () => body.readTo(consumer) });
  },
});

const HTTP2_UPSTREAM_RESPONSE: Flow = {
  name: "an upstream's response over HTTP/2",
  open(consumer, goOn) {
    const server = new ScriptedServer();
    const firstWindow = firstWindowOf(server.frames());
    const stream = server.begin().sendQuietly(consumer, ASK);
    consumer.onRoom = () => stream.resume();
    return windowed(server, consumer, goOn, { firstWindow, openBody: () => server.head(1, 0, OK) });
  },
};

const HTTP2_UPSTREAM_REQUEST: Flow = {
  name: "an upstream request body over HTTP/2",
  hasNoAbort: true,
  open(consumer, goOn) {
    const server = new ScriptedServer().begin();
    const ignored = { start() {}, data: () => true, end() {}, abort() {} };
    const stream = server.sendQuietly(ignored, SEND);
    stream.onSendable = goOn;
    const reader = new FrameReader(server, consumer);
    return reading(consumer, () => reader.read(), {
      data: (chunk, start, end) => stream.data(chunk, start, end),
      end: () => stream.end(""),
      abort() {},
    });
  },
};

export const CODEC_FLOWS = [
  HTTP1_RESPONSE,
  http1Request("a request body over HTTP/1.1", false),
  http1Request("a request body over HTTP/1.1 that is read late", true),
  HTTP1_UPSTREAM_RESPONSE,
  HTTP1_UPSTREAM_REQUEST,
  HTTP2_RESPONSE,
  http2Request("a request body over HTTP/2", false),
  http2Request("a request body over HTTP/2 that is read late", true),
  HTTP2_UPSTREAM_RESPONSE,
  HTTP2_UPSTREAM_REQUEST,
];
