/** The figures of the gateway, and of its content service. */
import { array, discriminatedUnion, literal, number, object, type Output, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { funnelEntry } from "./funnel.ts";
import { anyObject, counts, upstreamFigures, wasm } from "./common.ts";

const durations = object({ counts: array(number()) }).openapi({
  description: "A count for each bound, and a last one for longer durations",
});
const cacheFigures = {
  hits: number(),
  misses: number(),
  stale: number(),
  revalidated: number(),
  bypassed: number(),
};
const responses = object({
  "1xx": number(),
  "2xx": number(),
  "3xx": number(),
  "4xx": number(),
  "5xx": number(),
});
const filter = object({
  filter: string().describe("Empty, like the route: all filters without counters of their own"),
  route: string(),
  invocations: array(object({ phase: string(), outcome: string(), count: number() })),
  fuel: number(),
  seconds: number(),
  durations,
});

/** The response of `GET /v1/overview`. */
export const overview = object({
  time_ms: number(),
  started_at_ms: number(),
  workers: array(
    object({
      row: number(),
      pid: number(),
      started_at_ms: number(),
      requests_in_flight: number(),
      connections: number(),
    }),
  ),
  requests: number(),
  responses,
  request_bytes: number(),
  response_bytes: number(),
  connections_open: number(),
  requests_in_flight: number(),
  durations: durations.extend({ bounds_ms: array(number()) }),
  routes: array(
    object({
      route: string().describe("Host and prefix. Empty: all routes without counters of their own"),
      ...counts,
      durations: durations.optional(),
    }),
  ),
  caches: object({
    ...cacheFigures,
    entries: number(),
    bytes: number(),
    routes: array(object({ route: string(), ...cacheFigures })).optional(),
  }),
  upstreams: array(upstreamFigures),
  payments: object({
    open: number(),
    settled: number(),
    delivered: number(),
    released: number(),
    failed: number(),
    unknown: number(),
    records_waiting: number(),
    breakers_open: number(),
  }).describe("`open`, `records_waiting` and `breakers_open` are as of now"),
  funnel: array(funnelEntry),
  wasm,
  filters: object({ bounds_ms: array(number()), entries: array(filter) }),
  log_lines_dropped: number(),
  worker_restarts: number(),
  reloads: number(),
  reload_failures: number(),
}).openapi("Overview", { description: "Counters since the start; two readings give rates" });

export type OverviewSnapshot = DeepReadonly<Output<typeof overview>>;

/** The response of `GET /v1/history`: readings of the last hour, every 10 s. */
export const history = object({
  samples: array(
    object({ time_ms: number(), requests: number(), responses, durations }).openapi("Sample", {
      description: "Counters since the start, as in the overview",
    }),
  ),
  minute: overview.optional().describe("An overview that is about a minute old"),
});

export type History = DeepReadonly<Output<typeof history>>;

/** The response of `GET /v1/content`: the service's own /health, or the reason why it cannot be read. */
export const contentSummary = discriminatedUnion("available", [
  object({ available: literal(false), reason: string() }),
  object({ available: literal(true), health: anyObject }),
]).openapi("Content");

export type ContentSummary = DeepReadonly<Output<typeof contentSummary>>;
