import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { amountOf, saleOf } from "./sale.ts";
import { SITEMAPS_KIND } from "./scope.ts";

/** The state of a job as clients see it. `isFull`: no result can be stored now. */
export function stateOf(job: Job, isFull: boolean) {
  const isOver = job.state !== "running";
  const { [SITEMAPS_KIND]: _, ...addresses } = job.kinds;
  return {
    id: job.id,
    state: job.state,
    ...(job.reason === "" ? {} : { reason: job.reason }),
    limit: job.limit,
    delivered: job.delivered,
    failed: job.results - job.delivered,
    known: job.known,
    waiting: isOver ? 0 : job.open,
    bytes: job.bytes,
    ...(isFull && !isOver ? { waits_for: "storage" as const } : {}),
    not_delivered: addresses,
    ...costOf(job),
    created_at: new Date(job.createdAt).toISOString(),
    ...(isOver
      ? {
          ended_at: new Date(job.endedAt).toISOString(),
          expires_at: new Date(job.endedAt + job.keptMs).toISOString(),
        }
      : {}),
  };
}

const stored = z.object({ operation: z.string(), input: z.object({ urls: z.array(z.string()) }) });

/** The state of a job as its operator sees it. */
export function operatorState(job: Job, isFull: boolean) {
  const { data } = stored.safeParse(parsedJson(job.order));
  const { urls = [] } = data?.input ?? {};
  const order = { operation: data?.operation ?? "", start: urls[0] ?? "", starts: urls.length };
  return { ...stateOf(job, isFull), ...order, payer: job.payer };
}

function costOf(job: Job) {
  const sale = saleOf(job);
  if (sale === undefined) return {};
  const { quote, asset, network } = sale;
  const due = amountOf(quote, job.limit, job.delivered);
  const [paid, paid_pages] = [job.paid, Math.min(job.paidThrough, job.delivered)];
  return { cost: { due, paid, quote, asset, network, paid_pages, open: job.payment !== "closed" } };
}
