import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { FUNNEL_LOSSES, FUNNEL_STAGES } from "../../telemetry/metrics/funnel-steps.ts";

/** The progress of the requests of one class of clients on one priced route. */
export const funnelEntry = z
  .object({
    route: z.string().describe("Empty, like the client: all others"),
    client: z.string().describe("`browser`, `agent`, `sdk` or `other`, by the user agent"),
    stages: z.partialRecord(z.enum(FUNNEL_STAGES), z.number()),
    losses: z.partialRecord(z.enum(FUNNEL_LOSSES), z.number()),
  })
  .openapi("FunnelEntry", { description: "Stages and losses without requests are absent" });

const period = z.object({
  time_ms: z.number().describe("The start of the minute or of the day (UTC)"),
  entries: z.array(funnelEntry),
});

/** The response of `GET /v1/funnel`. */
export const funnel = z
  .object({
    hour: z.array(period).describe("Minutes with requests to this gateway, oldest first"),
    days: z.array(period).describe("30 days of all gateways that share the store, oldest first"),
    reason: z.string().optional().describe("Why `days` cannot be read"),
  })
  .openapi("Funnel");

export type FunnelEntry = DeepReadonly<z.output<typeof funnelEntry>>;
/** The entries of a minute or of a day. */
export type FunnelPeriod = DeepReadonly<z.output<typeof period>>;
export type FunnelReading = DeepReadonly<z.output<typeof funnel>>;
