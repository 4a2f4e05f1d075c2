import { type RawResult } from "./result.ts";

export interface ProviderPage {
  readonly results: readonly RawResult[];
  /** The value that the provider needs to return the next page. Undefined if this was the last page. */
  readonly next: unknown;
}

export interface SearchFilters {
  /** A host name without `www.`: results are of this host or its subdomains. */
  readonly site?: string | undefined;
  /** Host names: no result is of these hosts or their subdomains. */
  readonly exclude_site?: readonly string[] | undefined;
  /** The first day on which a result may be published: `2026-01-31`. */
  readonly after?: string | undefined;
  /** The last day. */
  readonly before?: string | undefined;
  /** The language of results, by ISO 639-1: `de`. */
  readonly lang?: string | undefined;
}

/** A restriction that not every provider can apply. */
export type FilterName = keyof SearchFilters;

export interface ProviderRequest {
  /** Plain words: commands of search engines are removed. Not empty. */
  readonly query: string;
  readonly filters: SearchFilters;
  /** Results that are still wanted. A hint. */
  readonly count: number;
  /** `next` of the previous page. Undefined for the first page. */
  readonly next: unknown;
  /** Aborts at the provider's timeout. */
  readonly signal: AbortSignal;
}

/** A source of pages for a query. */
export interface SearchProvider {
  /** As in the configuration and in responses. */
  readonly name: string;
  /** Whether its texts contain tags and entities. */
  readonly markup: boolean;
  /** The base of relative addresses in results. */
  readonly base: string;
  /** Pages of results that one search may request, and the results in all of them. */
  readonly maxPages: number;
  readonly maxResults: number;
  /** The restrictions that it applies. */
  readonly filters: ReadonlySet<FilterName>;
  available(): boolean;
  /** One page of results, which may be empty. Fails with a ProviderError if the provider does not respond. */
  page(request: ProviderRequest): Promise<ProviderPage>;
}

/**
 * Why a provider did not respond, in a few words that may be logged and shown. They contain no key and no address of a
 * private network.
 */
export class ProviderError extends Error {
  readonly reason: "timeout" | "refused" | "limited" | "challenge" | "unreadable" | "unreachable" | "resting";

  constructor(reason: ProviderError["reason"], detail: string) {
    super(detail);
    this.name = "ProviderError";
    this.reason = reason;
  }
}
