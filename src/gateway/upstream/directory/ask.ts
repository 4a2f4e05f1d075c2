import { JoinedPieces } from "../../../lib/memory/joined-pieces.ts";
import { type AskFailure } from "../probe-reason.ts";
import { codeOf } from "../../../lib/caught.ts";
import { type BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { Deadline, type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ResponseHead, type ResponseSink } from "../../exchange/exchange.ts";
import { ClientConnection, type ConnectionOwner } from "../../http1/client-connection.ts";
import type * as Http2 from "../../http2/client-connection.ts";
import { type Connecting, DEAF, type Endpoint, type OnError } from "../../wire/tcp.ts";
import { TlsError } from "../../wire/tls-connect.ts";
import { type Wire, type WireHandler } from "../../wire/wire.ts";
import { dial, type DialSettings, PrivateAddressError } from "../dial.ts";
import { type UpstreamProtocol } from "../server-pool.ts";

/** A GET request that the gateway sends for itself, over its own connection. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly dial: DialSettings;
  readonly protocol: UpstreamProtocol;
  readonly host: string;
  readonly path: string;
  readonly fields: Fields;
  /** Milliseconds for the whole exchange, including the connection and the body. */
  readonly timeoutMs: number;
  /** Bytes of the body that are kept. The rest is not read. */
  readonly maxBodyBytes: number;
}

/** The response to a `Question`, or the reason for its absence. */
export type Reply =
  | { readonly kind: "failure"; readonly reason: AskFailure }
  | {
      readonly kind: "response";
      readonly status: number;
      readonly fields: Fields;
      readonly body: Buffer;
      /** The body was longer than `maxBodyBytes`. */
      readonly cut: boolean;
    };

/** Loaded with the first server that speaks HTTP/2 (bench start). */
const http2 = (): typeof Http2 => require("../../http2/client-connection.ts");

export interface AskDeps {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly onError: OnError;
}

/** A request that is sent as soon as it is created. `onReply` is called once, unless `cancel` is called first. */
export class Ask extends Deadline implements ResponseSink, ConnectionOwner, Http2.Http2ConnectionOwner {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  readonly writeMs: number;
  readonly #question: Question;
  readonly #connecting: Connecting;
  #onReply: ((reply: Reply) => void) | undefined;
  /** Closes the connection: at once, or as after a complete response. */
  #close: ((cut: boolean) => void) | undefined;
  #head: ResponseHead | undefined;
  readonly #pieces = new JoinedPieces();
  #bytes = 0;
  /** The server has closed the connection. */
  #hungUp = false;
  /** Settles when the attempt to connect has ended, which may be long after the timeout. Never rejects. */
  readonly connected: Promise<void>;

  constructor(question: Question, deps: AskDeps, onReply: (reply: Reply) => void) {
    super();
    this.wheel = deps.wheel;
    this.buffers = deps.buffers;
    this.writeMs = question.timeoutMs;
    this.#question = question;
    this.#onReply = onReply;
    this.wheel.set(this, question.timeoutMs);
    const accept = (wire: Wire, agreed: string): WireHandler => this.#accept(wire, agreed);
    this.#connecting = dial(question.endpoint, question.dial, accept, deps.onError);
    this.connected = this.#connecting.done.catch((error: unknown) => this.#fail(reasonOf(error)));
  }

  /** Cancels the request: `onReply` is not called. */
  cancel(): void {
    this.#onReply = undefined;
    this.#over(true);
  }

  override onDeadline(): void {
    this.#fail("timeout");
  }

  released(): void {
    // The connection is closed with the reply.
  }

  retired(): void {
    // The connection carries one request, and closes after it.
  }

  closed(): void {
    // The sink receives the reason.
  }

  start(head: ResponseHead): void {
    if (head.status >= 200) this.#head = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const room = this.#question.maxBodyBytes - this.#bytes;
    const take = Math.min(room, end - start);
    // A copy, because the received buffer is larger than the part that is kept.
    this.#pieces.addCopy(chunk.subarray(start, start + take));
    this.#bytes += take;
    if (end - start > room) this.#response(true);
    return true;
  }

  end(): void {
    this.#response(false);
  }

  abort(_error: TurnpikeError): void {
    this.#fail(this.#hungUp ? "closed" : "malformed");
  }

  #accept(wire: Wire, agreed: string): WireHandler {
    const { protocol, dial: settings } = this.#question;
    if (protocol === "h2" && settings.tls !== undefined && agreed !== "h2") {
      wire.terminate();
      this.#fail("tls");
      return DEAF;
    }
    const isHttp2 = protocol === "h2" || (protocol === "auto" && agreed === "h2");
    const connection = isHttp2 ? this.#askHttp2(wire) : this.#askHttp1(wire);
    return this.#listening(connection);
  }

  #askHttp1(wire: Wire): WireHandler {
    const { host, path, fields } = this.#question;
    const connection = new ClientConnection(this);
    this.#close = () => connection.destroy();
    connection.attach(wire);
    connection.request("GET", `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}Connection: close\r\n`, 0, this);
    return connection;
  }

  #askHttp2(wire: Wire): WireHandler {
    const { host: authority, path, fields, dial: settings } = this.#question;
    const connection = new (http2().Http2ClientConnection)(wire, this);
    this.#close = (cut) => {
      connection.retire();
      if (cut) wire.terminate();
    };
    const scheme = settings.tls === undefined ? "http" : "https";
    connection.request({ method: "GET", scheme, authority, path, fields, ownFields: "", bodyLength: 0 }, this);
    return connection;
  }

  /** Records who closed the connection: a close by the server is not a malformed response. */
  #listening(connection: WireHandler): WireHandler {
    let reading = false;
    return {
      onData(chunk) {
        reading = true;
        connection.onData(chunk);
        reading = false;
      },
      onDrain: () => connection.onDrain(),
      onEnd: () => {
        this.#hungUp = true;
        connection.onEnd();
      },
      onClose: () => {
        // During a read, this side closes the connection because it cannot read the data.
        this.#hungUp ||= !reading;
        connection.onClose();
      },
    };
  }

  #response(cut: boolean): void {
    const head = this.#head;
    if (head === undefined) {
      this.#fail("malformed");
      return;
    }
    const { status, fields } = head;
    this.#reply({ kind: "response", status, fields, body: this.#pieces.joined(), cut }, cut);
  }

  #fail(reason: AskFailure): void {
    this.#reply({ kind: "failure", reason }, true);
  }

  #reply(reply: Reply, cut: boolean): void {
    const onReply = this.#onReply;
    this.#onReply = undefined;
    this.#over(cut);
    onReply?.(reply);
  }

  #over(cut: boolean): void {
    this.wheel.remove(this);
    const close = this.#close;
    this.#close = undefined;
    if (close === undefined) this.#connecting.abort();
    else close(cut);
  }
}

function reasonOf(error: unknown): AskFailure {
  if (error instanceof PrivateAddressError) return "private";
  if (error instanceof TlsError) return "tls";
  return UNRESOLVED.has(codeOf(error) ?? "") ? "unresolved" : "refused";
}

/** The error codes of getaddrinfo for a name without an address. */
const UNRESOLVED = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA"]);
