/** Schemas that several responses share. The interface's description refers to them by name. */
import {
  array,
  boolean,
  int,
  literal,
  looseObject,
  number,
  object,
  oneOf,
  type Output,
  record,
  string,
  unknown,
} from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { errorCodes } from "../http/problem.ts";

/** The schema of an error response: problem details of RFC 9457. */
export const problem = object({
  type: string(),
  title: string(),
  status: int(),
  detail: string(),
  code: oneOf(errorCodes()),
  instance: string().optional().describe("The request's X-Request-Id"),
  errors: array(object({ path: string(), message: string(), pointer: string().optional() }))
    .optional()
    .describe(
      "Paths are of the whole configuration, as routes[3].upstream; pointers (RFC 6901) are into the body that was sent",
    ),
  hosts: array(string()).optional(),
  names: array(string()).optional(),
}).openapi("Problem", { description: "RFC 9457 problem details" });

const diagnostic = object({
  path: string(),
  message: string(),
  pointer: string().optional(),
  notice: literal(true).optional().describe("A warning that `strict` accepts"),
}).openapi("Finding", { description: "A problem or a warning, and its place in the configuration" });

export type Diagnostic = DeepReadonly<Output<typeof diagnostic>>;

/** One operation of a JSON patch (RFC 6902), with secrets replaced. */
export const patchOperation = object({
  op: oneOf(["add", "remove", "replace"]),
  path: string(),
  value: unknown().optional(),
}).openapi("PatchOperation", { description: "An operation of a JSON patch (RFC 6902); secrets are replaced" });

export type PatchOperation = DeepReadonly<Output<typeof patchOperation>>;

export const actor = object({
  kind: oneOf(["operator", "signal", "console", "read-only operator"]),
  key: oneOf(["api_key", "read_api_key", "-"]),
  address: string(),
}).openapi("Actor", { description: "Operator or signal that caused a change" });

export type Actor = DeepReadonly<Output<typeof actor>>;

export const anyObject = record(string(), unknown());

/** The counters of filters and tenants, added up over all workers. Tenants are counted since the start. */
export const wasm = object({
  park_active: int(),
  park_capacity: int(),
  pool_instances: int(),
  pool_pinned: int().describe("Instances that are bound to a parked request"),
  control_configured: boolean(),
  control_ready: boolean().describe("In every worker"),
  tenants_active: int().describe("A tenant that is warm in two workers counts twice"),
  tenant_hits: int(),
  tenant_misses: int(),
  tenant_evictions: int(),
}).openapi("Wasm", { description: "Filters and tenants of all workers" });

export type WasmState = DeepReadonly<Output<typeof wasm>>;

export const counts = {
  requests: number(),
  request_bytes: number(),
  response_bytes: number(),
  client_errors: number(),
  server_errors: number(),
};

const server = object({
  server: string().describe("Name of the server in paths: host:port, or unix:path"),
  source: oneOf(["configured", "dns", "catalog"]),
  weight: number(),
  backup: boolean(),
  health: oneOf(["healthy", "unhealthy", "unchecked"]).describe("`unchecked`: no health checks"),
  in_rotation: boolean().describe("The server receives requests"),
  drained: boolean(),
  reason: string().describe("Why it is unhealthy or out of rotation, in words"),
  failures: number().describe("Consecutive failed requests"),
  requests_in_flight: number(),
  connections: number(),
  last_failure_ms: number().optional().describe("Of a request or a probe"),
}).openapi("Server", { description: "A server of an upstream, as it is now" });

export type ServerFigures = DeepReadonly<Output<typeof server>>;

/** One upstream, with the current state of each of its servers. */
export const upstreamFigures = object({ name: string(), servers: array(server) });

export type OverviewUpstream = DeepReadonly<Output<typeof upstreamFigures>>;

/** A server as it is configured, and as it is now. */
const listedServer = server
  .extend({ address: string().optional(), port: int().optional(), unix: string().optional() })
  .loose()
  .openapi("ListedServer");

const waiting = array(string()).describe(
  "The routes that name a deleted upstream. Their requests get 503 until it is added again",
);

const listedUpstream = looseObject({
  name: string(),
  load_balancer: string(),
  servers: array(listedServer),
  deleted: literal(true).optional(),
  waiting: waiting.optional(),
}).openapi("ListedUpstream", {
  description: "An upstream as it is configured, without secrets, with its servers as they are now",
});

/** The response of `GET /v1/upstreams`. */
export const listedUpstreams = object({ upstreams: array(listedUpstream) });

export type ListedUpstreams = DeepReadonly<Output<typeof listedUpstreams>>;

/** The response of `GET /v1/keys`. */
export const listedKeys = object({
  routes: array(
    object({
      path_prefix: string(),
      host: string().optional(),
      name: string().optional(),
      keys: array(object({ number: int(), owner: string() })),
    }).openapi("RouteKeys", { description: "The API keys of a route, in the order of the configuration" }),
  ),
});

export type ListedKeys = DeepReadonly<Output<typeof listedKeys>>;

export const tenant = object({
  key: string(),
  path: string().describe("The socket that its requests go to"),
  last_used_ms: number(),
  workers: int().describe("The number of workers in which it is warm"),
}).openapi("Tenant");

export type Tenant = DeepReadonly<Output<typeof tenant>>;

/** The members of every response to a change. */
export const changed = {
  ok: literal(true),
  warnings: array(diagnostic).optional(),
  restart: array(string()).optional().describe("Keys whose change takes effect at the next start only"),
};

/** The response of `DELETE /v1/upstreams/{name}`. */
export const deletedUpstream = object({ ...changed, deleted: string(), waiting });

/** The `ETag` field of responses that depend on the configuration. */
export const ETAG = { ETag: "The revision of the configuration, for If-Match" };

/** The response of `POST /v1/config/check`: the effects that a configuration would have. */
export const checked = object({
  ok: boolean(),
  problems: array(diagnostic),
  warnings: array(diagnostic),
  difference: array(patchOperation).describe("From the running configuration to this one"),
  restart: changed.restart.unwrap(),
});
