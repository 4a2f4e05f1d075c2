/** Schemas that several responses share. The interface's description refers to them by name. */
import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { errorCodes } from "../http/problem.ts";

/** The schema of an error response: problem details of RFC 9457. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(errorCodes()),
    instance: z.string().optional().describe("The request's X-Request-Id"),
    errors: z
      .array(z.object({ path: z.string(), message: z.string(), pointer: z.string().optional() }))
      .optional()
      .describe(
        "Paths are of the whole configuration, as routes[3].upstream; pointers (RFC 6901) are into the body that was sent",
      ),
    hosts: z.array(z.string()).optional(),
    names: z.array(z.string()).optional(),
  })
  .openapi("Problem", { description: "RFC 9457 problem details" });

const diagnostic = z
  .object({
    path: z.string(),
    message: z.string(),
    pointer: z.string().optional(),
    notice: z.literal(true).optional().describe("A warning that `strict` accepts"),
  })
  .openapi("Finding", { description: "A problem or a warning, and its place in the configuration" });

export type Diagnostic = DeepReadonly<z.output<typeof diagnostic>>;

/** One operation of a JSON patch (RFC 6902), with secrets replaced. */
export const patchOperation = z
  .object({ op: z.enum(["add", "remove", "replace"]), path: z.string(), value: z.unknown().optional() })
  .openapi("PatchOperation", { description: "An operation of a JSON patch (RFC 6902); secrets are replaced" });

export type PatchOperation = DeepReadonly<z.output<typeof patchOperation>>;

export const actor = z
  .object({
    kind: z.enum(["operator", "signal", "console", "read-only operator"]),
    key: z.enum(["api_key", "read_api_key", "-"]),
    address: z.string(),
  })
  .openapi("Actor", { description: "Operator or signal that caused a change" });

export type Actor = DeepReadonly<z.output<typeof actor>>;

export const anyObject = z.record(z.string(), z.unknown());

/** The counters of filters and tenants, added up over all workers. Tenants are counted since the start. */
export const wasm = z
  .object({
    park_active: z.int(),
    park_capacity: z.int(),
    pool_instances: z.int(),
    pool_pinned: z.int().describe("Instances that are bound to a parked request"),
    control_configured: z.boolean(),
    control_ready: z.boolean().describe("In every worker"),
    tenants_active: z.int().describe("A tenant that is warm in two workers counts twice"),
    tenant_hits: z.int(),
    tenant_misses: z.int(),
    tenant_evictions: z.int(),
  })
  .openapi("Wasm", { description: "Filters and tenants of all workers" });

export type WasmState = DeepReadonly<z.output<typeof wasm>>;

export const counts = {
  requests: z.number(),
  request_bytes: z.number(),
  response_bytes: z.number(),
  client_errors: z.number(),
  server_errors: z.number(),
};

const server = z
  .object({
    server: z.string().describe("Name of the server in paths: host:port, or unix:path"),
    source: z.enum(["configured", "dns", "catalog"]),
    weight: z.number(),
    backup: z.boolean(),
    health: z.enum(["healthy", "unhealthy", "unchecked"]).describe("`unchecked`: no health checks"),
    in_rotation: z.boolean().describe("The server receives requests"),
    drained: z.boolean(),
    reason: z.string().describe("Why it is unhealthy or out of rotation, in words"),
    failures: z.number().describe("Consecutive failed requests"),
    requests_in_flight: z.number(),
    connections: z.number(),
    last_failure_ms: z.number().optional().describe("Of a request or a probe"),
  })
  .openapi("Server", { description: "A server of an upstream, as it is now" });

export type ServerFigures = DeepReadonly<z.output<typeof server>>;

/** One upstream, with the current state of each of its servers. */
export const upstreamFigures = z.object({ name: z.string(), servers: z.array(server) });

export type OverviewUpstream = DeepReadonly<z.output<typeof upstreamFigures>>;

/** A server as it is configured, and as it is now. */
const listedServer = server
  .extend({ address: z.string().optional(), port: z.int().optional(), unix: z.string().optional() })
  .loose()
  .openapi("ListedServer");

const waiting = z
  .array(z.string())
  .describe("The routes that name a deleted upstream. Their requests get 503 until it is added again");

const listedUpstream = z
  .looseObject({
    name: z.string(),
    load_balancer: z.string(),
    servers: z.array(listedServer),
    deleted: z.literal(true).optional(),
    waiting: waiting.optional(),
  })
  .openapi("ListedUpstream", {
    description: "An upstream as it is configured, without secrets, with its servers as they are now",
  });

/** The response of `GET /v1/upstreams`. */
export const listedUpstreams = z.object({ upstreams: z.array(listedUpstream) });

export type ListedUpstreams = DeepReadonly<z.output<typeof listedUpstreams>>;

/** The response of `GET /v1/keys`. */
export const listedKeys = z.object({
  routes: z.array(
    z
      .object({
        path_prefix: z.string(),
        host: z.string().optional(),
        name: z.string().optional(),
        keys: z.array(z.object({ number: z.int(), owner: z.string() })),
      })
      .openapi("RouteKeys", { description: "The API keys of a route, in the order of the configuration" }),
  ),
});

export type ListedKeys = DeepReadonly<z.output<typeof listedKeys>>;

export const tenant = z
  .object({
    key: z.string(),
    path: z.string().describe("The socket that its requests go to"),
    last_used_ms: z.number(),
    workers: z.int().describe("The number of workers in which it is warm"),
  })
  .openapi("Tenant");

export type Tenant = DeepReadonly<z.output<typeof tenant>>;

/** The members of every response to a change. */
export const changed = {
  ok: z.literal(true),
  warnings: z.array(diagnostic).optional(),
  restart: z.array(z.string()).optional().describe("Keys whose change takes effect at the next start only"),
};

/** The response of `DELETE /v1/upstreams/{name}`. */
export const deletedUpstream = z.object({ ...changed, deleted: z.string(), waiting });

/** The `ETag` field of responses that depend on the configuration. */
export const ETAG = { ETag: "The revision of the configuration, for If-Match" };

/** The response of `POST /v1/config/check`: the effects that a configuration would have. */
export const checked = z.object({
  ok: z.boolean(),
  problems: z.array(diagnostic),
  warnings: z.array(diagnostic),
  difference: z.array(patchOperation).describe("From the running configuration to this one"),
  restart: changed.restart.unwrap(),
});
