import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { ResponseCache, type Found } from "./response-cache.ts";
import { askProvider, type ProviderResponse } from "./ask-provider.ts";
import { type AttemptOutcome, Breaker, type BreakerState } from "./breaker.ts";
import { fuse } from "./fuse.ts";
import { ProviderError, type SearchProvider } from "./web/provider.ts";
import { type SearchResult } from "./web/result.ts";

/** Searches that run at the same time. @operator Equal searches of several callers count once. */
const MAX_SEARCHES = 128;
/**
 * Milliseconds in which a working provider responds. A timeout after less time does not count as the provider's
 * failure.
 */
const FAIR_MS = 2_000;
/** Milliseconds that a response is cached at most if the search found nothing, and if a provider failed. */
const EMPTY_TTL_MS = 60_000;
const INCOMPLETE_TTL_MS = 30_000;

/** The settings of `Search`, and the services that it needs. */
export interface SearchDeps {
  /** In the order in which they are tried. */
  readonly providers: readonly SearchProvider[];
  /** Providers that are asked at the same time. */
  readonly parallel: number;
  /** Milliseconds for one provider, all its pages included. */
  readonly providerTimeoutMs: number;
  /** Milliseconds that a response is cached. */
  readonly cacheMs: number;
  readonly log: (message: string) => void;
  /** In milliseconds. */
  readonly now: () => number;
}

/** A query, and the limits of its search. `timeoutMs` is for all providers together. */
export interface SearchQuery {
  readonly query: string;
  /** Results that the caller wants. */
  readonly count: number;
  readonly timeoutMs: number;
}

/** The result of a search. */
export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Further results, beyond `count`. */
  readonly more: readonly SearchResult[];
  /** The providers that responded. */
  readonly providers: readonly string[];
  readonly cached: boolean;
}

/** A provider in the chain. */
interface Link {
  readonly provider: SearchProvider;
  readonly breaker: Breaker;
}

/** The outcome of asking a provider. */
type Outcome =
  | { readonly name: string; readonly results: readonly SearchResult[] }
  | { readonly name: string; readonly error: ProviderError };

/** A provider that is asked in a wave. */
interface Turn {
  readonly link: Link;
  readonly done: (outcome: AttemptOutcome) => void;
}

/**
 * Searches with a chain of providers. Some are asked at the same time. The next ones follow if those fail or find too
 * little.
 */
