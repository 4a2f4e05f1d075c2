import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type FieldLines } from "./head-fields.ts";

/**
 * The head of a request, the same for every protocol. The codec of HTTP/1 has accessors, which a spread does not copy. So they
 * are accessors of a class here, and the compiler and the lint refuse a spread. `plainHead` copies one.
 */
export declare abstract class RequestHead {
  /** A filter can change it, but not from or to HEAD, because HEAD decides how the response is framed. */
  method: string;
  readonly scheme: "http" | "https";
  /** `host` or `host:port`, from the client or changed by a filter. */
  authority: string;
  /** Normalised by `normalisePath`: starts with `/`, or is the `*` of `OPTIONS *`. A filter can change it. */
  path: string;
  /** Empty, or the query with its `?`. Authentication removes API keys from it. */
  abstract get query(): string;
  abstract set query(query: string);
  /**
   * End-to-end fields only: no Host, no hop-by-hop fields, no Content-Length, and none that Turnpike sets itself.
   * Policies edit it.
   */
  abstract get fields(): Fields;
  abstract set fields(fields: Fields);
  /**
   * Lines of PAYMENT-SIGNATURE, X-PAYMENT (x402) and Payment-Stream. They are kept apart from `fields`, so that no upstream, mirror or
   * cache gets them.
   */
  readonly payment: Fields;
  /**
   * Bytes; 0 without a body, -1 if the length is not known in advance. A policy that buffers the body sets its length.
   */
  bodyLength: number;
  /** The client waits for a 100 before it sends its body (RFC 9110 §10.1.1). False after the body has been read. */
  expectContinue: boolean;
  /** Field values that the proxy extends or replaces, as received; empty if absent. */
  readonly via: string;
  readonly forwardedFor: string;
  /** A gRPC call, which only HTTP/2 and HTTP/3 can carry: its status is in the trailers, and the HTTP status is 200. */
  readonly isGrpc: boolean;
  /**
   * The protocol that the client asks to switch to. A valid WebSocket handshake (RFC 6455 §4.2.1, RFC 8441 §5) has no
   * body, and its final response is a 101. After the 101, `data` of the response and `readTo` of the body carry the raw
   * bytes of both directions.
   */
  readonly upgrade: "" | "websocket";
  /** Adds the query to `pieces` as bytes, without making a string. Absent if the codec has it as a string already. */
  addQuery?(pieces: TextPieces): void;
  /** The fields, while the codec has made no string of them. Use it through `head-fields.ts`. */
  readonly lines?: FieldLines | undefined;
}

/**
 * The head of a response. `fields` has end-to-end fields without Content-Length: the codec does the framing. Copy it by
 * `changedHead`: a spread is refused, as with `RequestHead`.
 */
export declare abstract class ResponseHead {
  readonly status: number;
  readonly reason: string;
  abstract get fields(): Fields;
  /**
   * Bytes; -1 if the length is not known in advance. In a response to HEAD and in a 304 it is the Content-Length to
   * send (-1: none), and no data follows.
   */
  readonly bodyLength: number;
  /** The fields, while the codec has made no string of them. Use it through `head-fields.ts`. */
  readonly lines?: FieldLines | undefined;
  /** The gRPC status, if the call ended with the head. Such a response has no body. */
  readonly grpcStatus?: number;
  /** The error that a local response reports. */
  readonly error?: TurnpikeError;
}

/** Changes to the fields of a final response head. */
export interface HeadChanges {
  /** The changed head. The given one stays as it is. */
  applyToHead(head: ResponseHead): ResponseHead;
  /** Adds the changed fields of the head to `pieces`. */
  addTo(pieces: TextPieces, head: ResponseHead): void;
}

export interface BodySink {
  /**
   * Takes the bytes of `chunk` from `start` to `end` (by default all of them), and may keep them. Returns false if the
   * sink is full (backpressure): the caller stops until the sink is drained. The bytes are taken in both cases. If the
   * caller cannot stop, its last call counts. The parameters are a range and not a view, because making a view costs more
   * than parsing a small head (bench http1).
   */
  data(chunk: Uint8Array, start?: number, end?: number): boolean;
  /** `trailers` is empty without trailers. */
  end(trailers: Fields): void;
  /** Called instead of `end` if the body stays incomplete. */
  abort(error: TurnpikeError): void;
}

/**
 * Receives a response: any number of 1xx `start`s, one final `start` (101 if the request has an `upgrade`), the data,
 * then `end` or `abort`.
 */
