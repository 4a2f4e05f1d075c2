import { FACILITATOR_PLACES, OPERATIONS, OUTCOMES } from "../../../payments/facilitator/facilitator-observer.ts";

/** The protocols of requests, as labels. */
export const PROTOCOLS = ["http1", "http2", "http3"] as const;
/** Methods that are counted by name. All other methods count as `other`, because clients can invent any. @bound */
export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
  "other",
] as const;
/** The transports of connections, as labels. */
export const TRANSPORTS = ["tcp", "tls", "quic"] as const;
export type Transport = (typeof TRANSPORTS)[number];
/** Upper bounds of the duration buckets, in seconds. A last bucket takes all longer times. */
export const DURATION_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
] as const;
/** Results of a request to a cache. For `bypass` the cache was not used. */
export const CACHE_RESULTS = ["hit", "miss", "stale", "revalidated", "bypass"] as const;
/** States that payments reach. A `delivered` payment was `settled` before. */
export const PAYMENT_OUTCOMES = ["settled", "delivered", "released", "failed", "unknown"] as const;
/** The uses of certificates, whose next expiry is reported. The last one is that of `tls.acme`. */
export const CERTIFICATE_USES = ["tls", "quic", "client_ca", "upstream", "admin", "acme"] as const;
/** The indexes of `x402.chains`, as labels. @bound */
export const CHAINS = Array.from({ length: 32 }, (_, i) => i);
/** Codes from 100 to 599 have a column each. Other codes that an upstream invents share the last column. @bound */
export const FIRST_CODE = 100;
export const CODES = 501;
/** The statuses of gRPC from 0 to 16. Other statuses that a server invents share the last column. */
export const GRPC_STATUSES = 18;

type LabelValue = string | number;
type LabelList = readonly (readonly [name: string, values: readonly LabelValue[]])[];

/** A metric that is the sum over all processes, with a column for each combination of the values of its labels. */
export interface Metric<L extends LabelList = LabelList> {
  readonly type: "counter" | "gauge";
  readonly name: string;
  readonly help: string;
  readonly labels: L;
  /** Samples of 0 are left out. */
  readonly isSparse?: true;
  /** All workers report the same number, which is not added. */
  readonly isShared?: true;
}

function counter<const L extends LabelList>(name: string, help: string, ...labels: L): Metric<L> {
  return { type: "counter", name, help, labels };
}

function gauge<const L extends LabelList>(name: string, help: string, ...labels: L): Metric<L> {
  return { type: "gauge", name, help, labels };
}

/** A gauge of which all workers report the same number. */
function shared<const L extends LabelList>(name: string, help: string, ...labels: L): Metric<L> {
  return { ...gauge(name, help, ...labels), isShared: true };
}

const codes = Array.from({ length: CODES }, (_, index) => (index === CODES - 1 ? "other" : FIRST_CODE + index));
const statuses = Array.from({ length: GRPC_STATUSES }, (_, index) => (index === GRPC_STATUSES - 1 ? "other" : index));

