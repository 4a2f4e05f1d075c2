import { z } from "@hono/zod-openapi";
import { documentsOf, FIRECRAWL } from "./firecrawl/site-jobs.ts";
import { type OpenCrawl, type OpenOptions } from "./jobs/crawl-order.ts";
import { type PageReader } from "./page-reader/page-reader.ts";
import { batchOf } from "./operations/batch.ts";
import { crawlOf } from "./operations/crawl.ts";

/** Opens the stored input of a job. Throws if it is not valid. */
type Opener = (input: unknown, pages: PageReader, options: OpenOptions) => OpenCrawl;

/** The operations that have jobs. */
const OPENERS: Readonly<Record<string, Opener>> = { batch: batchOf, crawl: crawlOf, [FIRECRAWL]: documentsOf };

const stored = z.object({ operation: z.string(), input: z.unknown() });

/** Opens the stored order of a job. Throws if it is not valid. */
export function openJob(order: string, pages: PageReader, options: OpenOptions): OpenCrawl {
  const { operation, input } = stored.parse(JSON.parse(order));
  const open = OPENERS[operation];
  if (open === undefined) throw new Error(`Cannot open the job: its operation is '${operation}'`);
  return open(input, pages, options);
}
