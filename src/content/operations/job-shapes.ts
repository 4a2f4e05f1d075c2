import { z } from "@hono/zod-openapi";
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
export const startedJob = z
  .object({
    id: z.string().describe("Name of the job"),
    secret: z.string().describe("The value of X-Job-Secret in requests about this job; shown only here"),
    webhook_secret: z.string().optional().describe("The secret that signs the job's webhooks"),
    status: z.string().describe("Path of the job's state; DELETE cancels it"),
    results: z.string().describe("Path of the job's results"),
  })
  .openapi("StartedJob", { description: "A job that was started" });

/** The example of a job that was started, by the path of its operation. */
export function startedExample(path: string): z.output<typeof startedJob> {
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

const jobCost = z
  .object({
    due: z.string().describe("The price of the delivered pages so far"),
    paid: z.string().describe("The paid part of it. Only paid results can be read"),
    quote: z.string().describe("The most that the job costs"),
    asset: z.string().describe("The token of the amounts, which are in its smallest unit"),
    network: z.string(),
    paid_pages: z.int().describe("Number of paid pages"),
    open: z.boolean().describe("False if nothing more will be paid"),
    saved: z.string().optional().describe("What pages from the cache cost less; absent for none"),
    transaction: z.string().optional().describe("The transaction that has moved `paid` on the chain"),
  })
  .openapi("JobCost", { description: "The cost of a job that is paid by its pages" });

const webhookState = z
  .object({
    state: z.enum(["sending", "failing", "done", "given-up"]),
    sent: z.int().describe("Number of the last event that the receiver accepted or did not want; -1 before the first"),
    failure: z.string().optional().describe("Why the next event was not accepted"),
    failing_since: z.string().optional().openapi({ format: "date-time" }),
  })
  .openapi("JobWebhook", { description: "The progress of a webhook" });

export const jobState = z
  .object({
    id: z.string().describe("Name of the job"),
    state: z.enum(["running", "completed", "cancelled", "failed"]),
    reason: z
      .string()
      .optional()
      .describe("Why it ended: `limit`, `max-price`, `bytes`, `time` or another reason; absent if all was done"),
    limit: z.int().describe("Maximum number of delivered pages"),
    delivered: z.int().describe("Number of delivered pages"),
    failed: z.int().describe("Number of pages that failed"),
    known: z.int().describe("Number of addresses that the job knows"),
    waiting: z.int().describe("Number of known addresses that are not loaded yet"),
    bytes: z.int().describe("Bytes of the compressed results"),
    waits_for: z
      .literal("storage")
      .optional()
      .describe(
        "`storage`: the service cannot store results now, because its disk or the file of jobs is full. It goes on by itself",
      ),
    not_delivered: z.record(z.string(), z.int()).describe("Number of addresses that were not delivered, by the reason"),
    cost: jobCost.optional(),
    webhook: webhookState.optional(),
    created_at: z.string().openapi({ format: "date-time" }),
    ended_at: z.string().optional().openapi({ format: "date-time" }),
    expires_at: z
      .string()
      .optional()
      .openapi({ format: "date-time", description: "Time until which the results of an ended job can be read" }),
  })
  .openapi("JobState", { description: "The state of a job" });

export type JobState = z.output<typeof jobState>;

/** A result: a page, or the error instead of its content. */
const jobResult = z
  .object({
    number: z.int().describe("Place among the results, from 1 on without gaps"),
    url: z.string().openapi({ format: "uri" }),
    depth: z.int().describe("Number of links from a start to the page"),
    format: z.string().optional(),
    content: z.string().optional(),
    results: resultsSchema.optional(),
    metadata: metadataSchema.optional(),
    changes: changesSchema,
    noindex: z.boolean().optional().describe("True if the page asks not to be indexed"),
    error: z.string().optional().describe("Why the page was not delivered"),
    kind: z.string().optional().describe("The kind of the error"),
  })
  .openapi("JobResult", { description: "A page of a job, or the error instead of its content" });

export const jobResults = z
  .object({
    state: jobState.shape.state,
    results: z.array(jobResult),
    next: z.int().optional().describe("The `after` of the next request, if further results are ready"),
  })
  .openapi("JobResults", { description: "Some results of a job" });

export const jobEvents = z
  .object({
    state: jobState.shape.state,
    events: z.array(
      z.object({
        number: z.int().describe("0 for the start, the number of the result, or the last number for the end"),
        type: z.enum(EVENT_TYPES),
        job: z.string().describe("Name of the job"),
        data: z.record(z.string(), z.unknown()).describe("The result, or the state of the job"),
      }),
    ),
    next: z.int().optional().describe("The `after` of the next request, if further events are ready"),
  })
  .openapi("JobEvents", { description: "Some events of a job" });

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

export const RESULTS_EXAMPLE: z.output<typeof jobResults> = {
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

export const EVENTS_EXAMPLE: z.output<typeof jobEvents> = {
  state: "running",
  events: [
    { number: 0, type: "started", job: STATE_EXAMPLE.id, data: { limit: 100, created_at: STATE_EXAMPLE.created_at } },
    { number: 1, type: "page", job: STATE_EXAMPLE.id, data: { ...RESULTS_EXAMPLE.results[0] } },
  ],
};
