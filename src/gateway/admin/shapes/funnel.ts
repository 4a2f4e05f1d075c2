import { array, number, object, oneOf, type Output, partialRecord, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { FUNNEL_LOSSES, FUNNEL_STAGES } from "../../telemetry/metrics/funnel-steps.ts";

/** The progress of the requests of one class of clients on one priced route. */
export const funnelEntry = object({
  route: string().describe("Empty, like the client: all others"),
  client: string().describe("`browser`, `agent`, `sdk` or `other`, by the user agent"),
  stages: partialRecord(oneOf(FUNNEL_STAGES), number()),
  losses: partialRecord(oneOf(FUNNEL_LOSSES), number()),
}).openapi("FunnelEntry", { description: "Stages and losses without requests are absent" });

const period = object({
  time_ms: number().describe("The start of the minute or of the day (UTC)"),
  entries: array(funnelEntry),
});

/** The response of `GET /v1/funnel`. */
export const funnel = object({
  hour: array(period).describe("Minutes with requests to this gateway, oldest first"),
  days: array(period).describe("30 days of all gateways that share the store, oldest first"),
  reason: string().optional().describe("Why `days` cannot be read"),
}).openapi("Funnel");

export type FunnelEntry = DeepReadonly<Output<typeof funnelEntry>>;
/** The entries of a minute or of a day. */
export type FunnelPeriod = DeepReadonly<Output<typeof period>>;
export type FunnelReading = DeepReadonly<Output<typeof funnel>>;
