/** Requests to caches, by their results. */
export interface CacheResults {
  readonly hits: number;
  readonly misses: number;
  readonly stale: number;
  readonly revalidated: number;
  readonly bypassed: number;
}

/** The share of requests to caches that a cache served, with a fresh, stale or revalidated response. */
export function cacheShare(before: CacheResults | undefined, now: CacheResults): number | undefined {
  const since = (name: keyof CacheResults): number => now[name] - (before?.[name] ?? 0);
  const served = since("hits") + since("stale") + since("revalidated");
  const all = served + since("misses") + since("bypassed");
  return all > 0 ? Math.min(Math.max(served / all, 0), 1) : undefined;
}
