import { type OpenOptions, type OpenCrawl } from "./jobs/crawl-order.ts";
import { HostPaces } from "./jobs/host-paces.ts";
import { type JobSettings } from "./jobs/job-settings.ts";
import { JobRunner, type RunnerOptions } from "./jobs/job-runner.ts";
import { Jobs } from "./jobs/jobs.ts";
import { type SenderOptions, WebhookSender } from "./jobs/webhook-sender.ts";
import { type RememberingReader } from "./search/remembering-reader.ts";
import { z } from "@hono/zod-openapi";
import { documentsOf, FIRECRAWL } from "./firecrawl/site-jobs.ts";
import { documentPost } from "./firecrawl/webhook.ts";
import { type PostForm, signedPost } from "./jobs/webhook.ts";
import { type Pages } from "./page-reader/page-reader.ts";
import { batchOf } from "./operations/batch.ts";
import { crawlOf } from "./operations/crawl.ts";

/** Opens the stored input of a job. Throws if it is not valid. */
type Opener = (input: unknown, pages: Pages, options: OpenOptions) => OpenCrawl;

/** The operations that have jobs, and the form of their webhooks. */
const OPERATIONS: Readonly<Record<string, { readonly open: Opener; readonly post: PostForm }>> = {
  batch: { open: batchOf, post: signedPost },
  crawl: { open: crawlOf, post: signedPost },
  [FIRECRAWL]: { open: documentsOf, post: documentPost },
};

const stored = z.object({ operation: z.string(), input: z.unknown() });

/** Opens the stored order of a job. Throws if it is not valid. */
function openJob(order: string, pages: Pages, options: OpenOptions): OpenCrawl {
  const { open, input } = read(order);
  return open(input, pages, options);
}

/** The request for an event of a job, in the form of its operation. */
const postOf: PostForm = (notice, unixMs) => read(notice.job.order).post(notice, unixMs);

function read(order: string) {
  const { operation, input } = stored.parse(JSON.parse(order));
  const known = OPERATIONS[operation];
  if (known === undefined) throw new Error(`Cannot open the job: its operation is '${operation}'`);
  return { ...known, input };
}

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
