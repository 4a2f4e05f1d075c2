import { type QuicStream } from "node:quic";
import { ClientPackets } from "../../../src/gateway/http3/client-packets.ts";
import { FRAMED } from "../../../src/gateway/http3/framing-writer.ts";
import { Http3RequestBody } from "../../../src/gateway/http3/request-body.ts";
import { Http3Exchange } from "../../../src/gateway/http3/server-exchange.ts";
import { Host } from "../../../src/gateway/http2/testing/scripted-client.ts";
import { BROKEN, ClientExchange, Consumer, type Flow } from "./flow.ts";

/** The engine frames the data of a stream in a later turn, as long as the consumer has room. */
class FakeStream {
  readonly stats = { bytesSent: 0n };
  readonly destroyed = false;
  onwanttrailers: (() => void) | undefined;
  /** The stream has ended, in either way. */
  onOver: () => void = () => {};
  readonly #consumer: Consumer;
  readonly #pieces: Uint8Array[] = [];
  /** Exists while the writer's user waits. */
  #framed: PromiseWithResolvers<void> | undefined;
  #ends = false;
  #isOver = false;
  #isReset = false;

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
    consumer.onRoom = () => this.#frame();
  }

  /** The engine gives a full writer room if its mark is set again. */
  set highWaterMark(bytes: number) {
    if (this.writer.desiredSize === 0) this.writer.desiredSize = bytes;
  }

  readonly writer = {
    desiredSize: 0,
    writevSync: (chunks: readonly Uint8Array[]): boolean => {
      if (this.#framed !== undefined || this.writer.desiredSize === 0 || this.#ends || this.#isReset) return false;
      this.#pieces.push(...chunks.map((chunk) => Uint8Array.from(chunk)));
      this.writer.desiredSize = 0;
      setImmediate(() => this.#frame());
      return true;
    },
    endSync: (): number => {
      if (this.#framed !== undefined) return -1;
      this.#ends = true;
      setImmediate(() => this.#frame());
      return 0;
    },
    [FRAMED]: (): Promise<void> | null => {
      if (this.writer.desiredSize > 0) return null;
      this.#framed ??= Promise.withResolvers();
      return this.#framed.promise;
    },
  };

  sendHeaders(): boolean {
    return true;
  }

  setBody(body: Uint8Array): void {
    this.highWaterMark = 1;
    this.writer.writevSync([body]);
    this.writer.endSync();
  }

  stopSending(): void {}

  resetStream(): void {
    if (this.#isReset) return;
    this.#isReset = true;
    this.#pieces.length = 0;
    this.#consumer.abort();
    setImmediate(() => this.onOver());
  }

  #frame(): void {
    if (this.#isReset || this.#isOver) return;
    while (this.#consumer.room && this.#pieces.length > 0) {
      const piece = this.#pieces.shift();
      if (piece === undefined) break;
      this.stats.bytesSent += BigInt(piece.length);
      this.#consumer.data(piece);
    }
    if (this.#pieces.length > 0 || this.#isReset) return;
    this.writer.desiredSize = 1;
    this.#framed?.resolve();
    this.#framed = undefined;
    if (!this.#ends) return;
    this.#isOver = true;
    this.#consumer.end();
    this.onOver();
  }
}

const RESPONSE: Flow = {
  name: "a response over HTTP/3",
  open(consumer, goOn) {
    const host = new Host();
    const stream = new FakeStream(consumer);
    const { head } = new ClientExchange(new Consumer(), { method: "GET" });
    const owner = {
      // The part of a stream that an exchange uses.
      quic: stream as unknown as QuicStream,
      host,
      peerAddress: "192.0.2.1",
      transport: {},
      session: {},
      packets: new ClientPackets(host.wheel, () => 0n),
      onError(error: unknown) {
        throw error;
      },
    };
    const exchange = new Http3Exchange(owner, { head, requestId: "" }, undefined);
    stream.onOver = () => exchange.closed();
    exchange.onDrain = goOn;
    exchange.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
    return {
      data: (chunk, start, end) => exchange.data(chunk, start, end),
      end: () => exchange.end("X-T: t\r\n"),
      abort: () => exchange.abort(BROKEN),
      used: () => host.buffers.used,
      finish() {
        stream.resetStream();
        exchange.closed();
      },
      close: () => host.wheel.close(),
    };
  },
};

const request = (name: string, isLate: boolean): Flow => ({
  name,
  takesAll: true,
  open(consumer, _goOn, length) {
    const host = new Host();
    const body = new Http3RequestBody(host, length, Number.POSITIVE_INFINITY);
    consumer.onRoom = () => body.resume();
    if (isLate) setImmediate(() => body.readTo(consumer));
    else body.readTo(consumer);
    return {
      data(chunk, start, end) {
        body.receive(chunk.subarray(start, end));
        return true;
      },
      end: () => body.receiveEnd(""),
      abort: () => body.abort(BROKEN),
      used: () => host.buffers.used,
      finish: () => body.discard(),
      close: () => host.wheel.close(),
    };
  },
});

/** The codec of HTTP/3 over a stream of its engine. */
export const HTTP3_FLOWS: readonly Flow[] = [
  RESPONSE,
  request("a request body over HTTP/3", false),
  request("a request body over HTTP/3 that is read late", true),
];
