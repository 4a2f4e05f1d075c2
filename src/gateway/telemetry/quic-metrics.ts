import { type QuicFigures } from "../http3/figures.ts";
import { add, COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Metrics of QUIC beside those that all protocols have: figure, column, name, help. */
const COUNTERS = [
  ["handshakeFailures", COLUMN.quicHandshakeFailures, "handshake_failures", "Failed QUIC handshakes."],
  ["streamsTotal", COLUMN.quicStreams, "streams", "Opened request streams."],
  ["streamsMalformed", COLUMN.quicStreamsMalformed, "malformed_streams", "Malformed request streams."],
  ["bytesIn", COLUMN.quicBytesIn, "received_bytes", "Received UDP bytes."],
  ["bytesOut", COLUMN.quicBytesOut, "sent_bytes", "Sent UDP bytes."],
  ["packetsIn", COLUMN.quicPacketsIn, "received_packets", "Received packets."],
  ["packetsOut", COLUMN.quicPacketsOut, "sent_packets", "Packets that were sent."],
  ["packetsLost", COLUMN.quicPacketsLost, "lost_packets", "Lost packets of ended connections."],
] as const;

/** Adds the figures of HTTP/3 endpoints to a worker's row. */
export class QuicMetrics {
  readonly #row: Float64Array;
  /** The last figures of each endpoint. */
  readonly #known = new WeakMap<object, QuicFigures>();

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** Adds the difference between an endpoint's figures and its last ones. */
  tell(endpoint: object, figures: QuicFigures): void {
    const before = this.#known.get(endpoint);
    this.#known.set(endpoint, figures);
    for (const [figure, column] of COUNTERS) add(this.#row, column, figures[figure] - (before?.[figure] ?? 0));
    add(this.#row, COLUMN.quicStreamsOpen, figures.streamsOpen - (before?.streamsOpen ?? 0));
  }
}

/** Writes QUIC, summed over all endpoints. */
export function writeQuic(page: Page, { totals }: Snapshot): void {
  page
    .metric("turnpike_quic_streams_open", "gauge", "Open request streams.")
    .sample(at(totals, COLUMN.quicStreamsOpen));
  for (const [, column, name, help] of COUNTERS) {
    page.metric(`turnpike_quic_${name}_total`, "counter", help).sample(at(totals, column));
  }
}
