import { add, COLUMN } from "./layout.ts";
import { at, type Page, type Snapshot } from "./page.ts";

/** Counts what happens between a worker and the servers of its upstreams. */
export class UpstreamMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** A connection is being opened. */
  connecting(): void {
    add(this.#row, COLUMN.upstreamConnections, 1);
  }

  /** A server has failed in a way that counts against it. */
  failed(): void {
    add(this.#row, COLUMN.upstreamFailures, 1);
  }
}

/** Upstreams, all servers together. */
export function writeUpstreams(page: Page, { totals }: Snapshot): void {
  page
    .metric("turnpike_upstream_connections_total", "counter", "Connections to upstream servers that were begun.")
    .sample(at(totals, COLUMN.upstreamConnections));
  page
    .metric(
      "turnpike_upstream_failures_total",
      "counter",
      "Failures that count against upstream servers: connections and answers that were refused, cut off, late or malformed.",
    )
    .sample(at(totals, COLUMN.upstreamFailures));
}
