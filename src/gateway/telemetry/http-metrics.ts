import { type LoggedRequest, type Exchange } from "../exchange/exchange.ts";
import { add, COLUMN } from "./metrics/layout.ts";
import { CODES, DURATION_BOUNDS, FIRST_CODE, GRPC_STATUSES, METHODS, PROTOCOLS } from "./metrics/metrics.ts";
import { at, bucketOf, type Page, type Snapshot } from "./metrics/page.ts";

const OTHER_METHOD = METHODS.length - 1;
const GRPC_OTHER = GRPC_STATUSES - 1;
const BUCKETS = DURATION_BOUNDS.length + 1;
/** A client that closed its connection before the response, as in the access log. */
const CLIENT_GONE = 499;

/** Counts requests and responses into a worker's row. */
export class HttpMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  begin(exchange: Exchange): void {
    const protocol = protocolOf(exchange.protocol);
    this.#request(protocol, exchange.head.method);
    add(this.#row, COLUMN.requestsInFlight + protocol, 1);
  }

  /** The exchange that `begin` counted has ended, after `elapsedMs` milliseconds. */
  end(exchange: Exchange, elapsedMs: number): void {
    const row = this.#row;
    const protocol = protocolOf(exchange.protocol);
    add(row, COLUMN.requestsInFlight + protocol, -1);
    this.#response(protocol, exchange);
    if ((exchange.truncated ?? "") !== "") add(row, COLUMN.responsesTruncated + protocol, 1);
    add(row, COLUMN.durations + protocol * BUCKETS + bucketOf(DURATION_BOUNDS, elapsedMs / 1000), 1);
    add(row, COLUMN.durationSum + protocol, elapsedMs / 1000);
  }

  /** A codec has responded to a request itself. The duration is too short to be counted. */
  refused(request: LoggedRequest): void {
    const protocol = protocolOf(request.protocol);
    this.#request(protocol, request.head.method);
    this.#response(protocol, request);
  }

  grpcEnded(status: number): void {
    add(this.#row, COLUMN.grpcResponses + (status < GRPC_OTHER ? status : GRPC_OTHER), 1);
  }

  #request(protocol: number, method: string): void {
    add(this.#row, COLUMN.requests + protocol * METHODS.length + methodOf(method), 1);
  }

  #response(protocol: number, { status, bytesReceived, bytesSent }: LoggedRequest): void {
    const row = this.#row;
    const code = (status === 0 ? CLIENT_GONE : status) - FIRST_CODE;
    add(row, COLUMN.responses + protocol * CODES + (code >= 0 && code < CODES ? code : CODES - 1), 1);
    add(row, COLUMN.requestBytes + protocol, bytesReceived);
    add(row, COLUMN.responseBytes + protocol, bytesSent);
  }
}

function protocolOf(protocol: Exchange["protocol"]): number {
  if (protocol === "HTTP/2.0") return 1;
  return protocol === "HTTP/3.0" ? 2 : 0;
}

function methodOf(method: string): number {
  if (method === "GET") return 0;
  // `indexOf` accepts any text despite the cast, and the list is short enough to search.
  const index = METHODS.indexOf(method as (typeof METHODS)[number]);
  return index === -1 ? OTHER_METHOD : index;
}

/** Writes the durations of requests, by protocol. */
export function writeDurations(page: Page, { totals }: Snapshot): void {
  page.metric(
    "turnpike_http_request_duration_seconds",
    "histogram",
    "Time from the head of a request until its whole response was written to the socket.",
  );
  for (const [p, protocol] of PROTOCOLS.entries()) {
    const counts = totals.subarray(COLUMN.durations + p * BUCKETS);
    page.histogram({ protocol }, DURATION_BOUNDS, counts, at(totals, COLUMN.durationSum + p));
  }
}
