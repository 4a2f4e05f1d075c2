import { TurnpikeError } from "../../lib/errors.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { type Jobs, type Result } from "../jobs/jobs.ts";
import { invalidParameters, NDJSON, type OperationResult } from "./operation.ts";

/** Results of one response: by default, and at most. */
const COUNT = 100;
const MAX_COUNT = 1_000;
/** Milliseconds for which a stream of results follows its job, below the timeout of the gateway's route. @operator @bound */
const FOLLOW_MS = 240_000;
/** Milliseconds between two looks for new results. @bound */
const LOOK_MS = 500;

/** The parts of an HTTP request about a job. */
export interface JobRequest {
  readonly id: string;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** A request about a job that runs or has run. All of them are free. */
export interface JobOperation {
  readonly method: "GET" | "DELETE";
  readonly path: string;
  readonly run: (request: JobRequest, jobs: Jobs) => Promise<OperationResult>;
}

export const JOB_OPERATIONS: readonly JobOperation[] = [
  {
    method: "GET",
    path: "/crawl/:id",
    run: async (request, jobs) => ({ json: stateOf(await jobOf(request, jobs)) }),
  },
  {
    method: "DELETE",
    path: "/crawl/:id",
    async run(request, jobs) {
      const job = await jobOf(request, jobs);
      await jobs.cancel(job);
      return { json: stateOf((await jobs.again(job)) ?? job) };
    },
  },
  {
    method: "GET",
    path: "/crawl/:id/results",
    async run(request, jobs) {
      const job = await jobOf(request, jobs);
      const after = wholeNumber(request.query, "after", { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
      if (request.headers.get("accept")?.includes(NDJSON) === true) return { lines: follow(job, jobs, after) };
      const count = wholeNumber(request.query, "count", { otherwise: COUNT, most: MAX_COUNT });
      return page(job, await jobs.results(job, after, count));
    },
  },
];

/** Throws `not-found` if the job does not exist, or the secret is wrong. */
async function jobOf({ id, headers }: JobRequest, jobs: Jobs): Promise<Job> {
  const job = await jobs.find(id, headers.get("x-job-secret") ?? "");
  if (job === undefined)
    throw new TurnpikeError("not-found", "There is no such job, or X-Job-Secret is not its secret");
  return job;
}

function wholeNumber(
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

function stateOf(job: Job): Record<string, unknown> {
  const isOver = job.state !== "running";
  return {
    id: job.id,
    state: job.state,
    ...(job.reason === "" ? {} : { reason: job.reason }),
    limit: job.limit,
    delivered: job.delivered,
    failed: job.results - job.delivered,
    known: job.known,
    waiting: isOver ? 0 : job.open,
    not_delivered: job.kinds,
    created_at: new Date(job.createdAt).toISOString(),
    ...(isOver
      ? {
          ended_at: new Date(job.endedAt).toISOString(),
          expires_at: new Date(job.endedAt + job.keptMs).toISOString(),
        }
      : {}),
  };
}

/** Some results. `next` is only there if further results are ready. */
function page(job: Job, results: readonly Result[]): OperationResult {
  const last = results.at(-1)?.number ?? 0;
  const next = results.length > 0 && last < job.results ? `,"next":${last}` : "";
  const json = `{"state":"${job.state}","results":[${results.map(({ json: text }) => text).join(",")}]${next}}`;
  return { bytes: Buffer.from(json), contentType: "application/json" };
}

/** One line for each result as it comes, and a last one with the state of the job when it has ended. */
async function* follow(job: Job, jobs: Jobs, from: number): AsyncGenerator<string> {
  let after = from;
  let known: Job | undefined = job;
  for (let left = FOLLOW_MS; left > 0 && known !== undefined; ) {
    const results = await jobs.results(known, after, COUNT);
    for (const { json } of results) yield `${json}\n`;
    after = results.at(-1)?.number ?? after;
    if (results.length > 0) continue;
    if (known.state !== "running" && after >= known.results) {
      yield `${JSON.stringify({ job: stateOf(known) })}\n`;
      return;
    }
    if (known.state === "running") {
      await Bun.sleep(LOOK_MS);
      left -= LOOK_MS;
    }
    known = await jobs.again(known);
  }
}
