import { add, COLUMN, PAYMENT_OUTCOMES, RECORD_RESULTS } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Counts payments by their state, and the records of their settlement. */
export class PaymentMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** A payment has reached this state. */
  became(outcome: (typeof PAYMENT_OUTCOMES)[number]): void {
    add(this.#row, COLUMN.payments + PAYMENT_OUTCOMES.indexOf(outcome), 1);
  }

  /** The number of payments in the whole ledger whose outcome is open. */
  open(count: number): void {
    this.#row[COLUMN.paymentsOpen] = count;
  }

  /** Whether this process can read and write the ledger. */
  ledgerResponds(responds: boolean): void {
    this.#row[COLUMN.ledgerAway] = responds ? 0 : 1;
  }

  /** Counts records by result. `failed` counts tries. */
  ended(result: (typeof RECORD_RESULTS)[number], count: number): void {
    add(this.#row, COLUMN.records + RECORD_RESULTS.indexOf(result), count);
  }

  /** The number of records that wait in the whole outbox. */
  waiting(count: number): void {
    this.#row[COLUMN.recordsWaiting] = count;
  }
}

/** Writes the ledger and its outbox, over all routes. */
export function writePayments(page: Page, { rows, totals }: Snapshot): void {
  page.metric("turnpike_payments_total", "counter", "Payments by the last state that they reached.");
  for (const [index, outcome] of PAYMENT_OUTCOMES.entries()) {
    page.sample(at(totals, COLUMN.payments + index), { outcome });
  }
  page
    .metric("turnpike_payments_open", "gauge", "Payments in the ledger whose settlement is not known.")
    .sample(largest(rows, COLUMN.paymentsOpen));
  page
    .metric(
      "turnpike_ledger_unavailable",
      "gauge",
      "1 while the ledger cannot be read or written, and payments are refused.",
    )
    .sample(largest(rows, COLUMN.ledgerAway));
  page.metric("turnpike_settlement_records_total", "counter", "Tries to post a settlement record, by result.");
  for (const [index, result] of RECORD_RESULTS.entries()) page.sample(at(totals, COLUMN.records + index), { result });
  page
    .metric("turnpike_settlement_records_waiting", "gauge", "Settlement records waiting to be posted.")
    .sample(largest(rows, COLUMN.recordsWaiting));
}

/** All workers share one ledger and report the same number, so the numbers are not added. */
function largest(rows: readonly Float64Array[], column: number): number {
  return Math.max(...rows.map((row) => at(row, column)));
}
