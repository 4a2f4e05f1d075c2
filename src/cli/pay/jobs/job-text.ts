import { type JobState } from "../../../client/operations.ts";
import { findAsset } from "../../../payments/x402/assets.ts";
import { formatAmount } from "../../../payments/x402/price.ts";

/** Columns of a bar: at most, and at least; with less room there is no bar. */
const MAX_BAR = 30;
const MIN_BAR = 5;

/** The counts of a job in words: `41 of 100 pages, 1 failed, 184 addresses wait`. */
export function countsText({ delivered, limit, failed, waiting }: JobState): string {
  const parts = [`${delivered} of ${limit} pages`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (waiting > 0) parts.push(`${waiting} addresses wait`);
  return parts.join(", ");
}

/** A bar and the counts, in at most `columns`: `[####......] 41 of 100 pages`. */
export function progressText(state: JobState, columns: number): string {
  const counts = countsText(state);
  const width = Math.min(MAX_BAR, columns - counts.length - 3);
  if (width < MIN_BAR) return counts.slice(0, Math.max(0, columns));
  const full = state.limit === 0 ? 0 : Math.min(width, Math.round((state.delivered / state.limit) * width));
  return `[${"#".repeat(full)}${".".repeat(width - full)}] ${counts}`;
}

/** The paid part of the price of a job: `$0.205 of at most $0.50`; undefined if its request was paid, or free. */
export function costText(cost: JobState["cost"]): string | undefined {
  if (cost === undefined) return undefined;
  const { paid, quote, asset, network } = cost;
  const decimals = findAsset(network, asset)?.decimals;
  if (decimals === undefined) return `${paid} of at most ${quote} units of ${asset}`;
  return `$${formatAmount(paid, decimals)} of at most $${formatAmount(quote, decimals)}`;
}

/** The end of a job in words: `completed (limit): 41 of 100 pages, 3 failed; not delivered: duplicate 4, noindex 1`. */
export function endText(state: JobState): string {
  const reason = state.reason === undefined ? "" : ` (${state.reason})`;
  const kinds = Object.entries(state.not_delivered)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
  const cost = costText(state.cost);
  const { transaction } = state.cost ?? {};
  const paid =
    cost === undefined ? "" : `; paid ${cost}${transaction === undefined ? "" : ` (transaction ${transaction})`}`;
  return `${state.state}${reason}: ${countsText(state)}${paid}${kinds === "" ? "" : `; not delivered: ${kinds}`}`;
}
