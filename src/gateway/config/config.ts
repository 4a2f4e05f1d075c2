import { type DeepReadonly } from "../../lib/deep-readonly.ts";
import * as z from "./schema/recorded-schema.ts";
import { accessLog } from "./schema/access-log.ts";
import { admin } from "./schema/admin.ts";
import { bufferPool } from "./schema/buffer-pool.ts";
import { content } from "./schema/content.ts";
import { compression } from "./schema/compression.ts";
import { cors } from "./schema/cors.ts";
import { http2 } from "./schema/http2.ts";
import { limits } from "./schema/limits.ts";
import { otel } from "./schema/otel.ts";
import { postgres } from "./schema/postgres.ts";
import { quic } from "./schema/quic.ts";
import { rateLimitStore } from "./schema/rate-limit.ts";
import { routes } from "./schema/routes.ts";
import { securityHeaders } from "./schema/security-headers.ts";
import { server } from "./schema/server.ts";
import { statePath } from "./schema/state-path.ts";
import { tenantIdleTtlMs, tenantMaxWarm } from "./schema/tenants.ts";
import { timeouts } from "./schema/timeouts.ts";
import { tls } from "./schema/tls.ts";
import { upstreams } from "./schema/upstreams.ts";
import {
  wasmControlConnections,
  wasmControlSocket,
  wasmFilters,
  wasmHostCallDeadlineMs,
  wasmParkCapacity,
} from "./schema/wasm.ts";
import { x402 } from "./schema/x402.ts";

/** The whole configuration file, key by key, in the order of the reference. */
export const configSchema = z.strictObject({
  server,
  timeouts,
  limits,
  buffer_pool: bufferPool,
  tls,
  http2,
  quic,
  admin,
  otel,
  x402,
  postgres,
  upstreams,
  routes,
  wasm_filters: wasmFilters,
  wasm_control_socket: wasmControlSocket,
  wasm_control_connections: wasmControlConnections,
  wasm_host_call_deadline_ms: wasmHostCallDeadlineMs,
  wasm_park_capacity: wasmParkCapacity,
  tenant_idle_ttl_ms: tenantIdleTtlMs,
  tenant_max_warm: tenantMaxWarm,
  access_log: accessLog,
  security_headers: securityHeaders,
  compression,
  cors,
  content,
  state_path: statePath,
  rate_limit_store: rateLimitStore,
});

/** A checked configuration with all defaults. The keys are those of the file. */
export type Config = DeepReadonly<z.output<typeof configSchema>> & {
  /** No key of the file: another gateway has taken over the listeners of the configuration. */
  readonly isReleased?: true;
};

export type ServerConfig = Config["server"];
export type UpstreamConfig = Config["upstreams"][number];
export type UpstreamServerConfig = UpstreamConfig["servers"][number];
export type RouteConfig = Config["routes"][number];
/** The value of a route's `x402`: its price and payment terms. */
export type RouteX402Config = NonNullable<RouteConfig["x402"]>;
export type AccessLogConfig = Config["access_log"];
/** The value of `security_headers`, of the whole gateway or of a route. */
export type SecurityHeadersConfig = NonNullable<Config["security_headers"]>;
/** The value of `cors`, of the whole gateway or of a route. */
export type CorsConfig = NonNullable<Config["cors"]>;
/** The value of `compression`, of the whole gateway or of a route. */
export type CompressionConfig = NonNullable<Config["compression"]>;
export type HeaderRulesConfig = NonNullable<RouteConfig["headers"]>;
