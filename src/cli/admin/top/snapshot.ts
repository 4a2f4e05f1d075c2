import * as z from "zod";
import { wasmSchema } from "../wasm-schema.ts";

const durations = z.object({ counts: z.array(z.number()) });

const route = z.object({
  route: z.string(),
  requests: z.number(),
  client_errors: z.number(),
  server_errors: z.number(),
  request_bytes: z.number(),
  response_bytes: z.number(),
  durations: durations.optional(),
});

const server = z.object({
  server: z.string(),
  health: z.string(),
  in_rotation: z.boolean(),
  drained: z.boolean(),
  reason: z.string(),
  requests_in_flight: z.number(),
  connections: z.number(),
});

/** The fields of `GET /v1/overview` that `turnpike top` shows. All counters count from the start of the gateway. */
export const snapshotSchema = z.object({
  time_ms: z.number(),
  started_at_ms: z.number(),
  workers: z.array(z.object({ pid: z.number(), requests_in_flight: z.number(), connections: z.number() })),
  requests: z.number(),
  responses: z.record(z.string(), z.number()),
  request_bytes: z.number(),
  response_bytes: z.number(),
  connections_open: z.number(),
  requests_in_flight: z.number(),
  durations: durations.extend({ bounds_ms: z.array(z.number()) }),
  routes: z.array(route),
  caches: z.object({
    hits: z.number(),
    misses: z.number(),
    stale: z.number(),
    revalidated: z.number(),
    bypassed: z.number(),
    entries: z.number(),
    bytes: z.number(),
  }),
  upstreams: z.array(z.object({ name: z.string(), servers: z.array(server) })),
  wasm: wasmSchema,
  filters: z.object({
    entries: z.array(z.object({ invocations: z.array(z.object({ outcome: z.string(), count: z.number() })) })),
  }),
  funnel: z
    .array(
      z.object({
        route: z.string(),
        client: z.string(),
        stages: z.record(z.string(), z.number()),
        losses: z.record(z.string(), z.number()),
      }),
    )
    .default([]),
  payments: z.object({
    open: z.number(),
    settled: z.number(),
    failed: z.number(),
    unknown: z.number(),
    breakers_open: z.number(),
  }),
  worker_restarts: z.number(),
  reloads: z.number(),
  reload_failures: z.number(),
});

export type Snapshot = z.output<typeof snapshotSchema>;

/** The fields of `GET /v1/payments` that `turnpike top` shows. */
export const moneySchema = z.discriminatedUnion("available", [
  z.object({ available: z.literal(false) }),
  z.object({
    available: z.literal(true),
    days: z.array(
      z.object({
        day: z.string(),
        network: z.string(),
        asset: z.string(),
        amount: z.string(),
        payments: z.number(),
      }),
    ),
    open: z.number(),
    unknown: z.number(),
    owed: z.number(),
  }),
]);

export type Money = z.output<typeof moneySchema>;

/** The fields of `GET /v1/status` that it shows. */
export const statusSchema = z.object({ version: z.string() });
