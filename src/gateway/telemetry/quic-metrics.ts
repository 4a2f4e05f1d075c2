import { type QuicFigures } from "../http3/figures.ts";
import { type Counts } from "./metrics/counts.ts";

const METRIC_OF = {
  streamsOpen: "quicStreamsOpen",
  handshakeFailures: "quicHandshakeFailures",
  streamsTotal: "quicStreams",
  streamsMalformed: "quicStreamsMalformed",
  bytesIn: "quicBytesIn",
  bytesOut: "quicBytesOut",
  packetsIn: "quicPacketsIn",
  packetsOut: "quicPacketsOut",
  packetsLost: "quicPacketsLost",
} as const;
// The keys are those above.
const FIGURES = Object.keys(METRIC_OF) as (keyof typeof METRIC_OF)[];

/** Adds the figures of HTTP/3 endpoints, beside those that all protocols have. */
export class QuicMetrics {
  readonly #counts: Counts;
  /** The last figures of each endpoint. */
  readonly #known = new WeakMap<object, QuicFigures>();

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  /** Adds the difference between an endpoint's figures and its last ones. */
  tell(endpoint: object, figures: QuicFigures): void {
    const before = this.#known.get(endpoint);
    this.#known.set(endpoint, figures);
    for (const figure of FIGURES) this.#counts.add(METRIC_OF[figure], figures[figure] - (before?.[figure] ?? 0));
  }
}
