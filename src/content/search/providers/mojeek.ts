import { type ProviderPage, type ProviderRequest, type SearchProvider } from "../web/provider.ts";
import { ask, withSites } from "./ask.ts";
import { type HtmlProviderOptions } from "./duckduckgo.ts";
import { readResultPage, type ResultPageShape } from "./result-page.ts";

const SHAPE: ResultPageShape = {
  results: {
    row: 'ul[class*="results"] > li:has(h2 a[href])',
    columns: { title: "h2 a", url: "h2 a@href", snippet: "p.s" },
  },
  challenge: 'form[action*="captcha"], #captcha, .g-recaptcha, .h-captcha',
  nothing: '.results p:icontains("no pages found"), p.result-msg, p:icontains("no results found")',
  next: { row: '.pagination a:icontains("next")', columns: { name: "", value: "@href" } },
};

/** Reads Mojeek's result pages. Mojeek has an index of its own and needs no key. */
export function createMojeek({ endpoint, egress, extractor, userAgent }: HtmlProviderOptions): SearchProvider {
  const headers = { accept: "text/html", "accept-language": "en-US,en;q=0.8", "user-agent": userAgent };
  return {
    name: "mojeek",
    markup: false,
    base: endpoint,
    maxPages: 5,
    maxResults: 50,
    filters: new Set(["site", "exclude_site", "after", "before"]),
    available: () => true,
    async page({ query, filters, next, signal }: ProviderRequest): Promise<ProviderPage> {
      const url = next instanceof URL ? next : new URL(endpoint);
      url.searchParams.set("q", withSites(query, filters));
      if (filters.after !== undefined) url.searchParams.set("since", compact(filters.after));
      // Mojeek excludes the day itself.
      if (filters.before !== undefined) url.searchParams.set("before", compact(dayAfter(filters.before)));
      const response = await ask({ url, headers, egress, signal });
      const page = await readResultPage(extractor, response, SHAPE);
      const to = page.next[0]?.value ?? "";
      const link = to === "" ? null : URL.parse(to, endpoint);
      return { results: page.results, next: link?.origin === url.origin && link.href !== url.href ? link : undefined };
    },
  };
}

function compact(day: string): string {
  return day.replaceAll("-", "");
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
