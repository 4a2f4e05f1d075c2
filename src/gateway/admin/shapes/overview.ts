/** The figures of the gateway, and of its content service. */
import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { funnelEntry } from "./funnel.ts";
import { anyObject, counts, upstreamFigures, wasm } from "./common.ts";

const durations = z
  .object({ counts: z.array(z.number()) })
  .openapi({ description: "A count for each bound, and a last one for longer durations" });
const cacheFigures = {
  hits: z.number(),
  misses: z.number(),
  stale: z.number(),
  revalidated: z.number(),
  bypassed: z.number(),
};
const responses = z.object({
  "1xx": z.number(),
  "2xx": z.number(),
  "3xx": z.number(),
  "4xx": z.number(),
  "5xx": z.number(),
});
const filter = z.object({
  filter: z.string().describe("Empty, like the route: all filters without counters of their own"),
  route: z.string(),
  invocations: z.array(z.object({ phase: z.string(), outcome: z.string(), count: z.number() })),
  fuel: z.number(),
  seconds: z.number(),
  durations,
});

/** The response of `GET /v1/overview`. */
export const overview = z
  .object({
    time_ms: z.number(),
    started_at_ms: z.number(),
    workers: z.array(
      z.object({
        row: z.number(),
        pid: z.number(),
        started_at_ms: z.number(),
        requests_in_flight: z.number(),
        connections: z.number(),
      }),
    ),
    requests: z.number(),
    responses,
    request_bytes: z.number(),
    response_bytes: z.number(),
    connections_open: z.number(),
    requests_in_flight: z.number(),
    durations: durations.extend({ bounds_ms: z.array(z.number()) }),
    routes: z.array(
      z.object({
        route: z.string().describe("Host and prefix. Empty: all routes without counters of their own"),
        ...counts,
        durations: durations.optional(),
      }),
    ),
    caches: z.object({
      ...cacheFigures,
      entries: z.number(),
      bytes: z.number(),
      routes: z.array(z.object({ route: z.string(), ...cacheFigures })).optional(),
    }),
    upstreams: z.array(upstreamFigures),
    payments: z
      .object({
        open: z.number(),
        settled: z.number(),
        delivered: z.number(),
        released: z.number(),
        failed: z.number(),
        unknown: z.number(),
        records_waiting: z.number(),
        breakers_open: z.number(),
      })
      .describe("`open`, `records_waiting` and `breakers_open` are as of now"),
    funnel: z.array(funnelEntry),
    wasm,
    filters: z.object({ bounds_ms: z.array(z.number()), entries: z.array(filter) }),
    log_lines_dropped: z.number(),
    worker_restarts: z.number(),
    reloads: z.number(),
    reload_failures: z.number(),
  })
  .openapi("Overview", { description: "Counters since the start; two readings give rates" });

export type OverviewSnapshot = DeepReadonly<z.output<typeof overview>>;

/** The response of `GET /v1/history`: readings of the last hour, every 10 s. */
export const history = z.object({
  samples: z.array(
    z.object({ time_ms: z.number(), requests: z.number(), responses, durations }).openapi("Sample", {
      description: "Counters since the start, as in the overview",
    }),
  ),
  minute: overview.optional().describe("An overview that is about a minute old"),
});

export type History = DeepReadonly<z.output<typeof history>>;

/** The response of `GET /v1/content`: the service's own /health, or the reason why it cannot be read. */
export const contentSummary = z
  .discriminatedUnion("available", [
    z.object({ available: z.literal(false), reason: z.string() }),
    z.object({ available: z.literal(true), health: anyObject }),
  ])
  .openapi("Content");

export type ContentSummary = DeepReadonly<z.output<typeof contentSummary>>;
