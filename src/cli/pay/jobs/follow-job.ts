import { setTimeout as sleep } from "node:timers/promises";
import { Job } from "../../../client/job.ts";
import { type JobState } from "../../../client/operations.ts";
import { codeOf } from "../../../lib/caught.ts";
import { type Progress, showProgress } from "../../common/progress.ts";
import { stopSignal } from "../../common/stop-signal.ts";
import { say, sayNote } from "../../common/terminal.ts";
import { endText, countsText, progressText } from "./job-text.ts";
import { type KeptJob, KeptJobs } from "./kept-jobs.ts";
import { type ResultSink, sinkAt, standardSink } from "./result-sink.ts";

/** Milliseconds between two looks at the state of a job: for a bar on a terminal, and for lines. */
const BAR_MS = 1_000;
const LINES_MS = 10_000;
/** Columns beside the bar: the frame that turns, and the seconds. */
const BESIDE_BAR = 14;
/** The exit code of a command that Ctrl-C has ended. */
const INTERRUPTED = 130;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The job of a gateway, with which a client of this user works. */
export function jobOf({ gateway, job }: KeptJob, send: Fetch): Job {
  return new Job(job, { base: gateway, fetch: send });
}

/** The way in which results are written. */
export interface FollowOptions {
  /** The file or the folder of the job is to be new, unless it goes on. */
  readonly goesOn: boolean;
  /** Without a file: lines of JSON on standard output, and the number of the last result that is left out. */
  readonly json: boolean;
  readonly after?: number;
}

/**
 * Writes the results of a job until it ends, and shows its progress. Ctrl-C ends only the command. Returns the exit code: 0 if
 * pages were delivered, 1 if none was or the job failed, 130 after Ctrl-C.
 */
export async function followJob(kept: KeptJob, send: Fetch, options: FollowOptions): Promise<number> {
  const { id } = kept.job;
  if (kept.out !== undefined) lockOutput(kept);
  const leaving = new AbortController();
  const job = jobOf(kept, send);
  const watch = new JobWatch(job, leaving.signal);
  let sink: ResultSink | undefined;
  void stopSignal().then(() => leaving.abort());
  try {
    sink = openSink(kept, options, watch);
    const state = await writeResults(job, sink, leaving.signal);
    watch.stop();
    sayNote(endText(state));
    if (kept.out !== undefined) say(`wrote ${kept.out}`);
    return state.delivered > 0 && state.state !== "failed" ? 0 : 1;
  } catch (error) {
    watch.stop();
    if (codeOf(error) === "EPIPE") return 0;
    say(`the job goes on without this command; follow it with: turnpike jobs resume ${id}`);
    if (!leaving.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    sink?.close();
  }
}

function lockOutput(kept: KeptJob): void {
  const holder = new KeptJobs().lock(kept);
  if (typeof holder !== "number") return;
  const who = holder === 0 ? "another process" : `process ${holder}`;
  throw new Error(`Cannot write the results to "${kept.out ?? ""}": ${who} does so`);
}

function openSink({ out }: KeptJob, { goesOn, json, after = 0 }: FollowOptions, watch: JobWatch): ResultSink {
  if (out !== undefined) return sinkAt(out, goesOn);
  const sink = standardSink({ json, last: after }, say);
  return {
    ...sink,
    async put(result) {
      watch.clear();
      await sink.put(result);
    },
  };
}

async function writeResults(job: Job, sink: ResultSink, signal: AbortSignal): Promise<JobState> {
  const results = job.results({ after: sink.last, signal });
  for (;;) {
    const next = await results.next();
    if (next.done === true) return next.value;
    await sink.put(next.value);
  }
}

/** Shows the progress of a job: a bar on a terminal, else a line from time to time. */
class JobWatch {
  readonly #progress: Progress;
  readonly #ended = new AbortController();
  #state: JobState | undefined;

  constructor(job: Job, signal: AbortSignal) {
    this.#progress = showProgress(() => {
      const columns = (process.stderr.columns ?? 80) - BESIDE_BAR;
      return this.#state === undefined ? "the job begins" : progressText(this.#state, columns);
    });
    void this.#look(job, AbortSignal.any([signal, this.#ended.signal]));
  }

  clear(): void {
    this.#progress.clear();
  }

  stop(): void {
    this.#ended.abort();
    this.#progress.stop();
  }

  async #look(job: Job, signal: AbortSignal): Promise<void> {
    const hasBar = process.stderr.isTTY && process.env["TERM"] !== "dumb";
    let told = "";
    while (!signal.aborted) {
      await sleep(hasBar ? BAR_MS : LINES_MS, undefined, { signal }).catch(() => undefined);
      // The reading of results reports what is wrong.
      const state = await job.state(signal).catch(() => undefined);
      if (state === undefined || signal.aborted) continue;
      this.#state = state;
      const text = countsText(state);
      if (!hasBar && text !== told) sayNote(text);
      told = text;
    }
  }
}
