/** The jobs of the content service: crawls and batches. */
import {
  array,
  discriminatedUnion,
  int,
  literal,
  looseObject,
  object,
  type Output,
  record,
  string,
} from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

const job = looseObject({
  id: string(),
  operation: string(),
  start: string().describe("The first of its addresses"),
  starts: int(),
  payer: string(),
  state: string(),
  reason: string().optional(),
  limit: int(),
  delivered: int(),
  failed: int(),
  waiting: int(),
  not_delivered: record(string(), int()),
  cost: looseObject({
    due: string(),
    paid: string(),
    quote: string(),
    asset: string(),
    network: string(),
    transaction: string().optional(),
    decimals: int().optional().describe("Missing if the gateway does not know the token"),
    symbol: string().optional(),
  }).optional(),
  created_at: string(),
  ended_at: string().optional(),
});

/** The response of `GET /v1/jobs`. */
export const jobList = discriminatedUnion("available", [
  object({ available: literal(false), reason: string() }),
  object({ available: literal(true), jobs: array(job) }),
]).openapi("Jobs");

export type ListedJob = DeepReadonly<Output<typeof job>>;
export type JobList = DeepReadonly<Output<typeof jobList>>;
