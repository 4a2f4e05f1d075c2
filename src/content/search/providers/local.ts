import { type FoundPage } from "../index/page-index.ts";
import { type ProviderPage, type ProviderRequest, type SearchProvider } from "../web/provider.ts";

/** Results of one page: as many as one search may request. */
const PAGE_RESULTS = 50;

/** The index, as the provider uses it. */
export interface LocalIndex {
  hasPages(): boolean;
  search(query: string, count: number, offset: number, signal: AbortSignal): Promise<readonly FoundPage[]>;
}

/** The embedded index of pages that the operator named. It works without a network. */
export function createLocal(index: LocalIndex): SearchProvider {
  return {
    name: "local",
    markup: false,
    base: "http://local.invalid/",
    maxPages: 2,
    available: () => index.hasPages(),
    async page({ query, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const offset = typeof next === "number" ? next : 0;
      const results = await index.search(query, PAGE_RESULTS, offset, signal);
      return { results, next: results.length === PAGE_RESULTS ? offset + PAGE_RESULTS : undefined };
    },
  };
}
