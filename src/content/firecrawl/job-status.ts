import { TurnpikeError } from "../../lib/errors.ts";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Job, MAX_RUNNING_JOBS } from "../../store/jobs/job-store.ts";
import { type Jobs, type Result } from "../jobs/jobs.ts";
import { isSwitch } from "../operations/job-watchers.ts";
import { wholeNumber } from "../operations/job-requests.ts";
import { type OperationResult, type Services, type TextFeed } from "../operations/operation.ts";
import { documentIn, stateOf } from "./job-state.ts";
import { inputOf } from "./site-jobs.ts";
import { type Answer, type Ask, notServed } from "./surface.ts";
import { isEnd, type JobEvent } from "../jobs/job-events.ts";

/** Documents of one response, and their bytes if there are several. */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Results that are read together. */
const RESULTS_AT_ONCE = 32;
/** Documents of a job, as JSON. */
interface Page {
  readonly documents: readonly string[];
  /** The number of the last result of the page; undefined if no document comes after it for now. */
  readonly next: number | undefined;
}

/** `GET /v2/crawl/ID` and `GET /v2/batch/scrape/ID`: the state of a job, and its documents. */
export async function status(ask: Ask, { jobs }: Services): Promise<Answer> {
  const job = await jobOf(ask, jobs);
  if (isSwitch(ask.headers)) return { socket: documentSocket(job, jobs, ask.protocol) };
  if (ask.query.has("skip")) throw notServed("skip is not supported; follow `next`");
  const after = wholeNumber(ask.query, "after", { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
  const limit = wholeNumber(ask.query, "limit", { otherwise: MAX_DOCUMENTS, most: MAX_DOCUMENTS });
  const { documents, next } = await pageOf(job, jobs, { after, limit: Math.max(1, limit) });
  const isOver = jobs.isComplete(job);
  // The SDK follows `next` in every poll, and reads all documents again. So only a job that has ended has it.
  const url = new URL(`${ask.base}/${ask.version}/${pathOf(job)}/${job.id}?after=${next}`);
  if (ask.query.has("limit")) url.searchParams.set("limit", String(limit));
  const more = isOver && next !== undefined ? { next: url.href } : {};
  const json = JSON.stringify({ ...stateOf(job, isOver), ...more });
  return {
    bytes: Buffer.from(`${json.slice(0, -1)},"data":[${documents.join(",")}]}`),
    contentType: "application/json",
  };
}

/** `GET /v2/crawl/ID/errors`: the pages that were not delivered. */
export async function errors(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const job = await jobOf(ask, jobs);
  const failures: object[] = [];
  const robotsBlocked: string[] = [];
  for await (const { number, json } of resultsOf(job, jobs, 0)) {
    const failed = documentIn(json) === undefined ? parsedJson(json) : undefined;
    if (!isObject(failed)) continue;
    const [url, error, kind] = [failed["url"], failed["error"], failed["kind"]].map(String);
    if (kind === "robots-forbidden") robotsBlocked.push(url ?? "");
    else failures.push({ id: `${job.id}-${number}`, url, error, code: kind?.toUpperCase().replaceAll("-", "_") });
  }
  return { json: { errors: failures, robotsBlocked } };
}

/** `DELETE /v2/crawl/ID`. */
export async function cancel(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const job = await jobOf(ask, jobs);
  await jobs.cancel(job);
  const { state } = (await jobs.again(job)) ?? job;
  if (state === "cancelled") return { json: { success: true, status: state } };
  throw new TurnpikeError("already-exists", `Cannot cancel the job: it is ${state} already`);
}

/** `GET /v2/crawl/active`: the crawls of a key that run. */
export async function active(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const crawls = (await runningOf(ask, jobs)).flatMap((job) => {
    const { order, options } = inputOf(job) ?? {};
    if (order === undefined || order.given === true) return [];
    return [{ id: job.id, teamId: "", url: order.urls[0] ?? "", options: { scrapeOptions: options } }];
  });
  return { json: { success: true, crawls } };
}

/** `GET /v2/concurrency-check`: the jobs of a key that run, and the most that may. */
export async function concurrency(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const running = await runningOf(ask, jobs);
  return { json: { success: true, data: { concurrency: running.length, maxConcurrency: MAX_RUNNING_JOBS } } };
}

/** `GET /v2/team/queue-status`: the pages of the jobs of a key that are not loaded yet. */
export async function queue(ask: Ask, { jobs }: Services): Promise<OperationResult> {
  const running = await runningOf(ask, jobs);
  const jobsInQueue = running.reduce((sum, { open }) => sum + open, 0);
  const activeJobsInQueue = running.reduce(
    (sum, job) => sum + Math.min(job.open, inputOf(job)?.order.concurrency ?? 0),
    0,
  );
  const waitingJobsInQueue = jobsInQueue - activeJobsInQueue;
  const counts = { jobsInQueue, activeJobsInQueue, waitingJobsInQueue, maxConcurrency: MAX_RUNNING_JOBS };
  return { json: { success: true, ...counts, mostRecentSuccess: null } };
}

/** Throws `not-found` if the job does not exist, is of another kind, or has another owner. */
export async function jobOf({ id, owner }: Ask, jobs: Jobs, kind: "documents" | "extract" = "documents"): Promise<Job> {
  const job = await jobs.find(id, owner);
  const input = job && inputOf(job);
  if (job === undefined || input === undefined || (input.extract !== undefined) !== (kind === "extract")) {
    throw new TurnpikeError("not-found", "Job not found: no job has this id and key");
  }
  return job;
}

async function runningOf({ owner }: Ask, jobs: Jobs): Promise<readonly Job[]> {
  if (owner === "")
    throw new TurnpikeError("unauthorized", "Cannot list jobs: this needs a key as Authorization: Bearer");
  return (await jobs.running(owner)).filter((job) => inputOf(job) !== undefined);
}

function pathOf(job: Job): string {
  return inputOf(job)?.order.given === true ? "batch/scrape" : "crawl";
}

/** The results of a job that can be read now, with numbers above `from`. */
export async function* resultsOf(job: Job, jobs: Jobs, from: number): AsyncGenerator<Result> {
  let after = from;
  for (;;) {
    const results = await jobs.results(job, after, RESULTS_AT_ONCE);
    yield* results;
    const last = results.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

/** Documents after a result. */
async function pageOf(job: Job, jobs: Jobs, { after, limit }: { after: number; limit: number }): Promise<Page> {
  const documents: string[] = [];
  let bytes = 0;
  let last = after;
  for await (const { number, json } of resultsOf(job, jobs, after)) {
    const document = documentIn(json);
    if (document === undefined) continue;
    bytes += document.length;
    if (documents.length === limit || (documents.length > 0 && bytes > MAX_BYTES)) return { documents, next: last };
    documents.push(document);
    last = number;
  }
  return { documents, next: undefined };
}

/** The messages of a WebSocket about a job: its state, its documents, and its end. `protocol` is the client's key, which it expects back. */
function documentSocket(job: Job, jobs: Jobs, protocol: string | undefined): TextFeed {
  const gone = new AbortController();
  return {
    texts: messages(job, jobs, jobs.watch(job, 0, gone.signal)),
    protocol,
    close: () => gone.abort(),
  };
}

async function* messages(
  job: Job,
  jobs: Jobs,
  events: AsyncGenerator<readonly JobEvent[]>,
): AsyncGenerator<string, boolean> {
  yield messageOf("catchup", { ...stateOf(job, false), data: [] });
  for await (const piece of events) {
    for (const event of piece) {
      if (isEnd(event)) {
        const ended = (await jobs.again(job)) ?? job;
        // The SDK takes every `done` for a completed job, and reads another end from a state.
        yield messageOf(ended.state === "completed" ? "done" : "catchup", { ...stateOf(ended, true), data: [] });
        return true;
      }
      const document = event.type === "page" ? documentIn(event.data) : undefined;
      if (document !== undefined) yield `{"type":"document","data":${document}}`;
    }
  }
  return false;
}

function messageOf(type: "catchup" | "done", data: object): string {
  return JSON.stringify({ type, data });
}
