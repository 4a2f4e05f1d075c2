import { z } from "@hono/zod-openapi";
import { documentsOf, FIRECRAWL } from "./firecrawl/site-jobs.ts";
import { documentPost } from "./firecrawl/webhook.ts";
import { type OpenCrawl, type OpenOptions } from "./jobs/crawl-order.ts";
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
export function openJob(order: string, pages: Pages, options: OpenOptions): OpenCrawl {
  const { open, input } = read(order);
  return open(input, pages, options);
}

/** The request for an event of a job, in the form of its operation. */
export const postOf: PostForm = (notice, unixMs) => read(notice.job.order).post(notice, unixMs);

function read(order: string) {
  const { operation, input } = stored.parse(JSON.parse(order));
  const known = OPERATIONS[operation];
  if (known === undefined) throw new Error(`Cannot open the job: its operation is '${operation}'`);
  return { ...known, input };
}