export interface ResponseSink extends BodySink {
  start(head: ResponseHead): void;
  /**
   * Lets the kernel send up to `length` bytes of an open file in place of `data`, and returns the number that it took.
   * 0: send the bytes by `data`, which reports whether the client can take more. A sink that reads or changes the bytes
   * does not have this method.
   */
  sendFile?(file: number, offset: number, length: number): number;
  /**
   * True: the sink keeps no chunk that it has taken, but copies of it at most, so the caller may free the memory at the end of
   * the event. It may change with each call. Absent: the sink may keep chunks.
   */
  readonly keepsNoChunk?: boolean;
}

export interface RequestBody {
  /**
   * The reason why the body can never be complete, as soon as it is known. For a body that is announced as too long it
   * is set from the start, and none of the body is read.
   */
  readonly error?: TurnpikeError | undefined;
  /**
   * The whole body has arrived from the client: data that is not passed on yet follows at once. Absent if that is not
   * known in advance.
   */
  readonly complete?: boolean;
  /** Sends the body to `sink`. Called once, at any time before the exchange ends. */
  readTo(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /**
   * Removes the limits on the body's duration and total length. The reader then limits its silence and its messages.
   * Absent if the protocol carries no long-lived bodies.
   */
  liftLimits?(): void;
}

/** A sink of a response that can pause its source: see `PausingSink`. */
export interface DrainStage {
  /** The stage before this one, nearer to the source. Undefined: the source itself. */
  before: DrainStage | undefined;
  /** The sink behind this stage takes more. */
  drained(): void;
}

/** The lines about the client in an upstream request, with the values that they were made for. */
export interface ClientLines {
  readonly authority: string;
  readonly host: string;
  readonly serviceName: string;
  readonly tellsClient: boolean;
  readonly lines: Fields;
}

/** A client's connection, as far as its transport knows it. Sockets of the runtime have this interface. */
export interface Transport {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  /** For example `TLSv1.3`. Absent without TLS. */
  getTLSVersion?(): string;
  /** The name in the client's hello. */
  getServername?(): string | null | undefined;
}

/** Observes the upstream requests of an exchange. */
export interface UpstreamTrace {
  /** A try with this server begins, with its path changed by `rewrite`. An earlier try has ended. */
  tryBegan(server: string, scheme: "http" | "https", rewrite: ((path: string) => string) | undefined): void;
  /** The try has a connection to the server. */
  connected(): void;
  /** Field lines that pass the trace context to the server. */
  readonly fields: Fields;
  /** Adds these lines to a head, without making a text of them. */
  addFields(pieces: TextPieces): void;
  /** The server sent a status. It can be an interim one; the last status counts. */
  responded(status: number): void;
  /** The last try has ended. `error` is empty, or the code of an error. */
  tryEnded(error: string): void;
}

/**
 * Called when an upstream request reaches its timeout. An object and not a function, because each request would need a
 * closure.
 */
export interface TimeKeeper {
  timedOut(): void;
}

/**
 * The parts of a request that are logged. It is an exchange, or a request that the codec itself responded to, with as much
 * of its head as was read.
 */
export type LoggedRequest = Pick<
  Exchange,
  "id" | "protocol" | "clientAddress" | "status" | "bytesReceived" | "bytesSent"
> & {
  readonly head: Pick<RequestHead, "method" | "scheme" | "authority" | "path" | "query" | "fields" | "lines">;
  readonly consumer?: string;
  readonly payer?: string;
  readonly loss?: string | undefined;
  readonly trace?: UpstreamTrace | undefined;
  readonly truncated?: string;
  writeMadeId?(bytes: Uint8Array, at: number): boolean;
};

/**
 * One request and its response, protocol-neutral. Codecs make it; the pipeline works on it and on nothing else.
 *
 *   codec ── head ──▶ pipeline ── policies ──▶ forward ──▶ upstream
 *     ▲                                                        │
 *     └────────── exchange.response (a chain of sinks) ◀───────┘
 */
export interface Exchange {
  readonly id: string;
  readonly protocol: "HTTP/1.0" | "HTTP/1.1" | "HTTP/2.0" | "HTTP/3.0";
  readonly head: RequestHead;
  /** A policy that must see the body puts its own in place of this one. */
  body: RequestBody;
  /** The IP address of the peer that opened the connection, without port. */
  readonly peerAddress: string;
  /** The address of the client: that of the peer, or the one that a trusted proxy names. */
  clientAddress: string;
  /** Undefined for requests of the gateway itself. */
  readonly transport?: Transport | undefined;
  /** The last server that was tried, such as `127.0.0.1:8080`, and the name of its upstream. */
  triedServer?: string;
  triedUpstream?: string;
  /** A connection that carries several requests of the client at once; undefined for HTTP/1. */
  readonly session?: object | undefined;
  /** Kept by the connection: those of its last upstream request. Absent for HTTP/3. */
  clientLines?: ClientLines | undefined;
  /** Receives the response. A policy that must see or delay the response puts its own sink before this one. */
  response: ResponseSink;
  /** Field lines that are added to the final head of any response. */
  addedFields: Fields;
  /**
   * Makes changes to the final head after all sinks, without a sink of its own for each request. False: the caller must
   * put a sink before `response` instead, because other changes or a sink are there already. Absent if the codec does
   * not do it.
   */
  changeHead?(changes: HeadChanges): boolean;
  /** The error that the client would receive in place of this final head; undefined if its protocol carries the head. */
  whyNotCarried?(head: Pick<ResponseHead, "status" | "fields">): TurnpikeError | undefined;
  /**
   * Adds the field line with the request id, without making a text of the id. Absent if the id is a text from the
   * start.
   */
  addIdField?(pieces: TextPieces): void;
  /**
   * Writes the id at `at` if the gateway made it: `MADE_ID_BYTES` of ASCII, without making a text. False: the client has
   * chosen it. Absent in the same case as `addIdField`.
   */
  writeMadeId?(bytes: Uint8Array, at: number): boolean;
  /** The final head has the request id, added by `addIdField`. */
  sendsRequestId?: boolean;
  /** The consumer's name from authentication. Without a name it is the payer; empty without both. */
  consumer: string;
  /** The address that pays for the request, after its payment was verified. Empty without a payment. */
  payer: string;
  /** Why a request on a priced route was not sold, as the funnel counts it. Set before the response. */
  loss?: string | undefined;
  /** The token of prepaid credit that the request had; not in its fields any more. Empty: several. */
  creditToken?: string | undefined;
  /** The request is paid for. A cache can sell the upstream's response to other payers. */
  isPaid?: true;
  /** The credential of the `Payment` scheme that the request had; not in its fields any more. Empty: several. */
  paymentCredential?: string | undefined;
  /** Authentication and access rules have let the request in: it counts as use of its route. */
  isAuthorized: boolean;
  /** The time at which the pipeline got the request, by `eventTime`. */
  beganAt: number;
  /** Undefined if the request is not traced. */
  trace?: UpstreamTrace | undefined;
  /** True: the upstream does no work for it, so that no mirror gets a copy. Set by policies. */
  isUncopied?: boolean;
  /** True after the final head was passed to the codec. From then on, an error can only cut the response off. */
  readonly started: boolean;
  /** The final status; 0 until then. */
  readonly status: number;
  /** The code of the error that cut the response off after its head; empty if it is whole. */
  readonly truncated?: string;
  /** Body bytes, before framing. */
  readonly bytesReceived: number;
  readonly bytesSent: number;
  /**
   * Called when the sender of the response can go on, after `data` returned false. Only the sender sets it. Sinks before
   * the response extend `PausingSink` instead.
   */
  onDrain: (() => void) | undefined;
  /** The stage nearest to the client. Undefined: a drain of the client goes to the sender. */
  lastStage?: DrainStage | undefined;
  /** Called when the connection of the client drains: a response without an end should end. */
  onGoAway?: (() => void) | undefined;
  /** Stops the sender of the response. Called when the client went away, and by a sink that wants no more data. */
  onCancel: (() => void) | undefined;
  /** True after the client went away: data that is sent is discarded. */
  readonly gone: boolean;
  /** Called once when the client goes away. For policies, which do not send the response. */
  onGone: (() => void) | undefined;
  /** Called once, when the whole response was passed on or the exchange was cut off. */
  onFinish: ((exchange: Exchange) => void) | undefined;
  /**
   * Called once: true if the client's side received the whole response, as far as the protocol reports it. HTTP/1 and
   * HTTP/2: the client's system acknowledged all bytes, and reset neither connection nor stream shortly after. HTTP/3:
   * the stream closed with all bytes sent. Set it before the response ends.
   */
  onTaken: ((taken: boolean) => void) | undefined;
}