export class Search {
  readonly #deps: SearchDeps;
  readonly #chain: readonly Link[];
  readonly #cache: ResponseCache;
  readonly #running = new Map<string, Promise<Found>>();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#chain = deps.providers.map((provider) => ({ provider, breaker: new Breaker(deps.now) }));
    this.#cache = new ResponseCache(deps.now);
  }

  /** Throws `search-failed`, `search-timeout`, `search-unavailable` or `overloaded`. */
  async search({ query, count, timeoutMs }: SearchQuery): Promise<SearchResponse> {
    const key = query.normalize("NFC").replace(/\s+/g, " ").trim();
    const known = this.#cache.get(key, count);
    const found = known ?? (await this.#once(key, count, timeoutMs));
    const { results, providers } = found;
    return { results: results.slice(0, count), more: results.slice(count), providers, cached: known !== undefined };
  }

  /** Why no search can succeed now. Undefined while a provider works or can be tried again. */
  failure(): string | undefined {
    const active = this.#chain.filter(({ provider }) => provider.available());
    // An operator who configures no provider has switched search off, which is not a failure.
    if (active.length === 0) return this.#chain.length === 0 ? undefined : "Cannot search: no provider is configured";
    // A provider that may be tried again may work. If the service were reported as down, no request would come to try
    // it.
    if (active.some(({ breaker }) => breaker.state !== "open")) return undefined;
    return `Cannot search: no provider works (${active.map(({ provider }) => provider.name).join(", ")})`;
  }

  /** Each available provider, and the state of its breaker. */
  states(): readonly { readonly name: string; readonly state: BreakerState }[] {
    const active = this.#chain.filter(({ provider }) => provider.available());
    return active.map(({ provider, breaker }) => ({ name: provider.name, state: breaker.state }));
  }

  /** Joins an equal search that is already running. It ends for all callers at its own timeout. */
  #once(query: string, count: number, timeoutMs: number): Promise<Found> {
    const key = `${count} ${timeoutMs} ${query}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    if (this.#running.size >= MAX_SEARCHES) {
      return Promise.reject(new TurnpikeError("overloaded", "Cannot search: too many searches are under way"));
    }
    const started = this.#run(query, count, timeoutMs).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #run(query: string, count: number, timeoutMs: number): Promise<Found> {
    const waiting = this.#chain.filter(({ provider }) => provider.available());
    const outcomes: Outcome[] = [];
    const endsAt = this.#deps.now() + timeoutMs;
    let results: readonly SearchResult[] = [];
    while (waiting.length > 0 && results.length < count) {
      const left = endsAt - this.#deps.now();
      if (left <= 0) break;
      const wave = this.#nextWave(waiting, outcomes);
      // Half of the time is kept for the next providers.
      const ms = Math.min(this.#deps.providerTimeoutMs, waiting.length === 0 ? left : left / 2);
      outcomes.push(...(await Promise.all(wave.map((turn) => this.#ask(turn, { query, count, ms })))));
      results = fuse(outcomes.flatMap((outcome) => ("results" in outcome ? [outcome.results] : [])));
    }
    const failures = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome] : []));
    const providers = outcomes.flatMap((outcome) => ("results" in outcome ? [outcome.name] : []));
    const complete = failures.length === 0;
    // An empty result is not conclusive while another provider, which may know more, has failed.
    if (providers.length === 0 || (results.length === 0 && !complete)) throw searchError(failures);
    const found: Found = { results, providers, complete };
    const { cacheMs } = this.#deps;
    const limit = complete ? (results.length === 0 ? EMPTY_TTL_MS : cacheMs) : INCOMPLETE_TTL_MS;
    this.#cache.set(query, count, found, Math.min(cacheMs, limit));
    return found;
  }

  /** Takes the next providers whose breakers allow an attempt. The others become failed outcomes. */
  #nextWave(waiting: Link[], outcomes: Outcome[]): Turn[] {
    const wave: Turn[] = [];
    while (wave.length < this.#deps.parallel) {
      const link = waiting.shift();
      if (link === undefined) break;
      const done = link.breaker.attempt();
      if (done !== undefined) wave.push({ link, done });
      else {
        const error = new ProviderError("resting", "it failed too often recently");
        outcomes.push({ name: link.provider.name, error });
      }
    }
    return wave;
  }

  async #ask(
    { link, done }: Turn,
    { query, count, ms }: { readonly query: string; readonly count: number; readonly ms: number },
  ): Promise<Outcome> {
    const { provider, breaker } = link;
    const { name } = provider;
    const before = breaker.state;
    let outcome: Outcome;
    try {
      const { results } = await askWithin(ms, (signal) => askProvider(provider, query, count, signal));
      done("success");
      outcome = { name, results };
    } catch (error) {
      const failed = error instanceof ProviderError ? error : new ProviderError("unreachable", "it failed");
      done(blame(failed, ms));
      outcome = { name, error: failed };
    }
    if (breaker.state !== before) {
      const why = "error" in outcome ? `: ${outcome.error.message}` : "";
      this.#deps.log(`the search provider ${name} went from ${before} to ${breaker.state}${why}`);
    }
    return outcome;
  }
}

function blame({ reason }: ProviderError, ms: number): AttemptOutcome {
  return reason === "timeout" && ms < FAIR_MS ? "void" : "failure";
}

/** Runs `ask` with a signal that aborts after `ms`. It does not wait for a provider that ignores the signal. */
async function askWithin(
  ms: number,
  ask: (signal: AbortSignal) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const controller = new AbortController();
  return await within(ms, ask(controller.signal), async () => {
    controller.abort();
    // After the abort has settled `ask`: a response with the pages so far is better than a timeout.
    await Bun.sleep(0);
    throw new ProviderError("timeout", "it did not respond in time");
  });
}

function searchError(failures: readonly { readonly name: string; readonly error: ProviderError }[]): TurnpikeError {
  const detail = failures.map(({ name, error }) => `${name}: ${error.message}`).join("; ");
  if (failures.length === 0) return new TurnpikeError("search-unavailable", "Cannot search: no provider is configured");
  const are = (reason: ProviderError["reason"]) => failures.every(({ error }) => error.reason === reason);
  const code = are("resting") ? "search-unavailable" : are("timeout") ? "search-timeout" : "search-failed";
  return new TurnpikeError(code, `Cannot search: no provider responded (${detail})`);
}
