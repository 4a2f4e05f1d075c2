import { z } from "@hono/zod-openapi";
import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type AdminParts } from "../parts.ts";
import { type UsageReading } from "../usage/usage-report.ts";
import { type Call, callerOf, hasFlag, type Operation } from "./operation.ts";
import { counts } from "./shapes.ts";

const used = { ...counts, last_seen_ms: z.number() };
const sold = {
  ...used,
  payments: z.number(),
  amounts: z.array(z.object({ network: z.string(), asset: z.string(), amount: z.string() })),
};

const usage = z
  .object({
    since_ms: z.number(),
    full: z.array(z.enum(["consumers", "routes", "upstreams"])),
    consumers: z.array(
      z.object({ name: z.string(), ...sold, anonymous: z.literal(true).optional(), other: z.literal(true).optional() }),
    ),
    routes: z.array(z.object({ route: z.string(), ...sold, other: z.literal(true).optional() })),
    upstreams: z.array(z.object({ upstream: z.string(), ...used, other: z.literal(true).optional() })),
  })
  .openapi("Usage");

const CSV = "text/csv";
const FORMAT = { name: "format", description: "`csv`: rows of consumer and route; also by Accept: text/csv" };

const success = {
  status: 200,
  description: "The counters since the last reset",
  schema: usage,
  types: [CSV],
} as const;

/** `GET /v1/usage`: the counters of each consumer, route and upstream, as JSON or CSV. */
export const showUsage: Operation = {
  name: "showUsage",
  method: "get",
  path: "/v1/usage",
  summary: "Requests, bytes, errors and payments of each consumer, route and upstream",
  access: "read",
  query: [{ name: "reset", description: "Reset the counters; needs the full key", flag: true }, FORMAT],
  success,
  failures: ["forbidden", "store-unavailable"],
  async run(call, parts) {
    const isReset = hasFlag(call.query, "reset");
    if (!isReset) return response(call, await read(() => parts.usage.read()));
    if (callerOf(call).access !== "full") {
      throw new TurnpikeError("forbidden", "Cannot reset the usage with the read-only key");
    }
    return await reset(call, parts);
  },
};

/** `DELETE /v1/usage`: reads the counters, and sets them to 0. */
export const resetUsage: Operation = {
  name: "resetUsage",
  method: "delete",
  path: "/v1/usage",
  summary: "Read the usage, and reset the counters",
  access: "full",
  query: [FORMAT],
  success,
  failures: ["store-unavailable"],
  run: (call, parts) => reset(call, parts),
};

async function reset(call: Call, { usage: report, events }: AdminParts): Promise<Response> {
  const { by } = callerOf(call);
  try {
    const reading = await read(() => report.readAndReset());
    events.add({ kind: "change", message: "reset the usage", by, outcome: "done" });
    return response(call, reading);
  } catch (error) {
    events.add({ kind: "change", message: `reset the usage: ${messageOf(error)}`, by, outcome: "failed" });
    throw error;
  }
}

async function read(ask: () => Promise<UsageReading>): Promise<UsageReading> {
  try {
    return await ask();
  } catch (error) {
    throw new TurnpikeError("store-unavailable", `Cannot read the usage: ${messageOf(error)}`);
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
