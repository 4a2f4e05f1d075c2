import { count, ours, section } from "./kinds.ts";
import { jobsPostgres } from "./postgres.ts";

/** Seconds of 30 days. */
const MAX_TIME = 2_592_000;

export const contentJobs = section({
  max_run_s: count(86_400, 1, MAX_TIME).describe("Maximum seconds of a job."),
  results_ttl_s: count(86_400, 1, MAX_TIME).describe("Seconds that results stay after the end of a job."),
  host_interval_ms: count(100, 0, 60_000).describe("Milliseconds between two requests of all jobs to a host."),
  max_job_mb: count(1024, 1, 1_048_576).describe("Maximum size in MiB of the compressed results of one job."),
  max_mb: count(16_384, 1, 1_048_576).describe(
    "Size in MiB of the file `jobs.sqlite` in the state folder, without `postgres`. While it is full, jobs wait.",
  ),
  postgres: jobsPostgres,
}).meta(ours("Crawls and other jobs of the content service."));
