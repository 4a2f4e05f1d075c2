import { type BufferPool } from "../lib/buffer-pool.ts";
import { type Rostered } from "../lib/roster.ts";
import { type TimerWheel } from "../lib/timer-wheel.ts";
import { type AnsweredRequest, type Exchange, type RequestHead } from "./exchange.ts";

/** What bounds a server connection of any protocol; a reload replaces the object. Times in milliseconds, sizes in bytes. */
export interface ServerSettings {
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxBodyBytes: number;
  readonly idleMs: number;
  readonly headerMs: number;
  readonly bodyMs: number;
  readonly writeMs: number;
  readonly http2: Http2Settings;
}

/** What an HTTP/2 connection lets its client do; one that is open keeps those that it began with. */
export interface Http2Settings {
  /** Streams at one time. */
  readonly maxStreams: number;
  /** Bytes of a decoded header list, 32 for each field on top (RFC 9113 §6.5.2). */
  readonly maxHeaderListSize: number;
  /** Bytes that a stream may send before any is taken. */
  readonly initialWindowSize: number;
  readonly maxFrameSize: number;
}

/** What the right of one client connection to be served is kept in; its stages (PROXY header, handshake, codec) hand it on. */
export interface ClientPlace extends Rostered {
  /** The connection is over the limits: only the gateway's own paths are served on it. */
  isReserved: boolean;
  /** The stages of the connection that are open: two for a moment, while one hands over to the next. */
  stages: number;
  /** The latest stage. */
  holder: ServerConnection | undefined;
}

/** A client's connection, whatever protocol it speaks. */
export interface ServerConnection extends Rostered {
  /** Undefined where connections are not counted. */
  place: ClientPlace | undefined;
  /** Wheel time since when the client has asked for nothing; Infinity while a request is under way. */
  readonly idleSince: number;
  /** Closes a connection without a request at once, so that another one can have its place. */
  makeWay(): void;
  /** No further request: an idle connection closes at once, a busy one after its answers. */
  drain(): void;
  /** Closes at once, whatever is in flight. */
  cutOff(): void;
}

/** Who a server connection works for. */
export interface ServerHost {
  /** Asked for each time, so that a reload reaches open connections. */
  settings(): ServerSettings;
  readonly wheel: TimerWheel;
  /** The account of what waits in memory since a peer is slow. */
  readonly buffers: BufferPool;
  /** True: answer what is in flight, then close. */
  draining(): boolean;
  readonly scheme: "http" | "https";
  /** What several events write to an HTTP/2 connection leaves together: see `Outgoing`. */
  readonly gathers?: boolean;
  /** Where the connection comes from, where its wire does not know it: a proxy has said so. */
  readonly peerAddress?: string | undefined;
  /** Most bytes of the body of a request with this head; absent: what the settings say. */
  bodyLimit?(head: RequestHead): number | undefined;
  handle(exchange: Exchange): void;
  /** A request was answered by the codec itself. */
  refused(request: AnsweredRequest): void;
  closed(connection: ServerConnection): void;
}

/** Most bytes of the body of a request with this head. */
export function bodyLimit(host: ServerHost, head: RequestHead): number {
  return host.bodyLimit?.(head) ?? host.settings().maxBodyBytes;
}
