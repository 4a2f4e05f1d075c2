import { Slices } from "../../../lib/slices.ts";
import { type LedgerFilter, type LedgerView, type Position, type Total } from "../../../store/ledger-view.ts";
import { type Payment } from "../../../store/ledger.ts";

const HOUR_MS = 3_600_000;
/** The part of the ledger that one query reads: an SQLite file is read on the thread that serves traffic. */
const SEARCH_SPAN_MS = 24 * HOUR_MS;
const TOTAL_SPAN_MS = 6 * HOUR_MS;
/** Milliseconds after which a search or a sum ends with the payments that it has seen, the newest. @operator */
const MAX_READ_MS = 2000;
/** Payers that are summed up at a time; further ones end the sum as the time does. */
const MAX_PAYERS = 50_000;

/** Payments that match, newest first. */
export interface Found {
  readonly payments: readonly Payment[];
  /** The place to continue from; undefined if the search has seen the oldest payment. */
  readonly next: Position | undefined;
  /** The time is over: the payments before `next` were not searched. */
  readonly isCut: boolean;
}

/** The payments before a place that match. `clock` returns monotonic milliseconds. It reads the ledger day by day, so that no query takes long. */
export async function searchPayments(
  view: LedgerView,
  filter: LedgerFilter,
  {
    limit,
    before,
    clock = () => performance.now(),
  }: { readonly limit: number; readonly before: Position | undefined; readonly clock?: () => number },
): Promise<Found> {
  const end = clock() + MAX_READ_MS;
  const payments: Payment[] = [];
  const { since: oldest = 0, until } = filter;
  for (let place = before ?? (until === undefined ? undefined : beforeTime(until)); ; ) {
    const newest = await newestBefore(view, place);
    if (newest === undefined || newest < oldest) return { payments, next: undefined, isCut: false };
    const since = Math.max(oldest, newest - SEARCH_SPAN_MS);
    payments.push(...(await view.list({ ...filter, since }, { limit: limit - payments.length, before: place })));
    if (payments.length >= limit) return { payments, next: payments.at(-1), isCut: false };
    place = beforeTime(since);
    if (clock() > end) return { payments, next: place, isCut: true };
    await new Slices().next();
  }
}

/** The settled payments since `since` (Unix ms) by payer, and the time from which on they are complete. */
export async function payersSince(
  view: LedgerView,
  since: number,
  clock: () => number = () => performance.now(),
): Promise<{ readonly since: number; readonly totals: readonly Total[] }> {
  const end = clock() + MAX_READ_MS;
  const sums = new Map<string, Total>();
  for (let until: number | undefined; ; ) {
    const newest = await newestBefore(view, until === undefined ? undefined : beforeTime(until));
    if (newest === undefined || newest < since) break;
    const from = Math.max(since, newest - TOTAL_SPAN_MS);
    const range = { since: from, ...(until === undefined ? {} : { until }) };
    for (const total of await view.totals("payer", range)) add(sums, total);
    until = from;
    if (from === since) break;
    if (clock() > end || sums.size > MAX_PAYERS) return { since: from, totals: [...sums.values()] };
    await new Slices().next();
  }
  return { since, totals: [...sums.values()] };
}

function add(sums: Map<string, Total>, total: Total): void {
  const key = `${total.key} ${total.network} ${total.token}`;
  const before = sums.get(key);
  const amount = BigInt(total.amount) + BigInt(before?.amount ?? 0);
  sums.set(key, { ...total, payments: total.payments + (before?.payments ?? 0), amount: amount.toString() });
}

async function newestBefore(view: LedgerView, before: Position | undefined): Promise<number | undefined> {
  const [payment] = await view.list({}, { limit: 1, before });
  return payment?.createdAt;
}

/** The place before all payments of a time. */
function beforeTime(createdAt: number): Position {
  return { createdAt, network: "", asset: "", from: "", nonce: "" };
}
