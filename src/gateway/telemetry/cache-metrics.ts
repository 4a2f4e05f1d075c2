import { add, CACHE_RESULTS, COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

/** Counts the results of the caches of a worker's routes. */
export class CacheMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /**
   * A request has reached a cache. For `miss` and `revalidated` the request went to the upstream so that its response
   * is stored. For `bypass` the cache was not used.
   */
  responded(how: (typeof CACHE_RESULTS)[number]): void {
    add(this.#row, COLUMN.cacheRequests + CACHE_RESULTS.indexOf(how), 1);
  }

  /** Adds to the number and the bytes of stored responses. Negative numbers subtract. */
  holds(entries: number, bytes: number): void {
    add(this.#row, COLUMN.cacheEntries, entries);
    add(this.#row, COLUMN.cacheBytes, bytes);
  }
}

/** Writes the caches, summed over all routes. */
export function writeCaches(page: Page, { totals }: Snapshot): void {
  page.metric("turnpike_cache_requests_total", "counter", "Requests that reached a cache, by result.");
  for (const [index, result] of CACHE_RESULTS.entries())
    page.sample(at(totals, COLUMN.cacheRequests + index), { result });
  page.metric("turnpike_cache_entries", "gauge", "Responses stored in caches.").sample(at(totals, COLUMN.cacheEntries));
  page.metric("turnpike_cache_bytes", "gauge", "Bytes of stored responses.").sample(at(totals, COLUMN.cacheBytes));
}
