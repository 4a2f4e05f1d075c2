import { messageOf } from "../../../lib/caught.ts";
import { inThread } from "../../../lib/process/in-thread.ts";
import { type FileJob, type Judged, type Judgement, type JudgeJob, unjudged } from "./judge.ts";

/** Milliseconds in which a configuration is judged, or written as text. One that takes longer is refused. */
export const MAX_JUDGING_MS = 20_000;

/** Judges a configuration in a thread. A configuration that takes too long, or breaks the thread, gets a problem. Never rejects. */
export async function judgeInThread(job: FileJob): Promise<Judged>;
export async function judgeInThread(job: JudgeJob): Promise<Judgement>;
export async function judgeInThread(job: JudgeJob): Promise<Judgement> {
  const limits = { what: "checks the configuration", maxMs: MAX_JUDGING_MS };
  try {
    return await inThread<Judgement>(new URL("./judge-worker.ts", import.meta.url), job, limits);
  } catch (error) {
    return unjudged(`cannot be checked: ${messageOf(error)}`);
  }
}
