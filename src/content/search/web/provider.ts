import { type RawResult } from "./result.ts";

/** One page of a provider's response. */
export interface ProviderPage {
  readonly results: readonly RawResult[];
  /** The value that the provider needs to return the next page. Undefined if this was the last page. */
  readonly next: unknown;
}

/** A request to a provider. */
export interface ProviderRequest {
  readonly query: string;
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
  /** Pages of results that one search may request. */
  readonly maxPages: number;
  /** Whether the provider can be asked at all. */
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
