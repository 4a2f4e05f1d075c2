/** The figures of one HTTP/3 endpoint for telemetry. Counters only grow. */
export interface QuicFigures {
  /** Connections with a finished handshake: open now, and in total. */
  readonly connectionsOpen: number;
  readonly connectionsTotal: number;
  /** Connections that ended before their handshake was finished. */
  readonly handshakeFailures: number;
  /** Connections that were refused because no permit was free. */
  readonly connectionsRefused: number;
  /** Request streams: open now, and in total. */
  readonly streamsOpen: number;
  readonly streamsTotal: number;
  /** Streams that were reset because of a malformed request. */
  readonly streamsMalformed: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly packetsIn: number;
  readonly packetsOut: number;
  /** Lost packets of the gateway, for connections that have ended. */
  readonly packetsLost: number;
}

type EndpointFigures = "connectionsOpen" | "bytesIn" | "bytesOut" | "packetsIn" | "packetsOut";

/** The counters that connections keep. The endpoint adds the number of open ones and those of its socket. */
export type QuicCounters = {
  -readonly [K in Exclude<keyof QuicFigures, EndpointFigures>]: number;
};

/** Creates the counters of one endpoint, all 0. */
export function createCounters(): QuicCounters {
  return {
    connectionsTotal: 0,
    handshakeFailures: 0,
    connectionsRefused: 0,
    streamsOpen: 0,
    streamsTotal: 0,
    streamsMalformed: 0,
    packetsLost: 0,
  };
}
