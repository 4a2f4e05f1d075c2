import { type SearchResult } from "./web/result.ts";
import { urlKey } from "./web/result-url.ts";

/**
 * The constant of reciprocal rank fusion: it sets how much more the first rank counts than the second. Cormack, Clarke
 * and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009.
 */
const RRF_K = 60;

interface Fused {
  readonly result: SearchResult;
  score: number;
}

/**
 * Merges ranked lists by reciprocal rank fusion. Addresses of the same page become one result, with the text of the
 * list that ranks it first. Equal scores keep the order of the lists.
 */
export function fuse(lists: readonly (readonly SearchResult[])[]): SearchResult[] {
  const byPage = new Map<string, Fused>();
  const depth = Math.max(...lists.map((list) => list.length));
  const seen = lists.map(() => new Set<string>());
  const ranks = lists.map(() => 0);
  for (let at = 0; at < depth; at += 1) {
    for (const [index, list] of lists.entries()) {
      const result = list[at];
      if (result === undefined) continue;
      const key = urlKey(result.url);
      // A list counts once for a page.
      if (seen[index]?.has(key) === true) continue;
      seen[index]?.add(key);
      const rank = (ranks[index] ?? 0) + 1;
      ranks[index] = rank;
      const known = byPage.get(key);
      const score = 1 / (RRF_K + rank);
      if (known === undefined) byPage.set(key, { result, score });
      else byPage.set(key, { result: fuller(known.result, result), score: known.score + score });
    }
  }
  return [...byPage.values()].toSorted((a, b) => b.score - a.score).map(({ result }) => result);
}

/** The text of the first result, with the other's snippet if the first has no snippet. */
function fuller(first: SearchResult, other: SearchResult): SearchResult {
  return first.snippet === "" ? { ...first, snippet: other.snippet } : first;
}
