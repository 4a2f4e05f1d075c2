import { type Http2Settings } from "../exchange/server-host.ts";
import {
  DEFAULT_MAX_FRAME_SIZE,
  DEFAULT_WINDOW,
  FLOW_CONTROL_ERROR,
  FRAME_SIZE_ERROR,
  MAX_WINDOW,
  PROTOCOL_ERROR,
  readUint32,
} from "./frame.ts";

/** Identifiers (RFC 9113 §6.5.2). */
const ENABLE_PUSH = 0x2;
const MAX_CONCURRENT_STREAMS = 0x3;
const INITIAL_WINDOW_SIZE = 0x4;
const MAX_FRAME_SIZE = 0x5;
const MAX_HEADER_LIST_SIZE = 0x6;
/** RFC 8441 §3. */
const ENABLE_CONNECT_PROTOCOL = 0x8;

const LARGEST_FRAME_SIZE = 0xff_ffff;

/**
 * The settings that this side sends. Sizes are in bytes: `initialWindowSize` 0 to 2^31-1, `maxFrameSize` 2^14 to
 * 2^24-1.
 */
export interface LocalSettings extends Omit<Http2Settings, "maxStreams"> {
  /** Streams that the peer may have open at a time. A client leaves it out, because its peer opens no streams. */
  readonly maxStreams?: number;
}

/** A connection error that a frame of the peer causes. */
export interface ConnectionError {
  readonly code: number;
  readonly reason: string;
}

/** The settings that the peer has sent so far. */
export class PeerSettings {
  initialWindowSize = DEFAULT_WINDOW;
  maxFrameSize = DEFAULT_MAX_FRAME_SIZE;
  maxStreams = Number.POSITIVE_INFINITY;
  /** The size limit for a head that is sent to the peer, as RFC 9113 §6.5.2 counts it. */
  maxHeaderListSize = Number.POSITIVE_INFINITY;

  /**
   * Applies a SETTINGS payload (RFC 9113 §6.5.2); returns the connection error if the payload is invalid. `ofServer`: the peer is
   * a server.
   */
  apply(bytes: Uint8Array, range: { start: number; end: number }, ofServer: boolean): ConnectionError | undefined {
    const { start, end } = range;
    if ((end - start) % 6 !== 0) return { code: FRAME_SIZE_ERROR, reason: "SETTINGS of an invalid length" };
    for (let at = start; at < end; at += 6) {
      const id = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      const error = this.#set(id, readUint32(bytes, at + 2), ofServer);
      if (error !== undefined) return error;
    }
    return undefined;
  }

  #set(id: number, value: number, ofServer: boolean): ConnectionError | undefined {
    switch (id) {
      case ENABLE_PUSH:
        // A server may only send 0 (RFC 9113 §6.5.2).
        if (value > (ofServer ? 0 : 1)) return { code: PROTOCOL_ERROR, reason: `SETTINGS_ENABLE_PUSH of ${value}` };
        return undefined;
      case MAX_CONCURRENT_STREAMS:
        this.maxStreams = value;
        return undefined;
      case INITIAL_WINDOW_SIZE:
        if (value > MAX_WINDOW) return { code: FLOW_CONTROL_ERROR, reason: `SETTINGS_INITIAL_WINDOW_SIZE of ${value}` };
        this.initialWindowSize = value;
        return undefined;
      case MAX_FRAME_SIZE:
        if (value < DEFAULT_MAX_FRAME_SIZE || value > LARGEST_FRAME_SIZE) {
          return { code: PROTOCOL_ERROR, reason: `SETTINGS_MAX_FRAME_SIZE of ${value}` };
        }
        this.maxFrameSize = value;
        return undefined;
      case MAX_HEADER_LIST_SIZE:
        this.maxHeaderListSize = value;
        return undefined;
      default:
        // The header table size has no effect, because the encoder has no table. Unknown settings are ignored (RFC 9113
        // §6.5.2).
        return undefined;
    }
  }
}

/**
 * The SETTINGS payload for `settings`. A client disables pushes and sends no stream limit, because its peer opens no
 * streams. A server enables extended CONNECT.
 */
export function settingsPayload(settings: LocalSettings): Buffer {
  const { maxStreams } = settings;
  const pairs: (readonly [number, number])[] = [
    maxStreams === undefined ? [ENABLE_PUSH, 0] : [MAX_CONCURRENT_STREAMS, maxStreams],
    [INITIAL_WINDOW_SIZE, settings.initialWindowSize],
    [MAX_FRAME_SIZE, settings.maxFrameSize],
    [MAX_HEADER_LIST_SIZE, settings.maxHeaderListSize],
  ];
  if (maxStreams !== undefined) pairs.push([ENABLE_CONNECT_PROTOCOL, 1]);
  const payload = Buffer.allocUnsafe(pairs.length * 6);
  for (const [i, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return payload;
}
