import { array, boolean, int, literal, object, oneOf, type Output, record, string, unknown } from "../../lib/schema.ts";
import { SETTLEMENT_DEFERRAL } from "../../payments/x402/charge.ts";
import { EVENT_TYPES } from "../jobs/job-events.ts";
import { type AddedJob } from "../jobs/jobs.ts";
import { METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type OperationResult } from "./operation.ts";
import { changesSchema } from "./page-changes.ts";
import { resultsSchema } from "./page-formats.ts";

/** The beginning of the paths under which the gateway charges for jobs. */
export const CHARGES = "/charges";

/** The response to a request that starts a job. */
export const startedJob = object({
  id: string().describe("Name of the job"),
  secret: string().describe("The value of X-Job-Secret in requests about this job; shown only here"),
  webhook_secret: string().optional().describe("The secret that signs the job's webhooks"),
  status: string().describe("Path of the job's state; DELETE cancels it"),
  results: string().describe("Path of the job's results"),
}).openapi("StartedJob", { description: "A job that was started" });

/** The example of a job that was started, by the path of its operation. */
export function startedExample(path: string): Output<typeof startedJob> {
  const status = `${path}/${STATE_EXAMPLE.id}`;
  return { id: STATE_EXAMPLE.id, secret: "kq3vYw1hWJ8m1m1s7m0aVg6pQxg2yT9d", status, results: `${status}/results` };
}

/** The response to a request that has started a job of the operation with this path. */
export function started(operation: string, { id, secret, chargeKey, webhookSecret }: AddedJob): OperationResult {
  const path = `${operation}/${id}`;
  const later = { [SETTLEMENT_DEFERRAL]: JSON.stringify({ path: `${CHARGES}/${id}/${chargeKey}` }) };
  return {
    json: {
      id,
      secret,
      ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }),
      status: path,
      results: `${path}/results`,
    },
    status: 202,
    headers: chargeKey === undefined ? {} : later,
  };
}

const jobCost = object({
  due: string().describe("The price of the delivered pages so far"),
  paid: string().describe("The paid part of it. Only paid results can be read"),
  quote: string().describe("The most that the job costs"),
  asset: string().describe("The token of the amounts, which are in its smallest unit"),
  network: string(),
  paid_pages: int().describe("Number of paid pages"),
  open: boolean().describe("False if nothing more will be paid"),
  saved: string().optional().describe("What pages from the cache cost less; absent for none"),
  transaction: string().optional().describe("The transaction that has moved `paid` on the chain"),
}).openapi("JobCost", { description: "The cost of a job that is paid by its pages" });

const webhookState = object({
  state: oneOf(["sending", "failing", "done", "given-up"]),
  sent: int().describe("Number of the last event that the receiver accepted or did not want; -1 before the first"),
  failure: string().optional().describe("Why the next event was not accepted"),
  failing_since: string().optional().openapi({ format: "date-time" }),
}).openapi("JobWebhook", { description: "The progress of a webhook" });

export const jobState = object({
  id: string().describe("Name of the job"),
  state: oneOf(["running", "completed", "cancelled", "failed"]),
  reason: string()
    .optional()
    .describe("Why it ended: `limit`, `max-price`, `bytes`, `time` or another reason; absent if all was done"),
  limit: int().describe("Maximum number of delivered pages"),
  delivered: int().describe("Number of delivered pages"),
  failed: int().describe("Number of pages that failed"),
  known: int().describe("Number of addresses that the job knows"),
  waiting: int().describe("Number of known addresses that are not loaded yet"),
  bytes: int().describe("Bytes of the compressed results"),
  waits_for: literal("storage")
    .optional()
    .describe(
      "`storage`: the service cannot store results now, because its disk or the file of jobs is full. It goes on by itself",
    ),
  not_delivered: record(string(), int()).describe("Number of addresses that were not delivered, by the reason"),
  cost: jobCost.optional(),
  webhook: webhookState.optional(),
  created_at: string().openapi({ format: "date-time" }),
  ended_at: string().optional().openapi({ format: "date-time" }),
  expires_at: string()
    .optional()
    .openapi({ format: "date-time", description: "Time until which the results of an ended job can be read" }),
}).openapi("JobState", { description: "The state of a job" });

export type JobState = Output<typeof jobState>;

/** A result: a page, or the error instead of its content. */
const jobResult = object({
  number: int().describe("Place among the results, from 1 on without gaps"),
  url: string().openapi({ format: "uri" }),
  depth: int().describe("Number of links from a start to the page"),
  format: string().optional(),
  content: string().optional(),
  results: resultsSchema.optional(),
  metadata: metadataSchema.optional(),
  changes: changesSchema,
  noindex: boolean().optional().describe("True if the page asks not to be indexed"),
  error: string().optional().describe("Why the page was not delivered"),
  kind: string().optional().describe("The kind of the error"),
}).openapi("JobResult", { description: "A page of a job, or the error instead of its content" });

export const jobResults = object({
  state: jobState.shape.state,
  results: array(jobResult),
  next: int().optional().describe("The `after` of the next request, if further results are ready"),
}).openapi("JobResults", { description: "Some results of a job" });

export const jobEvents = object({
  state: jobState.shape.state,
  events: array(
    object({
      number: int().describe("0 for the start, the number of the result, or the last number for the end"),
      type: oneOf(EVENT_TYPES),
      job: string().describe("Name of the job"),
      data: record(string(), unknown()).describe("The result, or the state of the job"),
    }),
  ),
  next: int().optional().describe("The `after` of the next request, if further events are ready"),
}).openapi("JobEvents", { description: "Some events of a job" });

export const STATE_EXAMPLE = {
  id: "da15b59ea5d0cb4c9c2b3d5e61c4c1f3",
  state: "running",
  limit: 100,
  delivered: 41,
  failed: 1,
  known: 230,
  waiting: 184,
  bytes: 91_230,
  not_delivered: { duplicate: 4, "robots-forbidden": 1 },
  created_at: "2026-01-31T09:00:00.000Z",
} as const satisfies JobState;

export const RESULTS_EXAMPLE: Output<typeof jobResults> = {
  state: "running",
  results: [
    {
      number: 1,
      url: "https://example.com/",
      depth: 0,
      format: "markdown",
      content: "# Example Domain\n\nThis domain is for use in documentation examples.",
      metadata: METADATA_EXAMPLE,
    },
  ],
};

export const EVENTS_EXAMPLE: Output<typeof jobEvents> = {
  state: "running",
  events: [
    { number: 0, type: "started", job: STATE_EXAMPLE.id, data: { limit: 100, created_at: STATE_EXAMPLE.created_at } },
    { number: 1, type: "page", job: STATE_EXAMPLE.id, data: { ...RESULTS_EXAMPLE.results[0] } },
  ],
};
