import { add, COLUMN, SPAN_RESULTS } from "../metrics/layout.ts";
import { at, type Page, type Snapshot } from "../metrics/page.ts";

/** Counts spans by result. */
export interface SpanCounter {
  count(result: (typeof SPAN_RESULTS)[number], spans: number): void;
}

/** Counts spans in the worker's row. */
export class SpanMetrics implements SpanCounter {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  count(result: (typeof SPAN_RESULTS)[number], spans: number): void {
    add(this.#row, COLUMN.spans + SPAN_RESULTS.indexOf(result), spans);
  }
}

/** Writes the spans, summed over all workers. */
export function writeSpans(page: Page, { totals }: Snapshot): void {
  page.metric(
    "turnpike_trace_spans_total",
    "counter",
    "Spans that a collector accepted or rejected, or that were dropped because it was unreachable or slow.",
  );
  for (const [index, result] of SPAN_RESULTS.entries()) page.sample(at(totals, COLUMN.spans + index), { result });
}
