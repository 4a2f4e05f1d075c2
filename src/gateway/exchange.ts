import { type TurnpikeError } from "../lib/errors.ts";
import { type Fields } from "../lib/fields.ts";

/** What the client asked for, whatever protocol it came in by. */
export interface RequestHead {
  /** A filter may change it, but not from or to HEAD, by which responses are framed. */
  method: string;
  readonly scheme: "http" | "https";
  /** `host` or `host:port` as the client sent it, or as a filter has changed it. */
  authority: string;
  /** As `normalisePath` leaves it: starts with `/`, or is the `*` of `OPTIONS *`. A filter may change it. */
  path: string;
  /** Empty, or the query with its `?`. Authentication takes keys out of it. */
  query: string;
  /** End-to-end fields only: no Host, no hop-by-hop fields, no Content-Length, nothing that Turnpike sets itself. Policies edit it. */
  fields: Fields;
  /** Lines of PAYMENT-SIGNATURE and X-PAYMENT (x402): apart from `fields`, so that no upstream, mirror or cache gets them. */
  readonly payment: Fields;
  /** Bytes; 0 without a body, -1 where the length is not known in advance. Who has gathered the body says its length. */
  bodyLength: number;
  /** The client waits for a 100 before it sends its body (RFC 9110 §10.1.1). False once somebody has read it. */
  expectContinue: boolean;
  /** Field values that the proxy adds to or replaces, as received; empty where absent. */
  readonly via: string;
  readonly forwardedFor: string;
  /** A call of gRPC, which HTTP/2 and HTTP/3 carry alone: its answer has a status in trailers, and HTTP's is 200. */
  readonly isGrpc: boolean;
  /**
   * What the client asks to go on in: a sound WebSocket handshake (RFC 6455 §4.2.1, RFC 8441 §5) has no body, and a 101 is a
   * final answer to it. After that `data` of the response and `readTo` of the body carry the raw bytes of both directions.
   */
  readonly upgrade: "" | "websocket";
}

/** An answer's head. `fields` holds end-to-end fields without Content-Length: framing is the codec's. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: Fields;
  /**
   * Bytes; -1 where the length is not known in advance. To a HEAD request and in a 304 it is the Content-Length to
   * announce (-1: none), and no data follows.
   */
  readonly bodyLength: number;
  /** gRPC's status, where the head says how a call ended: then there is no body. */
  readonly grpcStatus?: number;
  /** What it tells, where it is an answer of Turnpike's own. */
  readonly error?: TurnpikeError;
}

/** Takes a body piece by piece. */
export interface BodySink {
  /**
   * Takes the bytes of `chunk` from `start` to `end`, the whole chunk where they are left out, and may keep them. False: the
   * sink is full, stop sending until drained; the bytes are taken either way. A range and not a view, since making a view
   * of what a socket brought costs more than parsing a small head (bench http1).
   */
  data(chunk: Uint8Array, start?: number, end?: number): boolean;
  /** `trailers` is empty where there are none. */
  end(trailers: Fields): void;
  /** The body will not be complete. */
  abort(error: TurnpikeError): void;
}

/** Takes a response: any number of 1xx `start`s, one final `start` (101 where the request has an `upgrade`), its data, then `end` or `abort`. */
export interface ResponseSink extends BodySink {
  start(head: ResponseHead): void;
  /**
   * Has the kernel send up to `length` bytes of an open file in place of `data`, and returns how many it took. 0: send
   * them by `data`, which tells whether the client takes more. Absent in a sink that must see the bytes.
   */
  sendFile?(file: number, offset: number, length: number): number;
}

