import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { type HookState } from "../../store/jobs/hook-store.ts";
import { amountOf, isPaid, saleOf } from "./sale.ts";
import { SITEMAPS_KIND } from "./scope.ts";

/** Facts about a job that its row does not have. */
export interface JobFacts {
  /** No result can be stored now. */
  readonly isFull?: boolean;
  /** The progress of its webhook, if it has one. */
  readonly hook?: HookState | undefined;
}

/** The state of a job as clients see it. */
export function stateOf(job: Job, { isFull = false, hook }: JobFacts = {}) {
  const isOver = job.state !== "running";
  const { [SITEMAPS_KIND]: _, ...addresses } = job.kinds;
  return {
    id: job.id,
    state: job.state,
    ...(job.reason === "" ? {} : { reason: reasonOf(job) }),
    limit: job.limit,
    delivered: job.delivered,
    failed: job.results - job.delivered,
    known: job.known,
    waiting: isOver ? 0 : job.open,
    bytes: job.bytes,
    ...(isFull && !isOver ? { waits_for: "storage" as const } : {}),
    not_delivered: addresses,
    ...costOf(job),
    ...(hook === undefined ? {} : { webhook: progressOf(hook) }),
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
  return { ...stateOf(job, { isFull }), ...order, payer: job.payer };
}

function reasonOf(job: Job): string {
  return job.reason === "limit" && saleOf(job)?.capped === true ? "max-price" : job.reason;
}

function progressOf({ sent, tries, failure, failingSince, isOver }: HookState) {
  const isFailing = tries > 0;
  const state = isOver
    ? isFailing
      ? ("given-up" as const)
      : ("done" as const)
    : isFailing
      ? ("failing" as const)
      : ("sending" as const);
  const since = new Date(failingSince).toISOString();
  return { state, sent, ...(isFailing ? { failure, failing_since: since } : {}) };
}

function costOf(job: Job) {
  const sale = saleOf(job);
  if (sale === undefined) return {};
  const { quote, asset, network } = sale;
  const { limit, delivered, paid, saved } = job;
  const due = amountOf(quote, limit, delivered, saved);
  const paid_pages = isPaid(job, { pages: delivered, saved }) ? delivered : Math.min(job.paidThrough, delivered);
  const less = saved === 0 ? {} : { saved: String(BigInt(amountOf(quote, limit, delivered)) - BigInt(due)) };
  const transaction = job.transaction === "" ? {} : { transaction: job.transaction };
  const cost = {
    due,
    paid,
    quote,
    asset,
    network,
    paid_pages,
    open: job.payment !== "closed",
    ...less,
    ...transaction,
  };
  return { cost };
}
