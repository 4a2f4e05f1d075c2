import { type RawResult } from "./result.ts";

/** One page of a provider's answer. */
export interface ProviderPage {
  readonly results: readonly RawResult[];
  /** What the provider wants to see to give the next page; undefined where this was the last one. */
  readonly next: unknown;
}

/** What is asked of a provider. */
export interface ProviderRequest {
  readonly query: string;
  /** Results still wanted; a hint. */
  readonly count: number;
  /** `next` of the page before; undefined for the first one. */
  readonly next: unknown;
  /** Aborted at the end of the provider's time. */
  readonly signal: AbortSignal;
}

/** What finds pages for a query. */
export interface SearchProvider {
  /** As in the configuration and in answers. */
  readonly name: string;
  /** Whether texts have tags and entities in them. */
  readonly markup: boolean;
  /** What relative addresses of results are relative to. */
  readonly base: string;
  /** Pages of results that one search may ask for. */
  readonly maxPages: number;
  /** Whether there is anything to ask. */
  available(): boolean;
  /** One page of results; none is an answer. Fails with a ProviderError where the provider gives no answer. */
  page(request: ProviderRequest): Promise<ProviderPage>;
}

/** Why a provider gave no answer, in a few words that may be logged and shown: no key, no address of a private network. */
export class ProviderError extends Error {
  readonly reason: "timeout" | "refused" | "limited" | "challenge" | "unreadable" | "unreachable" | "resting";

  constructor(reason: ProviderError["reason"], detail: string) {
    super(detail);
    this.name = "ProviderError";
    this.reason = reason;
  }
}
