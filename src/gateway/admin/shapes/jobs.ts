/** The jobs of the content service: crawls and batches. */
import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

const job = z.looseObject({
  id: z.string(),
  operation: z.string(),
  start: z.string().describe("The first of its addresses"),
  starts: z.int(),
  payer: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  limit: z.int(),
  delivered: z.int(),
  failed: z.int(),
  waiting: z.int(),
  not_delivered: z.record(z.string(), z.int()),
  cost: z
    .looseObject({
      due: z.string(),
      paid: z.string(),
      quote: z.string(),
      asset: z.string(),
      network: z.string(),
      transaction: z.string().optional(),
      decimals: z.int().optional().describe("Missing if the gateway does not know the token"),
      symbol: z.string().optional(),
    })
    .optional(),
  created_at: z.string(),
  ended_at: z.string().optional(),
});

/** The response of `GET /v1/jobs`. */
export const jobList = z
  .discriminatedUnion("available", [
    z.object({ available: z.literal(false), reason: z.string() }),
    z.object({ available: z.literal(true), jobs: z.array(job) }),
  ])
  .openapi("Jobs");

export type ListedJob = DeepReadonly<z.output<typeof job>>;
export type JobList = DeepReadonly<z.output<typeof jobList>>;
