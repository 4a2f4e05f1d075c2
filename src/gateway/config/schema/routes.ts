import * as z from "zod";
import { routeAccessLog } from "./access-log.ts";
import { auth } from "./auth.ts";
import { routeCompression } from "./compression.ts";
import { routeCors } from "./cors.ts";
import { headerRules } from "./header-rules.ts";
import { bodyLength, count, headerName, headerValue, jsonObject, milliseconds, ours, secret, text } from "./kinds.ts";
import { rateLimit } from "./rate-limit.ts";
import { pathPrefix, rewriteReplacement, routeHost } from "./path.ts";
import { routeCache } from "./route-cache.ts";
import { routeX402 } from "./route-x402.ts";
import { routeSecurityHeaders } from "./security-headers.ts";
import { trafficSplit, trafficSplitSticky } from "./traffic-split.ts";

const tenant = z
  .strictObject({
    socket_dir: z
      .string()
      .regex(/^\/[^\0]*$/, "expected an absolute path")
      .describe("Absolute path under which VM sockets must lie; a socket outside it is refused."),
    header: headerName
      .default("host")
      .describe("Request header that carries the tenant key; of `host`, the port is stripped. It grants nothing."),
    skip_filter_when_warm: z
      .boolean()
      .default(true)
      .describe(
        "Bypass the filter for a warm tenant; false runs it every time, and it must then allow without parking.",
      ),
  })
  .describe("Per-tenant microVM; excludes `upstream`, `cache`, `traffic_split` and `mirror`.");

const upstreamHeader = z
  .strictObject({
    name: headerName.describe("Header name."),
    value: headerValue.meta(secret("field")).describe("Header value."),
  })
  .describe("One header.");

const retry = z
  .strictObject({
    max_retries: count(1, 0, 100).describe("Tries after the first. Only GET, HEAD and OPTIONS are retried."),
    connect_any_method: z
      .boolean()
      .default(false)
      .meta(ours("Retry other methods as well where no connection was had: nothing was sent then.")),
    statuses: z
      .array(z.int().min(400).max(599))
      .max(200)
      .default([502, 503, 504])
      .meta(ours("Statuses of upstream responses that are retried.")),
    backoff_ms: count(0, 0, 3_600_000).meta(
      ours(
        "Pause before the first retry, doubled for each one more; up to half of it is taken off at random. 0: none. A retry that `total_timeout_ms` leaves no time for is not made.",
      ),
    ),
    max_backoff_ms: count(10_000, 0, 3_600_000).meta(ours("Longest pause before a retry.")),
    try_timeout_ms: count(0, 0, 2_147_483_647).meta(
      ours(
        "Time of each try from its start, with the connection and the sending of the request, to the head of its response. 0: no limit but the other timeouts. It does not apply to gRPC calls.",
      ),
    ),
  })
  .prefault({})
  .describe("Retries on connection failures, timeouts and `statuses`.");

export const route = z
  .strictObject({
    path_prefix: pathPrefix.describe(
      "Path that the route serves, longest first. One that ends in `/` serves what lies below; another serves itself and what follows a `/`.",
    ),
    host: routeHost.exactOptional().describe("Host that the route serves, `*.example.com` allowed; any when absent."),
    upstream: text.exactOptional().describe("Upstream that requests go to; required unless `tenant` is set."),
    tenant: tenant.exactOptional(),
    rewrite_pattern: pathPrefix
      .exactOptional()
      .describe("Prefix of the path that is replaced before forwarding, such as `/api/v1/`."),
    rewrite_replacement: rewriteReplacement.default("").describe("What replaces `rewrite_pattern`, such as `/`."),
    connect_timeout_ms: milliseconds(5000).describe("Time to connect to the upstream."),
    send_timeout_ms: milliseconds(30_000).describe("Time to send the request to the upstream."),
    read_timeout_ms: milliseconds(60_000).describe("Time the upstream may stay silent."),
    total_timeout_ms: milliseconds(120_000).describe("Time for all tries together."),
    max_response_bytes: bodyLength()
      .default(33_554_432)
      .describe(
        "Most bytes of an upstream response body; of a gRPC call, of each message. Event streams (`text/event-stream` without a length) have no limit.",
      ),
    max_body_bytes: bodyLength()
      .exactOptional()
      .meta(ours("Bytes of the request body, in place of `limits.max_body_bytes`; of a gRPC call, of each message.")),
    auth: auth.default({ type: "none" }).describe("Who is let in."),
    rate_limit: rateLimit.exactOptional(),
    cache: routeCache.exactOptional(),
    traffic_split: trafficSplit.exactOptional(),
    traffic_split_sticky: trafficSplitSticky.exactOptional(),
    mirror: text
      .exactOptional()
      .describe("Upstream that gets a copy of each request that is forwarded; its response is discarded."),
    body_schema: jsonObject
      .exactOptional()
      .describe("JSON Schema of the request body; an invalid body is answered 400."),
    request_buffering: z
      .boolean()
      .default(true)
      .meta(
        ours(
          "Gather a request's body, up to `buffer_pool.body_buffer_size`, before a connection to the upstream is taken, so that a slow client holds none. False sends it as it comes. Bodies of gRPC are never gathered.",
        ),
      ),
    response_buffering: z
      .boolean()
      .default(true)
      .meta(
        ours(
          "Take a response from the upstream faster than its client reads it, into memory and then on the disk, so that a slow client holds no connection to the upstream. `buffer_pool` has the bounds. False reads no faster than the client. Event streams, gRPC and WebSocket are never buffered.",
        ),
      ),
    forward_client_address: z
      .boolean()
      .default(true)
      .meta(ours("Tell the upstream the client's address, in `X-Forwarded-For` and `X-Real-IP`. False sends neither.")),
    upstream_headers: z
      .array(upstreamHeader)
      .default([])
      .describe("Headers added to the upstream request, in place of the client's own of the same name."),
    retry,
    x402: routeX402.exactOptional(),
    access_log: routeAccessLog.exactOptional(),
    security_headers: routeSecurityHeaders.exactOptional(),
    compression: routeCompression.exactOptional(),
    cors: routeCors.exactOptional(),
    headers: headerRules.exactOptional(),
  })
  .describe("A path prefix and what happens to requests below it.");

/** `routes`: which requests go where, and under which policies. */
export const routes = z.array(route).default([]).describe("Which requests go where, and under which policies.");
