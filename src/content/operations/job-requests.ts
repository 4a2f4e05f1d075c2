import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../lib/errors.ts";
import { isAtomic } from "../../payments/x402/price.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { type Due, type Jobs, type Result } from "../jobs/jobs.ts";
import { EVENTS_EXAMPLE, jobEvents, jobResults, jobState, RESULTS_EXAMPLE, STATE_EXAMPLE } from "./job-shapes.ts";
import { EVENT_STREAM, eventList, eventSocket, eventStream, isSwitch, resultLines, secretIn } from "./job-watchers.ts";
import {
  checkBody,
  invalidParameters,
  NDJSON,
  type Operation,
  type OperationResult,
  type Services,
  type TextFeed,
} from "./operation.ts";
import { flag, whole } from "./text.ts";

/** Number of results in one response: the default and the maximum. */
const COUNT = 100;
const MAX_COUNT = 1_000;
/** Characters of the name of a transaction. */
const MAX_TRANSACTION = 256;

const place = whole(0, Number.MAX_SAFE_INTEGER);
const count = whole(0, MAX_COUNT).default(COUNT).describe("Maximum number of results in JSON");

const paidWord = z.strictObject({
  paid: z.string().refine(isAtomic, "must be an amount in atomic units"),
  closed: flag(),
  transaction: z.string().max(MAX_TRANSACTION).default(""),
});

