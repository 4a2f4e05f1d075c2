import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type AdminParts } from "./parts.ts";
import { usage, usageHours, type UsageHours, type UsageReading } from "../shapes/usage.ts";
import { stored } from "./ledger-store.ts";
import { type Call, callerOf, hasFlag, type Operation, operationTable } from "./operation.ts";

/** The work that fails while the store is away, for its error. */
const UNREAD = "read the usage";
const CSV = "text/csv";
const FORMAT = { format: "`csv`: rows of consumer and route; also by Accept: text/csv" };
const success = { description: "The counters since the last reset", schema: usage, types: [CSV] };

/** The operations on the counters of each consumer, route and upstream. */
export const USAGE_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/usage": {
    name: "showUsage",
    summary: "Requests, bytes, errors and payments of each consumer, route and upstream",
    query: { reset: "Reset the counters; needs the full key", ...FORMAT },
    success,
    failures: ["forbidden", "store-unavailable"],
    async run(call, parts) {
      if (!hasFlag(call.query, "reset")) return response(call, await stored(() => parts.usage.read(), UNREAD));
      if (callerOf(call).access === "full") return await reset(call, parts);
      throw new TurnpikeError("forbidden", "Cannot reset the usage with the read-only key");
    },
  },
  "GET /v1/usage/hours": {
    name: "showUsageHours",
    summary: "Requests and errors of each hour of the last 30 days, of all gateways that share the store",
    success: { description: "The hours with requests, oldest first", schema: usageHours },
    failures: ["store-unavailable"],
    async run(_call, parts) {
      const hours = await stored(() => parts.usage.hours(), UNREAD);
      const body = hours.map(({ hour, requests, clientErrors, serverErrors }) => ({
        time_ms: hour,
        requests,
        client_errors: clientErrors,
        server_errors: serverErrors,
      }));
      return Response.json({ hours: body } satisfies UsageHours);
    },
  },
  "DELETE /v1/usage": {
    name: "resetUsage",
    summary: "Read the usage, and reset the counters",
    query: FORMAT,
    success,
    failures: ["store-unavailable"],
    run: reset,
  },
});

async function reset(call: Call, { usage: report, events }: AdminParts): Promise<Response> {
  const { by } = callerOf(call);
  try {
    const reading = await stored(() => report.readAndReset(), UNREAD);
    events.add({ kind: "change", message: "reset the usage", by, outcome: "done" });
    return response(call, reading);
  } catch (error) {
    events.add({ kind: "change", message: `reset the usage: ${messageOf(error)}`, by, outcome: "failed" });
    throw error;
  }
}

function response({ request, query }: Call, reading: UsageReading): Response {
  const wantsCsv = query.get("format") === "csv" || request.headers.get("accept")?.includes(CSV) === true;
  const headers = { vary: "Accept" };
  if (!wantsCsv) return Response.json(reading.body, { headers });
  const disposition = 'attachment; filename="usage.csv"';
  return new Response(reading.csv(), {
    headers: { ...headers, "content-type": `${CSV}; charset=utf-8`, "content-disposition": disposition },
  });
}
