import { type Job } from "../../store/jobs/job-store.ts";
import { isEnd, type JobEvent } from "../jobs/job-events.ts";
import { type Jobs } from "../jobs/jobs.ts";
import { type TextFeed } from "../operations/operation.ts";
import { documentIn, stateOf } from "./job-state.ts";

/** The messages of a WebSocket about a job: its state, its documents, and its end. `protocol` is the client's key, which it expects back. */
export function documentSocket(job: Job, jobs: Jobs, protocol: string | undefined): TextFeed {
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
