import { add, CACHE_RESULTS, COLUMN } from "./layout.ts";
import { at, type Page, type Snapshot } from "./page.ts";

/** Counts what the caches of a worker's routes do. */
export class CacheMetrics {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** A request came to a cache: `miss` and `revalidated` went on to the upstream to be stored, `bypass` went past. */
  responded(how: (typeof CACHE_RESULTS)[number]): void {
    add(this.#row, COLUMN.cacheRequests + CACHE_RESULTS.indexOf(how), 1);
  }

  /** So much more is stored. */
  holds(entries: number, bytes: number): void {
    add(this.#row, COLUMN.cacheEntries, entries);
    add(this.#row, COLUMN.cacheBytes, bytes);
  }
}

/** The caches of all routes together. */
export function writeCaches(page: Page, { totals }: Snapshot): void {
  page.metric("turnpike_cache_requests_total", "counter", "Requests that reached a cache, by result.");
  for (const [index, result] of CACHE_RESULTS.entries())
    page.sample(at(totals, COLUMN.cacheRequests + index), { result });
  page.metric("turnpike_cache_entries", "gauge", "Responses stored in caches.").sample(at(totals, COLUMN.cacheEntries));
  page.metric("turnpike_cache_bytes", "gauge", "Bytes of stored responses.").sample(at(totals, COLUMN.cacheBytes));
}
