import { type OpenOptions } from "./jobs/crawl-order.ts";
import { HostPaces } from "./jobs/host-paces.ts";
import { type JobSettings } from "./jobs/job-settings.ts";
import { JobRunner, type RunnerOptions } from "./jobs/job-runner.ts";
import { Jobs } from "./jobs/jobs.ts";
import { type SenderOptions, WebhookSender } from "./jobs/webhook-sender.ts";
import { openJob, postOf } from "./open-job.ts";
import { type RememberingReader } from "./search/remembering-reader.ts";

interface JobParts
  extends Omit<RunnerOptions, "paces" | "open" | "maxJobBytes">,
    Pick<SenderOptions, "random">,
    Pick<OpenOptions, "asking" | "versions"> {
  readonly pages: RememberingReader;
  readonly settings: JobSettings;
  readonly randomBytes: (bytes: number) => Uint8Array<ArrayBuffer>;
  readonly parts: AsyncDisposableStack;
}

/** Starts the work of jobs, and their webhooks. `parts` closes both. */
export function startJobs(given: JobParts): Jobs {
  const { pages, asking, versions, store, settings, fetch, now, unixNow, parts } = given;
  const runner = new JobRunner({
    ...given,
    paces: new HostPaces(settings.hostIntervalMs, now),
    open: ({ order, payer, createdAt }) =>
      openJob(order, pages, { userAgent: fetch.userAgent, asking, now, versions, payer, createdAt }),
    maxJobBytes: settings.maxJobBytes,
  });
  parts.defer(() => store.close());
  parts.defer(() => runner.close());
  runner.start();
  const jobs = new Jobs({ store, runner, settings, unixNow, random: given.randomBytes });
  const sender = new WebhookSender({ ...given, jobs, egress: fetch.egress, postOf });
  parts.defer(() => sender.close());
  sender.start();
  return jobs;
}
