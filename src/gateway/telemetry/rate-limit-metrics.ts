import { add, COLUMN, RATE_LIMIT_RESULTS, RATE_LIMIT_STORE_RESULTS } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Counts the decisions of rate limits. */
export class RateLimitMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  decided(allowed: boolean): void {
    add(this.#row, COLUMN.rateLimits + (allowed ? 0 : 1), 1);
  }

  /** All slots of the key's set had buckets that are not full, so the route's shared bucket decided. */
  shared(): void {
    add(this.#row, COLUMN.rateLimitsShared, 1);
  }

  /** The result of a request to the store, or `skipped` if the store is unavailable. */
  store(result: (typeof RATE_LIMIT_STORE_RESULTS)[number]): void {
    add(this.#row, COLUMN.rateLimitStore + RATE_LIMIT_STORE_RESULTS.indexOf(result), 1);
  }

  storeIsAway(away: boolean): void {
    this.#row[COLUMN.rateLimitStoresAway] = away ? 1 : 0;
  }
}

/** Writes the rate limits, summed over all routes. */
export function writeRateLimits(page: Page, { totals }: Snapshot): void {
  page.metric("turnpike_rate_limit_requests_total", "counter", "Requests on routes with a rate limit, by result.");
  for (const [index, result] of RATE_LIMIT_RESULTS.entries())
    page.sample(at(totals, COLUMN.rateLimits + index), { result });
  page
    .metric(
      "turnpike_rate_limit_shared_total",
      "counter",
      "Requests counted in a shared bucket of their route because the table was full.",
    )
    .sample(at(totals, COLUMN.rateLimitsShared));
  page.metric(
    "turnpike_rate_limit_store_requests_total",
    "counter",
    "Requests limited by rate_limit_store: decided by it, failed or late, or skipped while it is unavailable. This server alone limited all but the first kind.",
  );
  for (const [index, result] of RATE_LIMIT_STORE_RESULTS.entries())
    page.sample(at(totals, COLUMN.rateLimitStore + index), { result });
  page
    .metric(
      "turnpike_rate_limit_store_away",
      "gauge",
      "Workers that limit without rate_limit_store because it is unavailable.",
    )
    .sample(at(totals, COLUMN.rateLimitStoresAway));
}
