/** What telemetry reads of one HTTP/3 endpoint; counters only grow. */
export interface QuicFigures {
  /** Connections with a finished handshake: open now, and ever. */
  readonly connectionsOpen: number;
  readonly connectionsTotal: number;
  /** Connections that ended before their handshake did. */
  readonly handshakeFailures: number;
  /** Connections refused since there was no place for them. */
  readonly connectionsRefused: number;
  /** Request streams: open now, and ever. */
  readonly streamsOpen: number;
  readonly streamsTotal: number;
  /** Streams that were reset for a malformed request. */
  readonly streamsMalformed: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly packetsIn: number;
  readonly packetsOut: number;
  /** Packets of ours that were lost, of connections that have ended. */
  readonly packetsLost: number;
}

/** The counters that connections keep; the endpoint adds what its socket counts. */
export type QuicCounters = {
  -readonly [K in Exclude<keyof QuicFigures, "bytesIn" | "bytesOut" | "packetsIn" | "packetsOut">]: number;
};

export function createCounters(): QuicCounters {
  return {
    connectionsOpen: 0,
    connectionsTotal: 0,
    handshakeFailures: 0,
    connectionsRefused: 0,
    streamsOpen: 0,
    streamsTotal: 0,
    streamsMalformed: 0,
    packetsLost: 0,
  };
}
