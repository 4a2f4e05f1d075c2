import { TurnpikeError } from "../../../src/lib/errors.ts";
import {
  type BodySink,
  type RequestBody,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
} from "../../../src/gateway/exchange/exchange.ts";
import { type Plain, withExchangeState } from "../../../src/gateway/exchange/exchange-state.ts";

/** Records the bytes that arrive behind an implementation, and accepts more or not. */
export class Consumer {
  readonly #pieces: Buffer[] = [];
  length = 0;
  room = true;
  ends = 0;
  aborts = 0;
  /** Calls after the end or the abort. */
  late = 0;
  /** Tells the implementation that more is accepted. */
  onRoom: () => void = () => {};

  start(_head: ResponseHead): void {}

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.isOver) this.late++;
    // A copy, because codecs use their buffers again.
    this.#pieces.push(Buffer.from(chunk.subarray(start, end)));
    this.length += end - start;
    return this.room;
  }

  end(): void {
    if (this.isOver) this.late++;
    this.ends++;
  }

  abort(_error?: TurnpikeError): void {
    if (this.isOver) this.late++;
    this.aborts++;
  }

  get isOver(): boolean {
    return this.ends + this.aborts > 0;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Accepts more, or nothing more. */
  setRoom(room: boolean): void {
    if (this.room === room) return;
    this.room = room;
    if (room && !this.isOver) this.onRoom();
  }
}

/** The side of an implementation that a producer uses. */
export interface Producer {
  /** False: the producer must wait until `goOn` is called. The bytes are taken in both cases. */
  data(chunk: Uint8Array, start: number, end: number): boolean;
  end(): void;
  abort(): void;
  /** Bytes of memory that the implementation uses. Absent if it uses none of its own. */
  used?(): number;
  /** The received bytes as the producer sent them; by default those of the consumer. */
  received?(): Buffer;
  /** The exchange finishes early, for example because its client has left. */
  finish?(): void;
  close?(): void | Promise<void>;
}

/** A place where a body flows from a producer to a consumer that can be slow. */
export interface Flow {
  readonly name: string;
  /** It pauses no producer: it takes a whole body, also if the consumer accepts nothing. */
  readonly takesAll?: boolean;
  /** Bytes that may arrive although the consumer accepts nothing, because another thread was at work. 0 by default. */
  readonly inFlight?: number;
  /** Nothing passes an abort on. */
  readonly hasNoAbort?: boolean;
  /** `goOn` tells the producer that it can go on. `length` is that of the whole body. */
  open(consumer: Consumer, goOn: () => void, length: number): Producer | Promise<Producer>;
}

const HEAD: Plain<RequestHead> = {
  method: "POST",
  scheme: "http",
  authority: "a.test",
  path: "/",
  query: "",
  fields: "",
  payment: "",
  bodyLength: -1,
  expectContinue: false,
  via: "",
  forwardedFor: "",
  isGrpc: false,
  upgrade: "",
};

/** An exchange whose client is a consumer. */
export class ClientExchange extends withExchangeState(Object) {
  readonly id = "id";
  readonly protocol = "HTTP/2.0";
  readonly head: RequestHead;
  readonly peerAddress = "192.0.2.1";
  override clientAddress = "192.0.2.1";
  response: ResponseSink;
  body: RequestBody = { readTo: (sink) => sink.end(""), pause() {}, resume() {} };
  bytesReceived = 0;
  bytesSent = 0;

  constructor(client: Consumer, head: Partial<Plain<RequestHead>> = {}) {
    super();
    this.head = { ...HEAD, ...head };
    this.response = client;
    client.onRoom = () => this.drained();
  }
}

/** A request body whose producer is the test. Its sink is set when the body is read. */
export class ProducedBody implements RequestBody {
  sink: BodySink | undefined;
  readonly #goOn: () => void;

  constructor(goOn: () => void) {
    this.#goOn = goOn;
  }

  readTo(sink: BodySink): void {
    this.sink = sink;
  }

  pause(): void {}

  resume(): void {
    this.#goOn();
  }
}

/** The producer's side of a response that an exchange sends. */
export function responseProducer(
  exchange: ClientExchange,
  goOn: () => void,
  { bodyLength = -1, contentType = "" } = {},
): Producer {
  const { response } = exchange;
  exchange.onDrain = goOn;
  response.start({
    status: 200,
    reason: "",
    fields: contentType === "" ? "" : `Content-Type: ${contentType}\r\n`,
    bodyLength,
  });
  return {
    data: (chunk, start, end) => response.data(chunk, start, end),
    end: () => response.end(""),
    abort: () => response.abort(BROKEN),
  };
}

export const BROKEN = new TurnpikeError("upstream-failed", "it broke off");
