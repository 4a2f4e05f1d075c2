import { type SearchResult } from "./web/result.ts";

/** Responses in the cache, and their characters in all. Beyond them, the least recently used response is removed. */
const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** The outcome of a search, before it is cut to the count of one caller. */
export interface Found {
  readonly results: readonly SearchResult[];
  readonly providers: readonly string[];
  /** Whether all providers that were asked have responded. */
  readonly complete: boolean;
}

interface CachedResponse {
  readonly found: Found;
  readonly count: number;
  readonly size: number;
  readonly until: number;
}

/** Keeps responses to queries for minutes. A full cache removes the least recently used response. */
export class ResponseCache {
  readonly #entries = new Map<string, CachedResponse>();
  readonly #now: () => number;
  #size = 0;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The cached response, if it holds `count` results or all results that exist. Undefined otherwise. */
  get(query: string, count: number): Found | undefined {
    const entry = this.#entries.get(query);
    if (entry === undefined) return undefined;
    if (entry.until <= this.#now()) {
      this.#remove(query);
      return undefined;
    }
    // A search that found fewer results than its count has found all, so it also serves a larger count.
    if (entry.count < count && entry.found.results.length >= entry.count) return undefined;
    this.#entries.delete(query);
    this.#entries.set(query, entry);
    return entry.found;
  }

  set(query: string, count: number, found: Found, ttlMs: number): void {
    this.#remove(query);
    const size = found.results.reduce(
      (sum, { title, url, snippet }) => sum + title.length + url.length + snippet.length,
      query.length,
    );
    if (ttlMs <= 0 || size > MAX_CHARACTERS) return;
    this.#entries.set(query, { found, count, size, until: this.#now() + ttlMs });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#size <= MAX_CHARACTERS) return;
      this.#remove(oldest);
    }
  }

  #remove(query: string): void {
    this.#size -= this.#entries.get(query)?.size ?? 0;
    this.#entries.delete(query);
  }
}
