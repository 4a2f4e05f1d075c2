import { array, int, oneOf, strictObject, string } from "./recorded-schema.ts";
import { routeAccessLog } from "./access-log.ts";
import { auth } from "./auth.ts";
import { routeCompression } from "./compression.ts";
import { routeCors } from "./cors.ts";
import { headerRules } from "./header-rules.ts";
import {
  bodyLength,
  count,
  flag,
  headerName,
  headerValue,
  jsonObject,
  MAX_UNIX_PATH_BYTES,
  milliseconds,
  names,
  ours,
  secret,
  section,
  text,
} from "./kinds.ts";
import { rateLimit } from "./rate-limit.ts";
import { pathPrefix, rewriteReplacement, routeHost } from "./path.ts";
import { routeCache } from "./route-cache.ts";
import { fixedResponse, mirrors, redirect, rewrite } from "./route-actions.ts";
import { routeMatch, routeNameKey } from "./route-match.ts";
import { routeX402 } from "./route-x402.ts";
import { routeSecurityHeaders } from "./security-headers.ts";
import { trafficSplit, trafficSplitSticky } from "./traffic-split.ts";

/** Bytes of `socket_dir`. A socket's path in it has at least two more: a slash and a character. */
const MAX_SOCKET_DIR_BYTES = MAX_UNIX_PATH_BYTES - 2;
const SOCKET_DIR_TOO_LONG = `expected at most ${MAX_SOCKET_DIR_BYTES} bytes, so that the path of a socket below it fits`;

const tenant = strictObject({
  socket_dir: string()
    .meta(names("folder"))
    .regex(/^\/[^\0]*$/, "expected an absolute path")
    .refine((path) => Buffer.byteLength(path) <= MAX_SOCKET_DIR_BYTES, SOCKET_DIR_TOO_LONG)
    .describe("Absolute path of the folder of VM sockets. A socket outside it is refused."),
  header: headerName
    .default("host")
    .describe("Request header field that contains the tenant key. The key grants no access."),
  skip_filter_when_warm: flag(true).describe("Skip the filter for a warm tenant."),
}).describe("Per-tenant microVM; excludes `upstream`, `cache`, `traffic_split` and `mirror`.");

const upstreamHeader = strictObject({
  name: headerName.describe("Field name."),
  value: headerValue.meta(secret("field")).describe("Field value."),
}).describe("One header field.");

const retry = section({
  max_retries: count(1, 0, 100).describe(
    "Maximum number of retries. Only GET, HEAD and OPTIONS are retried, unless `any_method` is set.",
  ),
  any_method: flag().meta(
    ours("Also retry other methods with bodies of up to 64 KiB. Only for operations that can run twice."),
  ),
  connect_any_method: flag().meta(ours("Also retry other methods if the connection failed.")),
  statuses: array(int().min(400).max(599))
    .max(200)
    .default([502, 503, 504])
    .meta(ours("Statuses of upstream responses that are retried.")),
  backoff_ms: count(0, 0, 3_600_000).meta(ours("Pause before the first retry, which doubles for each further one.")),
  max_backoff_ms: count(10_000, 0, 3_600_000).meta(ours("Maximum pause before a retry.")),
  try_timeout_ms: count(0, 0, 2_147_483_647).meta(
    ours("Time of each attempt until the header section of the response. 0: no limit. Not for gRPC calls."),
  ),
}).describe("Retries on connection failures, timeouts and `statuses`.");

/** The guards that a route can leave out on purpose. */
const LEFT_OUT = ["price", "auth", "filter", "rate_limit", "body_schema"] as const;

export const route = strictObject({
  path_prefix: pathPrefix.describe(
    "The longest match wins. A prefix that ends in `/` matches the paths below it. Any other prefix matches itself and the paths after a `/`.",
  ),
  host: routeHost
    .exactOptional()
    .describe("Host of the route, such as `example.com` or `*.example.com`. Absent: any host."),
  name: routeNameKey.exactOptional(),
  match: routeMatch.exactOptional(),
  upstream: text
    .exactOptional()
    .describe(
      "Upstream of the route. Required unless `traffic_split`, `tenant`, `redirect` or `fixed_response` is set.",
    ),
  tenant: tenant.exactOptional(),
  redirect: redirect.exactOptional(),
  fixed_response: fixedResponse.exactOptional(),
  rewrite: rewrite.exactOptional(),
  rewrite_pattern: pathPrefix.exactOptional().describe("Path prefix to replace before forwarding, such as `/api/v1/`."),
  rewrite_replacement: rewriteReplacement
    .default("")
    .meta(secret("url"))
    .describe("Replacement for `rewrite_pattern`, such as `/`."),
  connect_timeout_ms: milliseconds(5000).describe("Time to connect to the upstream."),
  send_timeout_ms: milliseconds(30_000).describe("Time to send the request to the upstream."),
  read_timeout_ms: milliseconds(60_000).describe("Maximum time without data from the upstream."),
  total_timeout_ms: milliseconds(120_000).describe("Time for all attempts together."),
  max_response_bytes: bodyLength()
    .default(33_554_432)
    .describe(
      "Maximum bytes of an upstream response body. A longer response becomes 502, or is cut off if it has no Content-Length. For a gRPC call, of each message. Not for event streams.",
    ),
  max_body_bytes: bodyLength()
    .exactOptional()
    .meta(
      ours("Maximum bytes of the request body, in place of `limits.max_body_bytes`. For a gRPC call, of each message."),
    ),
  auth: auth.default({ type: "none" }).describe("Authentication of the kind that `type` names."),
  without: array(oneOf(LEFT_OUT))
    .default([])
    .meta(ours("Guards of routes above that this route omits without a warning.")),
  rate_limit: rateLimit.exactOptional(),
  cache: routeCache.exactOptional(),
  traffic_split: trafficSplit.exactOptional(),
  traffic_split_sticky: trafficSplitSticky.exactOptional(),
  mirror: text.exactOptional().describe("Upstream that receives a copy of each request. Its responses are discarded."),
  mirrors,
  body_schema: jsonObject.exactOptional().describe("JSON Schema of the request body. An invalid body gets 400."),
  request_buffering: flag(true).meta(
    ours("Buffer the request body, up to `buffer_pool.body_buffer_size`, against slow clients. Not for gRPC."),
  ),
  response_buffering: flag(true).meta(
    ours("Buffer the response, within `buffer_pool`, against slow clients. Not for event streams, gRPC and WebSocket."),
  ),
  forward_client_address: flag(true).meta(
    ours("Send the client's address to the upstream in `X-Forwarded-For` and `X-Real-IP`."),
  ),
  upstream_headers: array(upstreamHeader)
    .default([])
    .describe("Header fields for the upstream, in place of the client's of the same name."),
  retry,
  x402: routeX402.exactOptional(),
  access_log: routeAccessLog.exactOptional(),
  security_headers: routeSecurityHeaders.exactOptional(),
  compression: routeCompression.exactOptional(),
  cors: routeCors.exactOptional(),
  headers: headerRules.exactOptional(),
}).describe("A path prefix, and the treatment of its requests.");

/** `routes`: the destination and the policies of requests. */
export const routes = array(route).default([]).describe("Routes: the upstream and the policies for each path prefix.");
