import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { JOB_DEFAULTS } from "../jobs/job-settings.ts";
import { Jobs } from "../jobs/jobs.ts";

/** Jobs in memory that no service works on. */
export function idleJobs(): Jobs {
  return new Jobs({
    store: openSqliteJobs(":memory:"),
    runner: { wake: () => undefined, isFull: false },
    settings: JOB_DEFAULTS,
    unixNow: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  });
}