/** How a request's body is asked for and held back. */
export interface RequestBody {
  /** Why it will never be whole, once that is known; of one that is announced too long, from the start: then nothing of it is read. */
  readonly fault?: TurnpikeError | undefined;
  /** All of it has come from the client: what was not handed on yet follows at once. Absent where that is not known in advance. */
  readonly complete?: boolean;
  /** Sends the body to `sink`; called once, at any time before the exchange ends. */
  readTo(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /**
   * Neither its time nor its length in all is limited from now on: the reader limits its silence and its messages. Absent
   * where nothing that lasts is carried.
   */
  liftLimits?(): void;
}

/** The forwarded fields about a client, which are the same for most requests of its connection. */
export interface ToldClient {
  /** What it was composed for. */
  readonly authority: string;
  readonly serviceName: string;
  readonly tellsClient: boolean;
  /** What follows the path in a head of HTTP/1.1, up to the client's own fields. */
  readonly host: string;
  /** What follows those and is not the request's own. */
  readonly fields: Fields;
}

/** What authentication has decided about the last request of a connection. */
export interface Admission {
  /** Who decided: another configuration has another one. */
  readonly by: object;
  /** The request's fields and query as they came. */
  readonly sentFields: Fields;
  readonly sentQuery: string;
  /** The same without credentials, and with what upstreams are told of the client. */
  readonly fields: Fields;
  readonly query: string;
  readonly consumer: string;
}

/** Hears how a request fares with upstreams. */
export interface UpstreamTrace {
  /** It goes to this server, with its path changed by `rewrite`; a try before it is over. */
  tryBegan(server: string, scheme: "http" | "https", rewrite: ((path: string) => string) | undefined): void;
  /** It has a connection there. */
  connected(): void;
  /** Field lines that the server is told of the trace. */
  readonly fields: Fields;
  /** The server answers, with an interim status perhaps: the last one counts. */
  answered(status: number): void;
  /** The last try is over: `error` is empty, or its code in the table of errors. */
  tryEnded(error: string): void;
}

/** Hears that the time of an upstream request is up, while that is still under way. An object, since each request would make a closure. */
export interface TimeKeeper {
  timedOut(): void;
}

/** Takes latin1 text, a piece at a time. */
export interface TextSink {
  text(text: string): void;
}

/** What is written down of a request: an exchange, or one that the codec answered before it could become one, with its head as far as it was read. */
export type AnsweredRequest = Pick<
  Exchange,
  "id" | "protocol" | "clientAddress" | "status" | "bytesReceived" | "bytesSent"
> & {
  readonly head: Pick<RequestHead, "method" | "scheme" | "authority" | "path" | "query" | "fields">;
  readonly consumer?: string;
  readonly trace?: UpstreamTrace | undefined;
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
  /** A policy that must see it puts its own in its place. */
  body: RequestBody;
  /** The address of who opened the connection, without port. */
  readonly peerAddress: string;
  /** The client's address: the peer's, or what a trusted proxy says of it. */
  clientAddress: string;
  /** The connection that carries several requests of the client at a time; undefined for HTTP/1. */
  readonly session?: object | undefined;
  /** Kept by the connection; absent where requests of one connection come from several clients, or are no HTTP/1. */
  told?: ToldClient | undefined;
  /** Kept by the connection, of the last request that was let in; absent as `told` is. */
  admission?: Admission | undefined;
  /** Where the answer goes. A policy that must see or hold the answer puts its own sink in front of this one. */
  response: ResponseSink;
  /** Field lines that go out with the final head, whoever answers. */
  addedFields: Fields;
  /** Writes the field line that tells the id, without making a text of the id; absent where the id is one text from the start. */
  writeIdField?(out: TextSink): void;
  /** The final head tells the id, by `writeIdField`. */
  tellsId?: boolean;
  /** Who was let in, by the name that authentication gave; empty where nobody asked. */
  consumer: string;
  /** Nobody has refused it before it was known who asks: it is use of its route. */
  isLetIn: boolean;
  /** When the pipeline got it, in the time of `eventTime`. */
  beganAt: number;
  /** Undefined where nobody wants to know. */
  trace?: UpstreamTrace | undefined;
  /** True: no copy of it goes to a mirror. Set by policies. */
  isUncopied?: boolean;
  /** True once the final head was handed to the codec: after that an error can only cut the response off. */
  readonly started: boolean;
  /** The final status; 0 until then. */
  readonly status: number;
  /** Body bytes, before framing. */
  readonly bytesReceived: number;
  readonly bytesSent: number;
  /** The client can take more of the response after a `data` that returned false. Set by who sends the response. */
  onDrain: (() => void) | undefined;
  /** Stops who works for the response: called when the client went away, and by a sink that wants no more of it. */
  onCancel: (() => void) | undefined;
  /** True once the client went away: what is sent goes nowhere. */
  readonly gone: boolean;
  /** Called once when the client goes away; for policies, whoever works for the response by then. */
  onGone: (() => void) | undefined;
  /** Called once, when the response is handed over whole or the exchange is cut off. */
  onFinish: ((exchange: Exchange) => void) | undefined;
  /**
   * Called once: true when the client's side took the whole response, as far as the protocol tells, false when it did not.
   * HTTP/1 and HTTP/2: the client's system acknowledged all bytes and did not reset the connection within a moment. HTTP/3: the
   * stream closed with all bytes sent. Set it before the response ends.
   */
  onTaken: ((taken: boolean) => void) | undefined;
}
