import { type EgressOptions } from "../../egress/guard.ts";
import { type Extractor } from "../../extractor/extractor.ts";
import { type ProviderPage, type ProviderRequest, type SearchFilters, type SearchProvider } from "../web/provider.ts";
import { ask, daysOf, fitted } from "./ask.ts";
import { readResultPage, type ResultPageShape } from "./result-page.ts";

/** Maximum number of characters of a query. A longer query is cut, since DuckDuckGo would refuse it. */
const MAX_QUERY_LENGTH = 499;
/** Fields of the form that leads to the next page. */
const MAX_FORM_FIELDS = 20;

const SHAPE: ResultPageShape = {
  results: {
    row: ".result.web-result:not(.result--ad):not(.result--no-result)",
    columns: { title: "a.result__a", url: "a.result__a@href", snippet: ".result__snippet" },
  },
  challenge: "#challenge-form, .anomaly-modal__title",
  nothing: ".no-results, .result--no-result",
  // The form with these words leads to the next page. The other form leads to the previous page.
  next: {
    row: '.nav-link form:has(input[value="Next"]) input[type="hidden"]',
    columns: { name: "@name", value: "@value" },
  },
};

/** The settings of a search provider whose pages are HTML, and the extractor that reads them. */
export interface HtmlProviderOptions {
  readonly endpoint: string;
  readonly egress: EgressOptions;
  readonly extractor: Extractor;
  readonly userAgent: string;
}

/** Reads DuckDuckGo's pages for browsers without scripts. DuckDuckGo needs no key. */
export function createDuckDuckGo({ endpoint, egress, extractor, userAgent }: HtmlProviderOptions): SearchProvider {
  const headers = {
    accept: "text/html",
    "accept-language": "en-US,en;q=0.8",
    referer: endpoint,
    "user-agent": userAgent,
  };
  return {
    name: "duckduckgo",
    markup: false,
    base: endpoint,
    maxPages: 4,
    maxResults: 40,
    filters: new Set(["site", "exclude_site", "after", "before"]),
    available: () => true,
    async page({ query, filters, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const form = next instanceof URLSearchParams ? next : firstForm(query, filters);
      const response = await ask({ url: new URL(endpoint), headers, form, egress, signal });
      const page = await readResultPage(extractor, response, SHAPE);
      const fields = page.next.slice(0, MAX_FORM_FIELDS).map(({ name, value }): [string, string] => [name, value]);
      return { results: page.results, next: fields.length === 0 ? undefined : new URLSearchParams(fields) };
    },
  };
}

function firstForm(query: string, filters: SearchFilters): URLSearchParams {
  const days = daysOf(filters);
  const range = days === undefined ? {} : { df: days.join("..") };
  return new URLSearchParams({ q: fitted(query, filters, MAX_QUERY_LENGTH), b: "", kl: "wt-wt", ...range });
}
