import { type FoundPage, type IndexQuery } from "../index/page-index.ts";
import { type ProviderPage, type ProviderRequest, type SearchProvider } from "../web/provider.ts";

/** Results of one page, and pages. */
const PAGE_RESULTS = 50;
const MAX_PAGES = 4;

/** The index, as the provider uses it. */
export interface LocalIndex {
  hasPages(): boolean;
  search(query: IndexQuery, signal: AbortSignal): Promise<readonly FoundPage[]>;
}

/** The embedded index of pages that the operator named. It works without a network. */
export function createLocal(index: LocalIndex): SearchProvider {
  return {
    name: "local",
    markup: false,
    base: "http://local.invalid/",
    maxPages: MAX_PAGES,
    maxResults: MAX_PAGES * PAGE_RESULTS,
    filters: new Set(["site", "exclude_site", "after", "before", "lang"]),
    available: () => index.hasPages(),
    async page({ query, filters, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const offset = typeof next === "number" ? next : 0;
      const results = await index.search({ query, filters, count: PAGE_RESULTS, offset }, signal);
      return { results, next: results.length === PAGE_RESULTS ? offset + PAGE_RESULTS : undefined };
    },
  };
}
