import { type Config, type RouteConfig } from "../config/config.ts";
import type * as Compression from "../policy/compression/compression.ts";
import { createCorsPolicy } from "../policy/cors/cors.ts";
import { createRequestHeadersPolicy, createResponseHeadersPolicy } from "../policy/headers/headers.ts";
import { type Policy } from "../policy/policy.ts";
import { createSecurityHeadersPolicy } from "../policy/security-headers/security-headers.ts";
import { type RoutePolicies } from "./route-policies.ts";

/** Loaded with the first route that compresses responses (bench start). */
const compressors = (): typeof Compression => require("../policy/compression/compression.ts");

type FieldPolicies = Pick<
  RoutePolicies,
  "responseHeaders" | "securityHeaders" | "cors" | "compression" | "requestHeaders"
>;

/**
 * The policies of a route that edit messages and refuse no request. `route` undefined: for requests without a route.
 */
export function fieldPolicies(config: Config, route: RouteConfig | undefined): FieldPolicies {
  const rules = route?.headers;
  return {
    responseHeaders: rules === undefined ? undefined : createResponseHeadersPolicy(rules),
    securityHeaders: securityHeadersOf(config, route),
    cors: createCorsPolicy({ ...config.cors, ...route?.cors }, route?.x402 !== undefined),
    compression: compressionOf(config, route),
    requestHeaders: rules === undefined ? undefined : createRequestHeadersPolicy(rules),
  };
}

function securityHeadersOf(config: Config, route: RouteConfig | undefined): Policy | undefined {
  const { security_headers: common, server } = config;
  const own = route?.security_headers;
  if (server.disable_middleware || (common === undefined && own === undefined)) return undefined;
  return createSecurityHeadersPolicy({ ...common, ...own });
}

function compressionOf({ compression }: Config, route: RouteConfig | undefined): Policy | undefined {
  if (compression === undefined && route?.compression === undefined) return undefined;
  return compressors().createCompressionPolicy({ ...compression, ...route?.compression });
}
