import { type EgressOptions } from "../../egress/guard.ts";
import { ProviderError, type ProviderPage, type ProviderRequest, type SearchProvider } from "../web/provider.ts";
import { ask, daysOf, field, fitted, jsonObject, list } from "./ask.ts";

/** Limits of Brave's API: results per page, pages, characters and words of a query. */
const PAGE_RESULTS = 20;
const MAX_PAGES = 10;
const MAX_QUERY_LENGTH = 400;
const MAX_QUERY_WORDS = 50;
/** Languages that have another code in the API than in ISO 639-1. */
const LANGUAGES: Readonly<Record<string, string>> = { ja: "jp", pt: "pt-br", zh: "zh-hans" };

/** The settings of Brave's API: its URL, the operator's key, and the rules for connections to it. */
export interface BraveOptions {
  readonly endpoint: string;
  /**
   * Empty if the operator has not configured a key. It is sent to the endpoint's origin only, and never appears in an
   * error.
   */
  readonly key: string;
  readonly egress: EgressOptions;
}

/** Brave Search's API for web results, which requires a key. */
export function createBrave({ endpoint, key, egress }: BraveOptions): SearchProvider {
  return {
    name: "brave",
    markup: true,
    base: endpoint,
    maxPages: MAX_PAGES,
    maxResults: MAX_PAGES * PAGE_RESULTS,
    filters: new Set(["site", "exclude_site", "after", "before", "lang"]),
    available: () => key !== "",
    async page({ query, filters, count, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const page = typeof next === "number" ? next : 0;
      const { lang, exclude_site: excluded = [] } = filters;
      const days = daysOf(filters);
      const words = query.split(" ", MAX_QUERY_WORDS - excluded.length - 1).join(" ");
      const url = new URL(endpoint);
      url.search = new URLSearchParams({
        q: fitted(words, filters, MAX_QUERY_LENGTH),
        // The offset counts pages, so all pages must have the same length.
        count: String(page === 0 && count < PAGE_RESULTS ? count : PAGE_RESULTS),
        offset: String(page),
        text_decorations: "false",
        ...(lang === undefined ? {} : { search_lang: LANGUAGES[lang] ?? lang }),
        ...(days === undefined ? {} : { freshness: days.join("to") }),
      }).toString();
      const headers = { accept: "application/json", "x-subscription-token": key };
      const response = jsonObject(await ask({ url, headers, egress, signal }));
      const found = list(field(response, "web"), "results");
      // If nothing was found, the response repeats the query and has no `web`.
      if (found === undefined && field(response, "query") === undefined) {
        throw new ProviderError("unreadable", "its response has no results");
      }
      const results = (found ?? []).map((result) => ({
        title: field(result, "title"),
        url: field(result, "url"),
        snippet: field(result, "description"),
      }));
      const more = field(field(response, "query"), "more_results_available") === true && count > PAGE_RESULTS;
      return { results, next: more && page + 1 < MAX_PAGES ? page + 1 : undefined };
    },
  };
}
