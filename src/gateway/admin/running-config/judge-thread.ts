import { type Judgement, type JudgeJob, unjudged } from "./judge.ts";

/** Milliseconds in which a configuration is judged. One that takes longer is refused. */
const MAX_JUDGING_MS = 20_000;

/**
 * Judges a configuration in a thread of its own, beside traffic. A configuration that takes too long, or breaks the thread,
 * has a problem. Never rejects.
 */
export async function judgeInThread(job: JudgeJob): Promise<Judgement> {
  const worker = new Worker(new URL("./judge-worker.ts", import.meta.url).href, { env: {} });
  const { promise, resolve } = Promise.withResolvers<Judgement>();
  const late = `expected a configuration that is checked within ${MAX_JUDGING_MS / 1000} s`;
  const timer = setTimeout(() => resolve(unjudged(late)), MAX_JUDGING_MS);
  worker.addEventListener("message", ({ data }: MessageEvent<Judgement>) => resolve(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    resolve(unjudged(`cannot be checked: ${event.message}`));
  });
  worker.addEventListener("close", () => resolve(unjudged("cannot be checked: the thread that checks it ended")));
  worker.postMessage(job);
  const judgement = await promise;
  clearTimeout(timer);
  worker.terminate();
  return judgement;
}
