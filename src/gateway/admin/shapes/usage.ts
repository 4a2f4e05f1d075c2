import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { counts } from "./common.ts";

const used = z.object({ ...counts, last_seen_ms: z.number() });
const sold = used.extend({
  payments: z.number().describe("Settled payments"),
  amounts: z.array(z.object({ network: z.string(), asset: z.string(), amount: z.string() })),
});
const other = z.literal(true).optional().describe("All names without counters of their own");

/** The response of `GET /v1/usage`. Bytes are of bodies, before framing. */
export const usage = z
  .object({
    since_ms: z.number().describe("The time of the last reset"),
    full: z.array(z.enum(["consumers", "routes", "upstreams"])).describe("The lists with `other`"),
    consumers: z.array(sold.extend({ name: z.string(), anonymous: z.literal(true).optional(), other })),
    routes: z.array(sold.extend({ route: z.string(), other })),
    upstreams: z.array(used.extend({ upstream: z.string(), other })),
  })
  .openapi("Usage");

/** The response of `GET /v1/usage/hours`. */
export const usageHours = z.object({
  hours: z.array(
    z.object({
      time_ms: z.number().describe("The start of the hour"),
      requests: z.number(),
      client_errors: z.number(),
      server_errors: z.number(),
    }),
  ),
});

export type UsageHours = DeepReadonly<z.output<typeof usageHours>>;
export type UsageBody = DeepReadonly<z.output<typeof usage>>;
/** The counts of one name. Times are Unix milliseconds. */
export type UsageCounts = DeepReadonly<z.output<typeof used>>;
/** The counts of one name, with its settled payments and the amount in each token. */
export type SoldCounts = DeepReadonly<z.output<typeof sold>>;

/** The counts up to one moment. */
export interface UsageReading {
  readonly body: UsageBody;
  /** The same by consumer and route, as CSV (RFC 4180) with a header line. */
  csv(): string;
}
