import { cleanText, MAX_SNIPPET_LENGTH, MAX_TITLE_LENGTH } from "./clean-text.ts";
import { ProviderError, type SearchProvider } from "./web/provider.ts";
import { type RawResult, type SearchResult } from "./web/result.ts";
import { resultUrl, urlKey } from "./web/result-url.ts";

/** A provider's results. */
export interface ProviderResponse {
  readonly results: readonly SearchResult[];
  /** False if a page after the first one failed. */
  readonly complete: boolean;
}

/**
 * Requests pages from a provider until there are `count` different results, no more pages, or no more time. Fails with
 * a ProviderError if the first page fails.
 */
export async function askProvider(
  provider: SearchProvider,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const byPage = new Map<string, SearchResult>();
  let next: unknown;
  for (let page = 0; page < provider.maxPages; page += 1) {
    let response;
    try {
      response = await provider.page({ query, count: count - byPage.size, next, signal });
    } catch (error) {
      if (page > 0) return { results: [...byPage.values()], complete: false };
      throw error instanceof ProviderError ? error : new ProviderError("unreachable", "it failed");
    }
    const before = byPage.size;
    for (const raw of response.results) take(raw, provider, byPage);
    if (page === 0 && response.results.length > 0 && byPage.size === 0) {
      throw new ProviderError("unreadable", "its results have no addresses");
    }
    next = response.next;
    // After a page with nothing new, the following pages would have nothing new either.
    if (byPage.size >= count || byPage.size === before || next === undefined) break;
  }
  return { results: [...byPage.values()], complete: true };
}

function take({ title, url, snippet }: RawResult, provider: SearchProvider, byPage: Map<string, SearchResult>): void {
  const address = resultUrl(url, provider.base);
  if (address === undefined) return;
  const key = urlKey(address);
  if (byPage.has(key)) return;
  byPage.set(key, {
    // A page without a title is shown with its address.
    title: cleanText(title, MAX_TITLE_LENGTH, provider.markup) || address.slice(0, MAX_TITLE_LENGTH),
    url: address,
    snippet: cleanText(snippet, MAX_SNIPPET_LENGTH, provider.markup),
  });
}
