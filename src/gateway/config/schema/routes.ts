import * as z from "zod";
import { routeAccessLog } from "./access-log.ts";
import { auth } from "./auth.ts";
import { routeCompression } from "./compression.ts";
import { routeCors } from "./cors.ts";
import { headerRules } from "./header-rules.ts";
import { bytes, count, headerName, headerValue, jsonObject, milliseconds, ours, text } from "./kinds.ts";
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
  .strictObject({ name: headerName.describe("Header name."), value: headerValue.describe("Header value.") })
  .describe("One header.");

const retry = z
  .strictObject({
    max_retries: count(1, 0, 100).describe("Tries after the first. Only GET, HEAD and OPTIONS are retried."),
    connect_any_method: z
      .boolean()
      .default(false)
      .meta(ours("Retry other methods as well where no connection was had: nothing was sent then.")),
  })
  .prefault({})
  .describe("Retries on connection failures, 502, 503 and 504.");

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
    max_response_bytes: bytes(33_554_432, 0).describe("Most bytes of an upstream response body."),
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
