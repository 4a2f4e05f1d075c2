import { add, SERVER_COLUMN, SERVER_GAUGE, serverColumn, serverGauge } from "./metrics/layout.ts";
import { type UpstreamUses } from "./upstream-usage.ts";
import { at, type Labels, type Page, type Snapshot } from "./metrics/page.ts";

/** A server with its labels and the slot of its counters. */
export interface CountedServer {
  readonly upstream: string;
  readonly key: string;
  readonly slot: number;
  /** True if neither probes nor failures take the server out of rotation. */
  readonly inRotation: boolean;
  /** The result of the probes. Undefined: there are no probes, or the first one has not ended. */
  readonly healthy: boolean | undefined;
  /** Why the last probe failed; empty if it succeeded. */
  readonly probeFailure: string;
}

/** Counts the traffic between a worker and one server of an upstream. */
export class ServerMetrics {
  readonly #row: Float64Array;
  readonly #counters: number;
  readonly #gauges: number;
  readonly #upstream: UpstreamUses | undefined;

  /** `upstream` also gets the counts, if it is given. */
  constructor(row: Float64Array, slot: number, upstream?: UpstreamUses) {
    this.#row = row;
    this.#counters = serverColumn(slot);
    this.#gauges = serverGauge(slot);
    this.#upstream = upstream;
  }

  connecting(): void {
    add(this.#row, this.#counters + SERVER_COLUMN.connections, 1);
    add(this.#row, this.#gauges + SERVER_GAUGE.connectionsOpen, 1);
  }

  /** A connection was closed or could not be opened. */
  closed(): void {
    add(this.#row, this.#gauges + SERVER_GAUGE.connectionsOpen, -1);
  }

  /** Adds to the number of requests that wait for a connection. */
  waiting(change: number): void {
    add(this.#row, this.#gauges + SERVER_GAUGE.requestsWaiting, change);
  }

  /** A request is sent to the server. `isRetry`: an earlier try of the request has failed. */
  requested(isRetry: boolean): void {
    add(this.#row, this.#counters + SERVER_COLUMN.requests, 1);
    if (isRetry) add(this.#row, this.#counters + SERVER_COLUMN.retries, 1);
    this.#upstream?.requested();
  }

  responded(status: number): void {
    add(this.#row, this.#counters + SERVER_COLUMN.responses + Math.floor(status / 100) - 1, 1);
    this.#upstream?.responded(status);
  }

  /** The server has failed in a way that counts against it. */
  failed(): void {
    add(this.#row, this.#counters + SERVER_COLUMN.failures, 1);
    this.#upstream?.failed();
  }

  /** Body bytes that were sent to the server, and received from it. */
  carried(sent: number, received: number): void {
    this.#upstream?.carried(sent, received);
  }
}

const COUNTERS: readonly (readonly [name: string, column: number, help: string])[] = [
  ["requests", SERVER_COLUMN.requests, "Requests sent to a server, including retries."],
  ["retries", SERVER_COLUMN.retries, "Requests sent to a server after another try failed."],
  ["connections", SERVER_COLUMN.connections, "Started connections to upstream servers."],
  [
    "failures",
    SERVER_COLUMN.failures,
    "Failures that count against upstream servers: refused, cut off, late or malformed connections and responses.",
  ],
];
const GAUGES: readonly (readonly [name: string, gauge: number, help: string])[] = [
  ["connections_open", SERVER_GAUGE.connectionsOpen, "Connections to upstream servers, including those being opened."],
  ["requests_waiting", SERVER_GAUGE.requestsWaiting, "Requests waiting for a connection to an upstream server."],
];
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/** Writes every server of every upstream. */
export function writeUpstreams(page: Page, { totals }: Snapshot, servers: readonly CountedServer[]): void {
  const labelled = servers.map(({ upstream, key, slot }) => ({ labels: { upstream, server: key }, slot }));
  for (const [name, column, help] of COUNTERS) {
    page.metric(`turnpike_upstream_${name}_total`, "counter", help);
    for (const { labels, slot } of labelled) page.sample(at(totals, serverColumn(slot) + column), labels);
  }
  page.metric(
    "turnpike_upstream_responses_total",
    "counter",
    "Final responses of upstream servers, by class of status.",
  );
  for (const { labels, slot } of labelled) writeResponses(page, totals, labels, slot);
  for (const [name, gauge, help] of GAUGES) {
    page.metric(`turnpike_upstream_${name}`, "gauge", help);
    for (const { labels, slot } of labelled) page.sample(at(totals, serverGauge(slot) + gauge), labels);
  }
}

/** Writes which servers are in rotation, and the results of their probes. */
export function writeHealth(page: Page, servers: readonly CountedServer[]): void {
  page.metric(
    "turnpike_upstream_server_in_rotation",
    "gauge",
    "1 if neither probes nor failures take the server out of rotation.",
  );
  for (const { upstream, key, inRotation } of servers) page.sample(Number(inRotation), { upstream, server: key });
  page.metric(
    "turnpike_upstream_server_healthy",
    "gauge",
    "1 if probes find the server healthy; only servers with probes.",
  );
  for (const { upstream, key, healthy } of servers) {
    if (healthy !== undefined) page.sample(Number(healthy), { upstream, server: key });
  }
  page.metric(
    "turnpike_upstream_server_probe_failed",
    "gauge",
    "1 for a server whose last probe failed, with the reason.",
  );
  for (const { upstream, key, probeFailure } of servers) {
    if (probeFailure !== "") page.sample(1, { upstream, server: key, reason: probeFailure });
  }
}

function writeResponses(page: Page, totals: Float64Array, labels: Labels, slot: number): void {
  for (const [index, code] of CLASSES.entries()) {
    const count = at(totals, serverColumn(slot) + SERVER_COLUMN.responses + index);
    if (count > 0) page.sample(count, { ...labels, code });
  }
}
