import { z } from "zod";
import { UNITS } from "../../lib/metering/ruler.ts";

/** `extra.meter` of payment requirements: a payment covers this many units of the response. */
export const meterSchema = z.object({ unit: z.enum(UNITS), units: z.int().min(1) });

export type Meter = z.infer<typeof meterSchema>;

/** The units that a payment covers, for people: `100 events`. */
export function unitsTitle({ unit, units }: Meter): string {
  return `${units} ${unit}${units === 1 ? "" : "s"}`;
}

/** `routes[].x402.meter`. */
export interface MeterTerms extends Meter {
  /** Seconds for which a response waits for the next payment. */
  readonly pause_s: number;
}

/** The response field with the name of a metered response, and the request field of a further payment for it. */
export const PAYMENT_STREAM = "Payment-Stream";
