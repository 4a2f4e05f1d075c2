import { type PageIndex } from "../index/page-index.ts";
import { type ProviderPage, type ProviderRequest, type SearchProvider } from "../provider.ts";

/** Results of one page, as many as a search may ask for. */
const PAGE_RESULTS = 50;

/** The embedded index of pages that the operator named; works without a network. */
export function createLocal(index: () => PageIndex | undefined): SearchProvider {
  return {
    name: "local",
    markup: false,
    base: "http://local.invalid/",
    maxPages: 2,
    available: () => index()?.hasPages() === true,
    page({ query, next }: ProviderRequest): Promise<ProviderPage> {
      const offset = typeof next === "number" ? next : 0;
      const results = index()?.search(query, PAGE_RESULTS, offset) ?? [];
      const more = results.length === PAGE_RESULTS ? offset + PAGE_RESULTS : undefined;
      return Promise.resolve({ results, next: more });
    },
  };
}
