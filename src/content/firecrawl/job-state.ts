import { type Job } from "../../store/jobs/job-store.ts";

/** The place of the document in a result. No text in JSON contains this. */
const DOCUMENT = ',"document":';

/** The state of a job in Firecrawl's words. A job that has ended is not over until all of its results are paid. */
export function stateOf(job: Job, isOver: boolean) {
  const { delivered, saved, results, open, limit, createdAt, endedAt, keptMs, maxRunMs } = job;
  const total = job.state === "running" ? Math.min(limit + results - delivered, results + open) : results;
  return {
    success: true,
    status: isOver ? job.state : "scraping",
    total,
    completed: delivered,
    creditsUsed: Math.ceil(delivered - saved / 100),
    expiresAt: new Date((endedAt === 0 ? createdAt + maxRunMs : endedAt) + keptMs).toISOString(),
    ...(job.state === "failed" ? { error: `The job has ended: ${job.reason}` } : {}),
  };
}

/** The document of a result, as JSON. Undefined for a page that was not delivered. */
export function documentIn(json: string): string | undefined {
  const at = json.indexOf(DOCUMENT);
  return at === -1 ? undefined : json.slice(at + DOCUMENT.length, -1).replace(/,"noindex":true$/, "");
}
