import { messageOf } from "../../lib/caught.ts";
import { type JobStore } from "../../store/jobs/job-store.ts";
import { type JobsPostgresConfig, openConfiguredJobs } from "../../store/open/configured-store.ts";
import { StartError } from "../common/start-error.ts";
import { type ContentOptions } from "../../content/content-options.ts";
import { contentJobs } from "../../gateway/config/schema/content-jobs.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.jobs`, as JSON, into options of the content service. Throws StartError. */
export function parseJobsOptions(json: string): Pick<ContentOptions, "jobs" | "jobStore"> {
  const jobs = parseJsonOption("--jobs", json, contentJobs);
  return {
    jobs: {
      maxRunMs: jobs.max_run_s * 1000,
      keptMs: jobs.results_ttl_s * 1000,
      hostIntervalMs: jobs.host_interval_ms,
      maxJobBytes: jobs.max_job_mb * 1024 * 1024,
      maxBytes: jobs.max_mb * 1024 * 1024,
    },
    jobStore: storeOf(jobs.postgres),
  };
}

function storeOf(postgres: JobsPostgresConfig): JobStore | undefined {
  try {
    return openConfiguredJobs(postgres);
  } catch (error) {
    throw new StartError(messageOf(error));
  }
}
