/** The operations that the console and `turnpike top` read: figures, events, payments, the content service, the log. */
import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { eventStream, parseEventId, PATIENCE } from "../events/event-stream.ts";
import { callerOf, type Operation } from "./operation.ts";
import { anyObject, actor, counts, server, wasm } from "./shapes.ts";

const JSON_HEADERS = { "content-type": "application/json" };

const durations = z.object({ counts: z.array(z.number()) });
const cacheFigures = {
  hits: z.number(),
  misses: z.number(),
  stale: z.number(),
  revalidated: z.number(),
  bypassed: z.number(),
};

const overview = z
  .looseObject({
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
    responses: z.record(z.enum(["1xx", "2xx", "3xx", "4xx", "5xx"]), z.number()),
    request_bytes: z.number(),
    response_bytes: z.number(),
    connections_open: z.number(),
    requests_in_flight: z.number(),
    durations: z.object({ bounds_ms: z.array(z.number()), counts: z.array(z.number()) }),
    routes: z.array(z.looseObject({ route: z.string(), ...counts, durations: durations.optional() })),
    caches: z.looseObject({
      ...cacheFigures,
      entries: z.number(),
      bytes: z.number(),
      routes: z.array(z.looseObject({ route: z.string(), ...cacheFigures })).optional(),
    }),
    upstreams: z.array(z.looseObject({ name: z.string(), servers: z.array(server) })),
    payments: z.looseObject({ open: z.number() }),
    wasm,
    filters: z.object({
      bounds_ms: z.array(z.number()),
      entries: z.array(
        z.object({
          filter: z.string(),
          route: z.string(),
          invocations: z.array(z.object({ phase: z.string(), outcome: z.string(), count: z.number() })),
          fuel: z.number(),
          seconds: z.number(),
          durations,
        }),
      ),
    }),
    log_lines_dropped: z.number(),
    worker_restarts: z.number(),
    reloads: z.number(),
    reload_failures: z.number(),
  })
  .openapi("Overview", { description: "Counters since the start; two readings give rates" });

/** `GET /v1/overview`: all figures of the gateway at one moment. */
export const showOverview: Operation = {
  name: "showOverview",
  method: "get",
  path: "/v1/overview",
  summary: "All figures of the gateway at one moment",
  access: "read",
  success: { status: 200, description: "The figures", schema: overview },
  failures: [],
  run: (_call, { overview: figures }) => new Response(figures.snapshotText(), { headers: JSON_HEADERS }),
};

const event = z
  .looseObject({
    id: z.number(),
    time_ms: z.number(),
    kind: z.string(),
    by: actor.optional(),
    outcome: z.string().optional(),
    message: z.string(),
  })
  .openapi("Event");

/** `GET /v1/events`: the stored events and then the new ones, as server-sent events; or the stored ones as JSON. */
export const showEvents: Operation = {
  name: "showEvents",
  method: "get",
  path: "/v1/events",
  summary: "Events as a stream of server-sent events; or the stored events as JSON",
  access: "read",
  query: [
    {
      name: "since",
      description:
        "Only events after the event with this id; the header field Last-Event-ID has the same effect. 0: all stored events",
    },
    { name: "format", description: "`json`: no stream; also by Accept: application/json" },
  ],
  success: {
    status: 200,
    description: "The stored events, or an endless stream",
    schema: z.object({ events: z.array(event) }),
    types: ["text/event-stream"],
  },
  failures: ["bad-request", "overloaded"],
  run(call, { events }) {
    const { request, query } = call;
    const text = request.headers.get("last-event-id") ?? query.get("since");
    const since = text === null ? undefined : parseEventId(text);
    if (text !== null && since === undefined)
      throw new TurnpikeError("bad-request", "Cannot read the id of an event: it is not a number");
    const accept = request.headers.get("accept") ?? "";
    if (query.get("format") === "json" || /application\/json/i.test(accept)) {
      return Response.json({ events: events.since(since ?? 0) }, { headers: { vary: "Accept" } });
    }
    const isReadOnly = callerOf(call).access === "read";
    const stream = eventStream(events, since, { ...PATIENCE, isReadOnly });
    if (stream === undefined) throw new TurnpikeError("overloaded", "Cannot stream events: too many clients read them");
    return new Response(stream, {
      headers: { "content-type": "text/event-stream", vary: "Accept", "x-accel-buffering": "no" },
    });
  },
};

const payments = z
  .union([
    z.object({ available: z.literal(false), reason: z.string() }),
    z.looseObject({
      available: z.literal(true),
      days: z.array(
        z.looseObject({
          day: z.string(),
          route: z.string(),
          network: z.string(),
          asset: z.string(),
          amount: z.string(),
          payments: z.number(),
        }),
      ),
      open: z.number(),
      unknown: z.number(),
      owed: z.number(),
      oldest_open_ms: z.number().optional(),
      recent: z.array(
        z.looseObject({
          id: z.string(),
          route: z.string(),
          state: z.string(),
          amount: z.string(),
          payer: z.string(),
          time_ms: z.number(),
        }),
      ),
    }),
  ])
  .openapi("Payments");

/** `GET /v1/payments`: sales, open and undelivered payments, and the newest payments. */
export const showPayments: Operation = {
  name: "showPayments",
  method: "get",
  path: "/v1/payments",
  summary: "Sales of 30 days, open and undelivered payments, and the newest payments",
  access: "read",
  success: { status: 200, description: "The payments", schema: payments },
  failures: [],
  async run(_call, parts) {
    return Response.json(await parts.overview.payments());
  },
};

/** `GET /v1/content`: the health of the program's content service. */
export const showContent: Operation = {
  name: "showContent",
  method: "get",
  path: "/v1/content",
  summary: "The content service's own figures",
  access: "read",
  success: {
    status: 200,
    description: "Its health",
    schema: z
      .object({ available: z.boolean(), reason: z.string().optional(), health: anyObject.optional() })
      .openapi("Content"),
  },
  failures: [],
  async run(_call, parts) {
    return Response.json(await parts.overview.content());
  },
};

/** `GET /v1/log`: the newest lines of the program's log, oldest first. */
export const showLog: Operation = {
  name: "showLog",
  method: "get",
  path: "/v1/log",
  summary: "The newest lines of the program's own log",
  access: "read",
  success: {
    status: 200,
    description: "The lines, oldest first",
    schema: z.object({ lines: z.array(z.object({ time_ms: z.number(), worker: z.number(), text: z.string() })) }),
  },
  failures: [],
  run: (_call, { events }) => Response.json({ lines: events.lines() }),
};
