import { type Log } from "./browser/program/browser-opener.ts";
import { HostPaces } from "./jobs/host-paces.ts";
import { type JobSettings } from "./jobs/job-settings.ts";
import { JobRunner } from "./jobs/job-runner.ts";
import { Jobs } from "./jobs/jobs.ts";
import { WebhookSender } from "./jobs/webhook-sender.ts";
import { openJob, postOf } from "./open-job.ts";
import { type JobStore } from "../store/jobs/job-store.ts";
import { type Pages } from "./page-reader/page-reader.ts";
import { type PageVersions } from "./changes/page-versions.ts";
import { type RememberingReader } from "./search/remembering-reader.ts";
import { type RobotsFiles } from "./sites/robots-files.ts";
import { type SiteFetch } from "./sites/robots-file.ts";

interface JobParts {
  readonly pages: RememberingReader;
  readonly asking: Pages;
  readonly versions: PageVersions | undefined;
  readonly hitPrice: number;
  readonly store: JobStore;
  readonly settings: JobSettings;
  readonly robots: RobotsFiles;
  readonly fetch: Omit<SiteFetch, "signal">;
  readonly log: Log;
  /** Milliseconds of a clock that no one sets. */
  readonly now: () => number;
  readonly unixNow: () => number;
  readonly randomBytes: (bytes: number) => Uint8Array<ArrayBuffer>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly parts: AsyncDisposableStack;
}

/** Starts the work of jobs, and their webhooks. `parts` closes both. */
export function startJobs({
  pages,
  asking,
  versions,
  hitPrice,
  store,
  settings,
  robots,
  fetch,
  log,
  now,
  unixNow,
  randomBytes,
  random,
  parts,
}: JobParts): Jobs {
  const runner = new JobRunner({
    store,
    paces: new HostPaces(settings.hostIntervalMs, now),
    robots,
    fetch,
    hitPrice,
    open: ({ order, payer, createdAt }) =>
      openJob(order, pages, { userAgent: fetch.userAgent, asking, now, versions, payer, createdAt }),
    now,
    unixNow,
    maxJobBytes: settings.maxJobBytes,
    log,
  });
  parts.defer(() => store.close());
  parts.defer(() => runner.close());
  runner.start();
  const jobs = new Jobs({
    store,
    runner,
    settings,
    unixNow,
    random: randomBytes,
  });
  const sender = new WebhookSender({ store, jobs, egress: fetch.egress, postOf, unixNow, now, random, log });
  parts.defer(() => sender.close());
  sender.start();
  return jobs;
}
