import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { JOB_DEFAULTS } from "../jobs/job-settings.ts";
import { Jobs } from "../jobs/jobs.ts";
import { Sessions } from "../sessions/sessions.ts";

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

/** Jobs in memory that no service works on, and sessions beside them. */
export function idleJobs(): { readonly jobs: Jobs; readonly sessions: Sessions; readonly live: undefined } {
  const store = openSqliteJobs(":memory:");
  const runner = { wake: () => undefined, isFull: false };
  return {
    jobs: new Jobs({ store, runner, settings: JOB_DEFAULTS, unixNow: Date.now, random }),
    sessions: new Sessions({ store, random, now: () => performance.now() }),
    live: undefined,
  };
}
