/** The operations that the console and `turnpike top` read: figures, events, the content service, the log. */
import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { eventStream, parseEventId, PATIENCE } from "../events/event-stream.ts";
import { storedEvents } from "../shapes/events.ts";
import { funnel } from "../shapes/funnel.ts";
import { contentSummary, history, overview } from "../shapes/overview.ts";
import { callerOf, hasFlag, type Operation, operationTable } from "./operation.ts";

/** Characters of the text that watched requests must have. */
const MAX_FILTER = 200;
const STREAM_HEADERS = { "content-type": "text/event-stream", "x-accel-buffering": "no" };

export const LIVE_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/events": {
    name: "showEvents",
    summary: "Events as a stream of server-sent events; or the stored events as JSON",
    query: {
      since:
        "Only events after the event with this id; the header field Last-Event-ID has the same effect. 0: all stored events",
      format: "`json`: no stream; also by Accept: application/json",
    },
    success: {
      description: "The stored events, or an endless stream",
      schema: storedEvents,
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
      if (stream === undefined)
        throw new TurnpikeError("overloaded", "Cannot stream events: too many clients read them");
      return new Response(stream, { headers: { ...STREAM_HEADERS, vary: "Accept" } });
    },
  },
  "GET /v1/requests": {
    name: "watchRequests",
    summary: "Requests as they end, as a stream of server-sent events, for all routes and whatever the access log is",
    description:
      "Events are `request`, `missed` (requests that no filter has seen, because there were too many) and `lost` (the reader was too slow).",
    query: {
      text: "A part of method, host, path, query, route, client, consumer, payer, user agent, request id or loss, in any case",
      status: "The class of the status: 2 for 200 to 299",
      paid: "Only requests with a payer",
    },
    success: { description: "An endless stream", types: ["text/event-stream"] },
    failures: ["bad-request", "overloaded"],
    run(call, { requests }) {
      const { query } = call;
      const [text = "", status = ""] = [query.get("text")?.toLowerCase(), query.get("status") ?? undefined];
      if (!/^[1-5]?$/.test(status) || text.length > MAX_FILTER) {
        const problem = "`status` is a digit from 1 to 5, and `text` has at most 200 characters";
        throw new TurnpikeError("bad-request", `Cannot filter requests: ${problem}`);
      }
      const source = requests.matching({ text, status, isPaid: hasFlag(query, "paid") });
      const isReadOnly = callerOf(call).access === "read";
      const stream = eventStream(source, undefined, { ...PATIENCE, isReadOnly });
      if (stream === undefined)
        throw new TurnpikeError("overloaded", "Cannot show requests: too many clients watch them");
      return new Response(stream, { headers: STREAM_HEADERS });
    },
  },
  "GET /v1/overview": {
    name: "showOverview",
    summary: "All figures of the gateway at one moment",
    success: { description: "The figures", schema: overview },
    run: (_call, parts) =>
      new Response(parts.overview.snapshotText(), { headers: { "content-type": "application/json" } }),
  },
  "GET /v1/funnel": {
    name: "showFunnel",
    summary: "How far requests on priced routes came, by route and class of clients: an hour by minute, 30 days by day",
    success: { description: "Stages, and the reasons of losses", schema: funnel },
    run: async (_call, parts) => Response.json(await parts.usage.funnel()),
  },
  "GET /v1/history": {
    name: "showHistory",
    summary: "The traffic of the last hour, in steps of 10 s",
    success: { description: "The counters, oldest first", schema: history },
    run: (_call, parts) => Response.json(parts.overview.history()),
  },
  "GET /v1/content": {
    name: "showContent",
    summary: "The content service's own figures",
    success: { description: "Its health", schema: contentSummary },
    run: async (_call, parts) => Response.json(await parts.overview.content()),
  },
  "GET /v1/log": {
    name: "showLog",
    summary: "The newest lines of the program's own log",
    success: {
      description: "The lines, oldest first",
      schema: z.object({ lines: z.array(z.object({ time_ms: z.number(), worker: z.number(), text: z.string() })) }),
    },
    run: (_call, { events }) => Response.json({ lines: events.lines() }),
  },
});
