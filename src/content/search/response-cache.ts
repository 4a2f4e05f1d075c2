import { type SearchResult } from "./result.ts";

/** Answers that are kept, and their characters in all. */
const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** What a search came to, before it is cut to what one caller wants. */
export interface Found {
  readonly results: readonly SearchResult[];
  /** The providers that answered. */
  readonly providers: readonly string[];
  /** Whether all of what was asked answered. */
  readonly complete: boolean;
}

interface Entry {
  readonly found: Found;
  /** Results that were asked for. */
  readonly count: number;
  readonly size: number;
  readonly until: number;
}

/** Answers to queries for minutes; the one that was used longest ago makes way. */
export class ResponseCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  #size = 0;

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** An answer that holds as many results as there are to be had, up to `count`. */
  get(query: string, count: number): Found | undefined {
    const entry = this.#entries.get(query);
    if (entry === undefined) return undefined;
    if (entry.until <= this.#now()) {
      this.#remove(query);
      return undefined;
    }
    // One that was asked for fewer, and had no more, has no more for this one either.
    if (entry.count < count && entry.found.results.length >= entry.count) return undefined;
    this.#entries.delete(query);
    this.#entries.set(query, entry);
    return entry.found;
  }

  /** Keeps an answer for `ttlMs`. */
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
