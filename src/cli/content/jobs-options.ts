import { type ContentOptions } from "../../content/service.ts";
import { contentJobs } from "../../gateway/config/schema/content-jobs.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.jobs`, as JSON, into an option of the content service. Throws StartError. */
export function parseJobsOptions(json: string): NonNullable<ContentOptions["jobs"]> {
  const jobs = parseJsonOption("--jobs", json, contentJobs);
  return {
    maxRunMs: jobs.max_run_s * 1000,
    keptMs: jobs.results_ttl_s * 1000,
    hostIntervalMs: jobs.host_interval_ms,
    maxJobBytes: jobs.max_job_mb * 1024 * 1024,
    maxBytes: jobs.max_mb * 1024 * 1024,
  };
}