/** The metrics of the whole server, in the order of the page. */
export const METRICS = {
  requests: counter("turnpike_http_requests_total", "Requests received.", ["protocol", PROTOCOLS], ["method", METHODS]),
  responses: {
    ...counter(
      "turnpike_http_responses_total",
      "Responses by status code; 499 is a client that left before the response.",
      ["protocol", PROTOCOLS],
      ["code", codes],
    ),
    isSparse: true,
  },
  responsesTruncated: counter("turnpike_http_responses_truncated_total", "Responses cut off after their head.", [
    "protocol",
    PROTOCOLS,
  ]),
  requestsInFlight: gauge("turnpike_http_requests_in_flight", "Requests being served.", ["protocol", PROTOCOLS]),
  requestBytes: counter("turnpike_http_request_body_bytes_total", "Bytes of request bodies, without framing.", [
    "protocol",
    PROTOCOLS,
  ]),
  responseBytes: counter("turnpike_http_response_body_bytes_total", "Bytes of response bodies, without framing.", [
    "protocol",
    PROTOCOLS,
  ]),
  grpcResponses: counter(
    "turnpike_grpc_responses_total",
    "gRPC calls by status; 1 includes clients that left before the response.",
    ["code", statuses],
  ),
  connectionsOpen: gauge("turnpike_connections_open", "Open client connections.", ["transport", TRANSPORTS]),
  connections: counter("turnpike_connections_total", "Accepted client connections.", ["transport", TRANSPORTS]),
  connectionsRefused: counter(
    "turnpike_connections_refused_total",
    "Client connections over server.max_connections or max_connections_per_address.",
    ["transport", TRANSPORTS],
  ),
  connectionsYielded: counter(
    "turnpike_connections_yielded_total",
    "Idle client connections closed to make room for others.",
    ["transport", TRANSPORTS],
  ),
  connectionProtocols: counter("turnpike_http_connections_total", "Client connections by protocol.", [
    "protocol",
    PROTOCOLS,
  ]),
  tlsHandshakes: counter(
    "turnpike_tls_handshakes_total",
    "Completed TLS handshakes of clients.",
    ["version", ["TLSv1.2", "TLSv1.3"]],
    ["resumed", ["false", "true"]],
  ),
  tlsFailures: counter("turnpike_tls_handshake_failures_total", "Failed TLS handshakes of clients."),
  quicStreamsOpen: gauge("turnpike_quic_streams_open", "Open request streams."),
  quicHandshakeFailures: counter("turnpike_quic_handshake_failures_total", "Failed QUIC handshakes."),
  quicStreams: counter("turnpike_quic_streams_total", "Opened request streams."),
  quicStreamsMalformed: counter("turnpike_quic_malformed_streams_total", "Malformed request streams."),
  quicBytesIn: counter("turnpike_quic_received_bytes_total", "Received UDP bytes."),
  quicBytesOut: counter("turnpike_quic_sent_bytes_total", "Sent UDP bytes."),
  quicPacketsIn: counter("turnpike_quic_received_packets_total", "Received packets."),
  quicPacketsOut: counter("turnpike_quic_sent_packets_total", "Packets that were sent."),
  quicPacketsLost: counter("turnpike_quic_lost_packets_total", "Lost packets of ended connections."),
  certificateOrders: counter("turnpike_acme_orders_total", "Orders of certificates by tls.acme, by result.", [
    "result",
    ["issued", "failed"],
  ]),
  certificates: gauge("turnpike_acme_certificates", "Domains of tls.acme, by the state of their certificate.", [
    "state",
    ["valid", "missing", "expired"],
  ]),
  certificateExpiry: {
    ...gauge(
      "turnpike_certificate_expiry_timestamp_seconds",
      "When the first certificate of this use expires, in Unix seconds; absent without certificates.",
      ["use", CERTIFICATE_USES],
    ),
    isSparse: true,
  },
  mirrorRequests: counter("turnpike_mirror_requests_total", "Requests on routes with a mirror, each to be copied."),
  mirrorGivenUp: counter(
    "turnpike_mirror_given_up_total",
    "Copies not sent completely: too many at once, a slow mirror, or an incomplete request.",
  ),
  mirrorFailures: counter("turnpike_mirror_failures_total", "Copies that a mirror refused or did not respond to."),
  cacheRequests: counter("turnpike_cache_requests_total", "Requests that reached a cache, by result.", [
    "result",
    CACHE_RESULTS,
  ]),
  cacheEntries: gauge("turnpike_cache_entries", "Responses stored in caches."),
  cacheBytes: gauge("turnpike_cache_bytes", "Bytes of stored responses."),
  payments: counter("turnpike_payments_total", "Payments by the last state that they reached.", [
    "outcome",
    PAYMENT_OUTCOMES,
  ]),
  paymentsOpen: shared("turnpike_payments_open", "Payments in the ledger whose settlement is not known."),
  paymentsDeferred: shared("turnpike_payments_deferred", "Payments in the ledger whose charge is made later."),
  deferredTrouble: counter("turnpike_deferred_trouble_total", "Failed attempts to make a charge later.", [
    "trouble",
    ["unreachable", "given_up", "refused"],
  ]),
  charges: counter(
    "turnpike_credit_charges_total",
    "Charges to prepaid credit by their result. Those that are returned cost nothing.",
    ["result", ["charged", "returned"]],
  ),
  channelsOwing: shared("turnpike_channels_owing", "Payment channels with charges that are not claimed yet."),
  channelsWithdrawing: shared(
    "turnpike_channels_withdrawing",
    "Those of `turnpike_channels_owing` from which the payer withdraws.",
  ),
  channelRisk: shared(
    "turnpike_channel_risk_dollars",
    "Unclaimed charges of payment channels, in known dollar tokens.",
  ),
  channelLost: shared(
    "turnpike_channel_lost_dollars",
    "Charges of payment channels that are written off, in known dollar tokens.",
  ),
  channelClaims: counter("turnpike_channel_claims_total", "Claims of payment channels by their result.", [
    "result",
    ["claimed", "withdrawal", "reverting", "unclaimed", "lost", "denied"],
  ]),
  refunds: counter("turnpike_refunds_total", "Refunds by their end.", ["result", ["settled", "recorded", "failed"]]),
  refundsPending: shared("turnpike_refunds_pending", "Refunds that are not sent yet, or whose outcome is not known."),
  ledgerAway: shared(
    "turnpike_ledger_unavailable",
    "1 while the ledger cannot be read or written, and payments are refused.",
  ),
  records: counter("turnpike_settlement_records_total", "Tries to post a settlement record, by result.", [
    "result",
    ["posted", "failed", "dropped"],
  ]),
  recordsWaiting: shared("turnpike_settlement_records_waiting", "Settlement records waiting to be posted."),
  facilitatorRequests: counter(
    "turnpike_facilitator_requests_total",
    "Calls to facilitators, by operation and outcome.",
    ["operation", OPERATIONS],
    ["outcome", OUTCOMES],
  ),
  payersScreened: counter("turnpike_payers_screened_total", "Payers by the result of `x402.screening`.", [
    "result",
    ["listed", "allowed", "denied", "unavailable"],
  ]),
  facilitatorBreakersOpen: gauge(
    "turnpike_facilitator_breakers_open",
    "Open circuit breakers of facilitators that do not respond, one for each worker, by the index in x402.facilitators.",
    ["facilitator", FACILITATOR_PLACES],
  ),
  gasBalance: {
    ...shared(
      "turnpike_gas_balance",
      "Native coins of the gas key with the fewest, by the index of the chain in x402.chains.",
      ["chain", CHAINS],
    ),
    isSparse: true,
  },
  gasLow: {
    ...shared(
      "turnpike_gas_low",
      "Gas keys that can pay for fewer than 10 settlements at max_fee_per_gas, by the index of the chain in x402.chains.",
      ["chain", CHAINS],
    ),
    isSparse: true,
  },
  rateLimits: counter("turnpike_rate_limit_requests_total", "Requests on routes with a rate limit, by result.", [
    "result",
    ["allowed", "limited"],
  ]),
  rateLimitsShared: counter(
    "turnpike_rate_limit_shared_total",
    "Requests counted in a shared bucket of their route because the table was full.",
  ),
  rateLimitStore: counter(
    "turnpike_rate_limit_store_requests_total",
    "Requests limited by rate_limit_store: decided by it, failed or late, or skipped while it is unavailable. This server alone limited all but the first kind.",
    ["result", ["answered", "failed", "skipped"]],
  ),
  rateLimitStoresAway: gauge(
    "turnpike_rate_limit_store_away",
    "Workers that limit without rate_limit_store because it is unavailable.",
  ),
  spans: counter(
    "turnpike_trace_spans_total",
    "Spans that a collector accepted or rejected, or that were dropped because it was unreachable or slow.",
    ["result", ["exported", "rejected", "dropped"]],
  ),
  routesClosed: gauge(
    "turnpike_wasm_routes_closed",
    "Path prefixes that get 503 because a filter cannot be loaded, summed over workers.",
  ),
  parkActive: gauge("turnpike_wasm_park_active", "Requests parked until a host call of their filter returns."),
  parkCapacity: gauge("turnpike_wasm_park_capacity", "Maximum of parked requests, over all workers."),
  poolInstances: gauge("turnpike_wasm_pool_instances", "Instances of filters."),
  poolPinned: gauge("turnpike_wasm_pool_pinned", "Filter instances bound to one request."),
  controlConfigured: gauge("turnpike_wasm_control_configured", "Workers with a configured control socket."),
  controlReady: gauge("turnpike_wasm_control_ready", "Workers whose control socket accepts commands."),
  tenantsActive: gauge("turnpike_wasm_tenants_active", "Tenants with a warm mapping, summed over workers."),
  tenantHits: counter("turnpike_wasm_tenant_hits_total", "Requests on tenant routes to a warm tenant."),
  tenantMisses: counter("turnpike_wasm_tenant_misses_total", "Requests on tenant routes to a cold tenant."),
  tenantEvictions: counter(
    "turnpike_wasm_tenant_evictions_total",
    "Warm mappings that were removed: the tenant failed, another one needed the space, or an operator removed it.",
  ),
  buffers: gauge("turnpike_buffer_bytes", "Bytes of buffers in use, over all workers.", [
    "pool",
    ["stream", "body", "disk"],
  ]),
  bufferRefusals: counter("turnpike_buffer_refusals_total", "Requests refused or cut off because no buffer was free.", [
    "pool",
    ["stream", "body"],
  ]),
  workerRestarts: counter("turnpike_worker_restarts_total", "Workers started to replace one that ended."),
  reloads: counter("turnpike_config_reloads_total", "Reloads of the configuration.", [
    "result",
    ["success", "failure"],
  ]),
  logLinesDropped: counter(
    "turnpike_access_log_lines_dropped_total",
    "Log lines dropped because a disk or pipe was full or slow.",
  ),
  logsFailing: gauge("turnpike_access_logs_failing", "Access logs that lose lines, summed over workers."),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

export type LabelsOf<M extends MetricName> = (typeof METRICS)[M]["labels"] extends infer L
  ? { -readonly [I in keyof L]: L[I] extends readonly [string, readonly (infer V)[]] ? V : never }
  : never;

/** The number of a metric's columns. */
export function columnsOf({ labels }: Metric): number {
  return labels.reduce((count, [, values]) => count * values.length, 1);
}
