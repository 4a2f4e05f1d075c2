import { MAX_RESPONSE_BYTES, readJsonResponse } from "../lib/http/response-bytes.ts";
import { type JobResult, type JobResults, type JobState, type StartedJob } from "./operations.ts";
import { problemOf, TurnpikeProblem } from "./turnpike-error.ts";

/** Reading results fails after this number of consecutive requests without a result. */
const MAX_FAILURES = 8;
/** Milliseconds until the second of such requests. They double with each further one, up to the longest. @bound */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Milliseconds after which a request counts as successful, although no result came. @bound */
const STEADY_MS = 10_000;
/** Milliseconds of one request for results, more than a gateway follows a job. Then the next one begins. @bound */
const MAX_FOLLOW_MS = 300_000;
/** Failures of a gateway that pass. */
const PASSING_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The way to the gateway, and time in monotonic milliseconds. */
export interface JobDeps {
  /** The gateway's URL, without a slash at the end. */
  readonly base: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly now?: () => number;
  /** Rejects if `signal` aborts. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Options of reading the results of a job. */
export interface ResultOptions {
  /** The number of the last result that you have. Default: 0. */
  readonly after?: number;
  /** Ends the reading. The job goes on. */
  readonly signal?: AbortSignal;
}

/** A job of a gateway: a crawl, or a batch of many pages. It goes on without this object. */
export class Job {
  /** The id and the secret of the job. Keep them to take the job up again with `Turnpike.job`. */
  readonly started: StartedJob;
  readonly #deps: Required<JobDeps>;

  constructor(started: StartedJob, deps: JobDeps) {
    this.started = started;
    this.#deps = { now: () => performance.now(), pause: sleepUntil, ...deps };
  }

  get id(): string {
    return this.started.id;
  }

  /** The state of the job now. */
  async state(signal?: AbortSignal): Promise<JobState> {
    return await this.#json("GET", signal);
  }

  /** Cancels the job, and resolves with its state. Its results stay. */
  async cancel(signal?: AbortSignal): Promise<JobState> {
    return await this.#json("DELETE", signal);
  }

  /** Results that are ready, with numbers above `after`; at most `count`, 100 by default. */
  async ready({
    after = 0,
    count = 100,
    signal,
  }: ResultOptions & { readonly count?: number } = {}): Promise<JobResults> {
    const path = `${this.started.results}?after=${after}&count=${count}`;
    const response = await this.#send("GET", path, { accept: "application/json", signal });
    // The gateway's own description defines the shape of its responses.
    return (await readJsonResponse(response)) as JobResults;
  }

  /** All results, as they come, until the job ends. */
  [Symbol.asyncIterator](): AsyncGenerator<JobResult, JobState> {
    return this.results();
  }

  /**
   * The results with numbers above `after`, as they come, each once and in order; it returns the last state of the job. If a
   * connection breaks, it asks again for the results that are missing. It fails if no result can be read for some minutes.
   */
  async *results({ after = 0, signal }: ResultOptions = {}): AsyncGenerator<JobResult, JobState> {
    let last = after;
    let failures = 0;
    for (;;) {
      const startedAt = this.#deps.now();
      const before = last;
      let failure: unknown;
      try {
        for await (const line of this.#lines(last, signal)) {
          if ("job" in line) return line.job;
          if (line.number <= last) continue;
          last = line.number;
          yield line;
        }
      } catch (error) {
        if (signal?.aborted === true || !passes(error)) throw error;
        failure = error;
      }
      failures = last > before || this.#deps.now() - startedAt >= STEADY_MS ? 0 : failures + 1;
      if (failures >= MAX_FAILURES)
        throw failure ?? new Error("Cannot read the results of the job: the gateway sends none");
      await this.#deps.pause(waitOf(failures, failure), signal);
    }
  }

  async *#lines(
    after: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<JobResult | { readonly job: JobState }> {
    const limit = AbortSignal.timeout(MAX_FOLLOW_MS);
    const response = await this.#send("GET", `${this.started.results}?after=${after}`, {
      accept: "application/x-ndjson",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_RESPONSE_BYTES) throw new TypeError("Cannot read the results of the job: one is too long");
      // As above.
      for (const line of lines) yield JSON.parse(line) as JobResult | { readonly job: JobState };
    }
  }

  async #json(method: "GET" | "DELETE", signal: AbortSignal | undefined): Promise<JobState> {
    const response = await this.#send(method, this.started.status, { accept: "application/json", signal });
    // As above.
    return (await readJsonResponse(response)) as JobState;
  }

  /** Throws a TurnpikeProblem if the response is not a success. */
  async #send(
    method: "GET" | "DELETE",
    path: string,
    { accept, signal }: { readonly accept: string; readonly signal: AbortSignal | undefined },
  ): Promise<Response> {
    const { base, fetch: send } = this.#deps;
    // A redirect would send the secret to its target.
    const init: RequestInit = { method, redirect: "manual", headers: { accept, "x-job-secret": this.started.secret } };
    const response = await send(base + path, signal === undefined ? init : { ...init, signal });
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

/** False for errors that further requests would repeat. */
function passes(error: unknown): boolean {
  return error instanceof TurnpikeProblem ? PASSING_STATUS.has(error.status) : !(error instanceof SyntaxError);
}

function waitOf(failures: number, failure: unknown): number {
  const said = failure instanceof TurnpikeProblem ? (failure.retryAfter ?? 0) * 1_000 : 0;
  return Math.min(Math.max(said, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1)), LONGEST_WAIT_MS);
}

/** Uses no Bun API: this code also runs in the callers' programs. */
function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
