import { array, looseObject, number, object, type Output, string } from "../../../lib/schema.ts";
import { actor } from "./common.ts";

/** An event of the gateway. Each kind has more members. */
export const event = looseObject({
  id: number(),
  time_ms: number(),
  kind: string(),
  by: actor.optional(),
  outcome: string().optional(),
  message: string(),
}).openapi("Event");

/** The response of `GET /v1/events` as JSON. */
export const storedEvents = object({ events: array(event) });

export type AdminEvent = Output<typeof event>;
