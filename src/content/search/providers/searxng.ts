import { ANYWHERE } from "../../egress/guard.ts";
import { ProviderError, type ProviderPage, type ProviderRequest, type SearchProvider } from "../web/provider.ts";
import { ask, field, jsonObject, list, withSites } from "./ask.ts";

/**
 * The operator's SearXNG or searx server, through its JSON interface, which the server's settings must allow. Its
 * address may be private, since the operator has configured it. Redirects to another origin are refused.
 */
export function createSearxng(baseUrl: string): SearchProvider {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`) : undefined;
  return {
    name: "searxng",
    markup: true,
    base: base?.href ?? "https://searxng.invalid/",
    maxPages: 5,
    maxResults: 50,
    filters: new Set(["site", "exclude_site", "lang"]),
    available: () => base !== undefined,
    async page({ query, filters, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const number = typeof next === "number" ? next : 1;
      const url = new URL("search", base);
      url.search = new URLSearchParams({
        q: withSites(query, filters),
        format: "json",
        pageno: String(number),
        ...(filters.lang === undefined ? {} : { language: filters.lang }),
      }).toString();
      const headers = { accept: "application/json" };
      const response = jsonObject(await ask({ url, headers, egress: { policy: ANYWHERE }, signal }));
      const found = list(response, "results");
      if (found === undefined) throw new ProviderError("unreadable", "its response has no results");
      const results = found.map((result) => ({
        title: field(result, "title"),
        url: field(result, "url"),
        snippet: field(result, "content"),
      }));
      // If there are no results and engines did not respond, the search has failed.
      if (results.length === 0 && number === 1 && (list(response, "unresponsive_engines") ?? []).length > 0) {
        throw new ProviderError("unreachable", "its engines do not respond");
      }
      return { results, next: results.length === 0 ? undefined : number + 1 };
    },
  };
}
