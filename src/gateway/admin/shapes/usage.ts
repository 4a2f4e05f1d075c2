import { array, literal, number, object, oneOf, type Output, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { counts } from "./common.ts";

const used = object({ ...counts, last_seen_ms: number() });
const sold = used.extend({
  payments: number().describe("Settled payments"),
  amounts: array(object({ network: string(), asset: string(), amount: string() })),
});
const other = literal(true).optional().describe("All names without counters of their own");

/** The response of `GET /v1/usage`. Bytes are of bodies, before framing. */
export const usage = object({
  since_ms: number().describe("The time of the last reset"),
  full: array(oneOf(["consumers", "routes", "upstreams"])).describe("The lists with `other`"),
  consumers: array(sold.extend({ name: string(), anonymous: literal(true).optional(), other })),
  routes: array(sold.extend({ route: string(), other })),
  upstreams: array(used.extend({ upstream: string(), other })),
}).openapi("Usage");

/** The response of `GET /v1/usage/hours`. */
export const usageHours = object({
  hours: array(
    object({
      time_ms: number().describe("The start of the hour"),
      requests: number(),
      client_errors: number(),
      server_errors: number(),
    }),
  ),
});

export type UsageHours = DeepReadonly<Output<typeof usageHours>>;
export type UsageBody = DeepReadonly<Output<typeof usage>>;
/** The counts of one name. Times are Unix milliseconds. */
export type UsageCounts = DeepReadonly<Output<typeof used>>;
/** The counts of one name, with its settled payments and the amount in each token. */
export type SoldCounts = DeepReadonly<Output<typeof sold>>;

/** The counts up to one moment. */
export interface UsageReading {
  readonly body: UsageBody;
  /** The same by consumer and route, as CSV (RFC 4180) with a header line. */
  csv(): string;
}
