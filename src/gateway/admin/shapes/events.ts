import { z } from "@hono/zod-openapi";
import { actor } from "./common.ts";

/** An event of the gateway. Each kind has more members. */
export const event = z
  .looseObject({
    id: z.number(),
    time_ms: z.number(),
    kind: z.string(),
    by: actor.optional(),
    outcome: z.string().optional(),
    message: z.string(),
  })
  .openapi("Event");

/** The response of `GET /v1/events` as JSON. */
export const storedEvents = z.object({ events: z.array(event) });

export type AdminEvent = z.output<typeof event>;
