import { type EgressPolicy } from "../egress/guard.ts";
import { cleanText, MAX_SNIPPET_LENGTH, MAX_TITLE_LENGTH } from "./clean-text.ts";
import { plainQuery } from "./web/plain-query.ts";
import { ProviderError, type SearchFilters, type SearchProvider } from "./web/provider.ts";
import { type RawResult, type SearchResult } from "./web/result.ts";
import { isOfSite, isShown, resultUrl, urlKey } from "./web/result-url.ts";

export interface ProviderSearch {
  readonly query: string;
  readonly filters: SearchFilters;
  /** Results that are wanted. */
  readonly count: number;
  /** The hosts that may appear in results. */
  readonly policy: EgressPolicy;
  readonly signal: AbortSignal;
}

export interface ProviderResponse {
  readonly results: readonly SearchResult[];
  /** False if a page after the first one failed. */
  readonly complete: boolean;
}

/**
 * Requests pages from a provider until there are `count` different results, no more pages, or no more time. Fails with
 * a ProviderError if the first page fails.
 */
export async function askProvider(provider: SearchProvider, search: ProviderSearch): Promise<ProviderResponse> {
  const { filters, count, signal } = search;
  const byPage = new Map<string, SearchResult>();
  const query = plainQuery(search.query);
  if (query === "") return { results: [], complete: true };
  let next: unknown;
  for (let page = 0; page < provider.maxPages; page += 1) {
    let response;
    try {
      response = await provider.page({ query, filters, count: count - byPage.size, next, signal });
    } catch (error) {
      if (page > 0) return { results: [...byPage.values()], complete: false };
      throw error instanceof ProviderError ? error : new ProviderError("unreachable", "it failed");
    }
    const before = byPage.size;
    const taken = response.results.filter((raw) => take(raw, { provider, search, byPage }));
    if (page === 0 && response.results.length > 0 && taken.length === 0) {
      throw new ProviderError("unreadable", "its results have no addresses");
    }
    next = response.next;
    // After a page with nothing new, the following pages would have nothing new either.
    if (byPage.size >= count || byPage.size === before || next === undefined) break;
  }
  return { results: [...byPage.values()], complete: true };
}

interface Taking {
  readonly provider: SearchProvider;
  readonly search: ProviderSearch;
  readonly byPage: Map<string, SearchResult>;
}

/** Adds a result, unless its host must not be shown. False if it has no address. */
function take({ title, url, snippet }: RawResult, { provider, search, byPage }: Taking): boolean {
  const address = resultUrl(url, provider.base);
  if (address === undefined) return false;
  const { hostname } = new URL(address);
  const { site, exclude_site: excluded = [] } = search.filters;
  const isWanted = site === undefined || isOfSite(hostname, site);
  const isExcluded = excluded.some((other) => isOfSite(hostname, other));
  const key = urlKey(address);
  if (!isWanted || isExcluded || !isShown(hostname, search.policy) || byPage.has(key)) return true;
  byPage.set(key, {
    // A page without a title is shown with its address.
    title: cleanText(title, MAX_TITLE_LENGTH, provider.markup) || address.slice(0, MAX_TITLE_LENGTH),
    url: address,
    snippet: cleanText(snippet, MAX_SNIPPET_LENGTH, provider.markup),
  });
  return true;
}
