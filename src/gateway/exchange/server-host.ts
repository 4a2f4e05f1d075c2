import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Listed } from "../../lib/member-list.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Config } from "../config/config.ts";
import { type LoggedRequest, type Exchange, type RequestHead } from "./exchange.ts";

/**
 * Limits of a server connection of any protocol; a reload replaces the object. Times in milliseconds, sizes in bytes.
 */
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

/** The settings of a configuration's server connections. */
export function serverSettings({ limits, timeouts, http2 }: Config): ServerSettings {
  return {
    maxHeaderBytes: limits.max_header_bytes,
    maxHeaderCount: limits.max_header_count,
    maxBodyBytes: limits.max_body_bytes,
    idleMs: timeouts.idle_ms,
    headerMs: timeouts.header_ms,
    bodyMs: timeouts.body_ms,
    writeMs: timeouts.write_ms,
    http2: {
      maxStreams: http2.max_streams,
      maxHeaderListSize: http2.max_header_list_size,
      initialWindowSize: http2.initial_window_size,
      maxFrameSize: http2.max_frame_size,
    },
  };
}

/** The limits that an HTTP/2 connection sets for its client. An open connection keeps the settings that it started with. */
export interface Http2Settings {
  /** Concurrent streams. */
  readonly maxStreams: number;
  /** Bytes of a decoded field section, plus 32 for each field (RFC 9113 §6.5.2). */
  readonly maxHeaderListSize: number;
  /** Bytes that a client may send on a stream before the first window update. */
  readonly initialWindowSize: number;
  readonly maxFrameSize: number;
}

/** The permit of one client connection. The stages of the connection (PROXY header, handshake, codec) pass it on. */
export interface ConnectionPermit extends Listed {
  /** The connection is over the limits: it can only use the gateway's own paths. */
  readonly isReserved: boolean;
  /** Open stages of the connection: two for a moment, while one hands over to the next. */
  stages: number;
  /** The latest stage. */
  holder: ServerConnection | undefined;
}

/** A client's connection, of any protocol. */
export interface ServerConnection extends Listed {
  /** Undefined if connections are not counted. */
  permit: ConnectionPermit | undefined;
  /** The time since when the client has no request open, by the timer wheel; Infinity while a request is under way. */
  readonly idleSince: number;
  /** Closes an idle connection at once, so that another connection gets its permit. */
  makeWay(): void;
  /** Accepts no further request: an idle connection closes at once, a busy one after its responses. */
  drain(): void;
  /** Closes the connection at once, even with requests in flight. */
  cutOff(): void;
}

export interface ServerHost {
  /** Read each time, so that a reload applies to open connections. */
  settings(): ServerSettings;
  readonly wheel: TimerWheel;
  /** The budget for data that waits in memory for slow peers. */
  readonly buffers: BufferPool;
  /** True: finish the requests in flight, then close. */
  draining(): boolean;
  readonly scheme: "http" | "https";
  /** The address of the peer, if a proxy reports it and not the connection itself. */
  readonly peerAddress?: string | undefined;
  /** The maximum number of bytes for the body of a request with this head; absent: the server's setting. */
  bodyLimit?(head: RequestHead): number | undefined;
  handle(exchange: Exchange): void;
  /** The codec itself responded to a request. */
  refused(request: LoggedRequest): void;
  closed(connection: ServerConnection): void;
}

/** The maximum number of bytes for the body of a request with this head. */
export function bodyLimit(host: ServerHost, head: RequestHead): number {
  return host.bodyLimit?.(head) ?? host.settings().maxBodyBytes;
}
