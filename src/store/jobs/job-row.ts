import { type Job, type JobPayment, type JobState } from "./job-store.ts";

/** The columns of a job that `jobOf` reads, in their order. Both databases have them; the counts by kind follow as JSON. */
export const JOB_COLUMNS = `number, id, secret_hash, payer, orders, sale, payment, paid, tx, state, reason, page_limit, max_known,
  ends_at, kept_ms, known, open, delivered, paid_through, results, bytes, created_at, ended_at, saved`;

/** A job from its row: the values of `JOB_COLUMNS`, then a JSON object with the counts by kind or null. */
export function jobOf(row: readonly unknown[]): Job {
  const [
    number,
    id = "",
    secretHash = "",
    payer = "",
    order = "",
    sale = "",
    payment,
    paid = "",
    transaction = "",
    state,
    reason = "",
    ...rest
  ] = row.slice(0, -1).map(String);
  const [
    limit = 0,
    maxKnown = 0,
    endsAt = 0,
    keptMs = 0,
    known = 0,
    open = 0,
    delivered = 0,
    paidThrough = 0,
    results = 0,
    bytes = 0,
    createdAt = 0,
    endedAt = 0,
    saved = 0,
  ] = rest.map(Number);
  return {
    number: Number(number),
    id,
    secretHash,
    payer,
    order,
    sale,
    // These columns have no other values.
    payment: payment as JobPayment,
    paid,
    transaction,
    state: state as JobState,
    reason,
    limit,
    maxKnown,
    maxRunMs: endsAt - createdAt,
    keptMs,
    known,
    open,
    delivered,
    paidThrough,
    results,
    bytes,
    createdAt,
    endedAt,
    saved,
    // The database makes this object from names and numbers.
    kinds: (JSON.parse(String(row.at(-1))) ?? {}) as Readonly<Record<string, number>>,
  };
}