/** The parts of an HTTP request about a job. */
export interface JobRequest {
  readonly id: string;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** A request about a job that runs or has run, about a session or a browser. All of them are free. */
export interface JobOperation extends Pick<Operation, "name" | "summary" | "description" | "success" | "failures"> {
  readonly method: "get" | "delete";
  /** With `{id}` for the id of the job. */
  readonly path: string;
  /** The name of the secret that it needs, in the API's description. */
  readonly secret: "browserToken" | "jobSecret" | "sessionSecret";
  readonly query?: z.ZodObject;
  readonly run: (
    request: JobRequest,
    services: Pick<Services, "jobs" | "live" | "sessions">,
  ) => Promise<OperationResult | { readonly socket: TextFeed }>;
}

/** The requests about the jobs of an operation. */
export const JOB_OPERATIONS: readonly JobOperation[] = ["crawl", "batch"].flatMap(jobOperations);

function jobOperations(operation: string): readonly JobOperation[] {
  const path = `/${operation}/{id}`;
  const state = { schema: jobState, example: STATE_EXAMPLE };
  return [
    {
      name: `${operation}_status`,
      method: "get",
      path,
      secret: "jobSecret",
      summary: "Return the state of a job",
      description: "Returns the state of the job, and its counts.",
      success: { ...state, description: "The state" },
      failures: ["not-found", "store-unavailable"],
      run: async (request, { jobs }) => ({ json: await jobs.state(await jobOf(request, jobs)) }),
    },
    {
      name: `${operation}_cancel`,
      method: "delete",
      path,
      secret: "jobSecret",
      summary: "Cancel a job",
      description: "Cancels the job if it runs. Its results stay.",
      success: { ...state, description: "The state after that" },
      failures: ["not-found", "store-unavailable"],
      async run(request, { jobs }) {
        const job = await jobOf(request, jobs);
        await jobs.cancel(job);
        return { json: await jobs.state((await jobs.again(job)) ?? job) };
      },
    },
    {
      name: `${operation}_results`,
      method: "get",
      path: `${path}/results`,
      secret: "jobSecret",
      summary: "Return results of a job",
      description:
        "Returns the results with numbers above `after`, in order. `next` is the `after` of the next request, if further results are " +
        "ready. With `Accept: application/x-ndjson` the response follows the job: each result is a line of JSON when it is there, and a " +
        "last line has the state of the job as `job`. If a stream ends without that line, ask again with `after`.",
      query: z.object({
        after: place.default(0).describe("Number of the last result that you have"),
        count,
      }),
      success: {
        description: "The results",
        otherTypes: [NDJSON],
        schema: jobResults,
        example: RESULTS_EXAMPLE,
      },
      failures: ["invalid-parameters", "not-found", "store-unavailable"],
      async run(request, { jobs }) {
        const job = await jobOf(request, jobs);
        const after = wholeNumber(request.query, "after", { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
        if (request.headers.get("accept")?.includes(NDJSON) === true) {
          return resultLines({ job, after }, jobs, request.signal);
        }
        const most = wholeNumber(request.query, "count", { otherwise: COUNT, most: MAX_COUNT });
        return page(job, await jobs.results(job, after, most), jobs);
      },
    },
    {
      name: `${operation}_events`,
      method: "get",
      path: `${path}/events`,
      secret: "jobSecret",
      summary: "Return or follow the events of a job",
      description:
        "Returns the events with numbers above `after`, in order: 0 is the start, each result has its own number, and the end the last " +
        "one. With `Accept: text/event-stream`, or as WebSocket, the response follows the job to its end. `Last-Event-ID` takes the " +
        "place of `after`.",
      query: z.object({
        after: place.optional().describe("Number of the last event that you have; absent for none"),
        count,
      }),
      success: {
        description: "The events",
        otherTypes: [EVENT_STREAM],
        schema: jobEvents,
        example: EVENTS_EXAMPLE,
      },
      failures: ["invalid-parameters", "not-found", "overloaded"],
      async run(request, { jobs }) {
        const job = await jobOf(request, jobs);
        const { headers, query, signal } = request;
        const last = headers.get("last-event-id");
        if (last !== null) query.set("after", last);
        const after = wholeNumber(query, "after", { otherwise: -1, most: Number.MAX_SAFE_INTEGER });
        const watch = { job, after };
        if (isSwitch(headers)) return { socket: eventSocket(watch, jobs, headers) };
        if (headers.get("accept")?.includes(EVENT_STREAM) === true) {
          // The end of the stream alone would let an EventSource ask again.
          const isOver = after > job.results && jobs.isComplete(job);
          return isOver ? { ...EMPTY, status: 204 } : eventStream(watch, jobs, signal);
        }
        return await eventList(watch, jobs, wholeNumber(query, "count", { otherwise: COUNT, most: MAX_COUNT }));
      },
    },
  ];
}

const EMPTY = { bytes: new Uint8Array(), contentType: EVENT_STREAM };

/** Throws `not-found` if the job does not exist, or the secret is wrong. */
async function jobOf({ id, headers }: JobRequest, jobs: Jobs): Promise<Job> {
  const job = await jobs.find(id, secretIn(headers));
  if (job === undefined)
    throw new TurnpikeError("not-found", "There is no such job, or X-Job-Secret is not its secret");
  return job;
}

/** A whole number in the query. Throws `invalid-parameters` if it is another value, or greater than `most`. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  { otherwise, most }: { otherwise: number; most: number },
): number {
  const said = query.get(name);
  if (said === null) return otherwise;
  const value = /^\d{1,16}$/.test(said) ? Number(said) : Number.NaN;
  if (value <= most) return value;
  throw invalidParameters([{ path: name, message: `must be a whole number up to ${most}` }]);
}

/** Hears from the gateway what is paid for a job, and says what is due. */
export async function chargeJob(
  { id, key, word }: { readonly id: string; readonly key: string; readonly word: unknown },
  jobs: Jobs,
): Promise<Due> {
  const { paid: amount, closed: isClosed, transaction } = checkBody(paidWord, word);
  const due = await jobs.charge(id, key, { amount, transaction, isClosed });
  if (due === undefined) throw new TurnpikeError("not-found", "There is no such charge");
  return due;
}

/** Some results. `next` is only there if further results are ready. */
function page(job: Job, results: readonly Result[], jobs: Jobs): OperationResult {
  const last = results.at(-1);
  const next = last !== undefined && jobs.hasMore(job, last) ? `,"next":${last.number}` : "";
  const json = `{"state":"${job.state}","results":[${results.map(({ json: text }) => text).join(",")}]${next}}`;
  return { bytes: Buffer.from(json), contentType: "application/json" };
}
